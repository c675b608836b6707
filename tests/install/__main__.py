"""`make install-test`: runs the commands of docs/21-install.md in an empty Debian with systemd.

Usage: python -m tests.install [wheel|checkout] [--suite bookworm] [--wheel FILE] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.install import machine, page

ROOT: Final = Path(__file__).resolve().parents[2]
SITE: Final = "cards.localhost"
"""Caddy signs certificates for this name itself, and it resolves to this machine."""
PASSWORD: Final = "a long password for a test"
CADDY_ROOT: Final = "/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt"
BACKUP: Final = "systemctl start cardroom-backup"
TRUST: Final = f"""
for second in $(seq 30); do [ -e {CADDY_ROOT} ] && break; sleep 1; done
cp {CADDY_ROOT} /usr/local/share/ca-certificates/caddy.crt
update-ca-certificates >/dev/null
"""
"""Trusts Caddy's certificate authority; a public authority needs no such step."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.install")
    parser.add_argument("source", nargs="?", choices=["wheel", "checkout"], default="wheel")
    parser.add_argument("--suite", default="bookworm", help="release of Debian")
    parser.add_argument("--wheel", type=Path, help="a built wheel")
    parser.add_argument("--keep", type=Path, help="an empty folder for the Debian, which is kept")
    parser.add_argument("--first", type=int, default=1, help="first block, in a kept Debian")
    options = parser.parse_args()
    if reason := machine.missing():
        print(f"install-test is skipped: {reason}.")
        return
    start = time.monotonic()
    with ExitStack() as stack:
        root = options.keep or Path(
            stack.enter_context(tempfile.TemporaryDirectory(dir="/var/tmp"))
        )
        if not (root / "etc").exists():
            machine.unpack(root, options.suite)
        prepare(root, options.source, options.wheel)
        debian = stack.enter_context(machine.boot(root))
        for block in page.blocks()[options.first - 1 :]:
            if block.only not in {"", options.source}:
                continue
            if BACKUP in block.script:  # so that the backup contains matches
                check_site(debian)
            run_block(debian, block.script.replace(page.NAME, SITE))
        check_site(debian)
    minutes = (time.monotonic() - start) / 60
    print(f"\nThe page of installation works: {options.source}, {minutes:.0f} minutes.")


def prepare(root: Path, source: str, wheel: Path | None) -> None:
    """Let pip and git in the Debian find this program and trust the same authorities."""
    folder = root / "srv" / "program"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(machine.BUNDLE, folder / "authorities.crt")
    lines = ["[global]", "cert = /srv/program/authorities.crt"]
    if source == "wheel":
        if wheel is None:
            build = [sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "--out-dir"]
            subprocess.run([*build, str(root / "root")], cwd=ROOT, check=True)
        else:
            shutil.copy(wheel, root / "root")
    else:
        subprocess.run(
            ["git", "clone", "-q", "--bare", str(ROOT), str(folder / "x.git")], check=True
        )
        (root / "etc" / "gitconfig").write_text(
            '[url "file:///srv/program/x.git"]\n insteadOf = https://example.org/cardroom.git\n'
            "[safe]\n directory = *\n"
        )
    (root / "etc" / "pip.conf").write_text("\n".join(lines) + "\n")


def run_block(debian: machine.Machine, script: str) -> None:
    """Run one block of the page."""
    print("\n--- " + script.strip().replace("\n", "\n    "), flush=True)
    if "curl" in script and "https://" in script:
        debian.run(TRUST)
    debian.run(script, typed=[PASSWORD] * 2 if "createsuperuser" in script else ())


def check_site(debian: machine.Machine) -> None:
    """Play a tournament, and a match at a people's table."""
    script = Path(__file__).with_name("check_site.py")
    print(f"\n--- {script.name}", flush=True)
    (debian.root / "opt" / "cardroom" / script.name).write_text(script.read_text())
    debian.run(
        "cardroom-as web shell --verbosity 0 "
        f"--command 'exec(open(\"/opt/cardroom/{script.name}\").read())'"
    )


if __name__ == "__main__":
    main()
