"""What `scripts/setup.sh` does beside installing: it has the rules compiled, and leaves nothing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.servers import wait_for

ROOT = Path(__file__).resolve().parents[2]
SLOW = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open("begun", "w").write(f"{os.getpid()} {child.pid}")
time.sleep(float(os.environ["TAKES"]))
child.kill()
open("done", "w").close()
"""

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout where everything is installed, and compiling takes as long as TAKES says."""
    for name in ("scripts", "requirements", ".venv/bin"):
        (tmp_path / name).mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "setup.sh", tmp_path / "scripts")
    (tmp_path / "requirements" / "site.txt").touch()
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "hatch_build.py").write_text(SLOW)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    stamp = "{ python3 --version; cat requirements/site.txt pyproject.toml; } | cksum"
    done = subprocess.run(
        ["sh", "-c", f"{stamp} > .venv/.installed-site"], cwd=tmp_path, env=environ(), check=True
    )
    assert done.returncode == 0
    return tmp_path


def environ(**more: str) -> dict[str, str]:
    found = {key: value for key, value in os.environ.items() if key != "CARDROOM_COMPILE"}
    return (
        found | {"PYTHON": "", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"} | more
    )


def setup(checkout: Path, want: str = "site", **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["scripts/setup.sh", want],
        cwd=checkout,
        env=environ(**more),
        stderr=subprocess.PIPE,
        text=True,
        # Under `nohup`, tests ignore SIGHUP, and a shell cannot trap what it was started to ignore.
        preexec_fn=partial(signal.signal, signal.SIGHUP, signal.SIG_DFL),
    )


def lives(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_compiling_is_over_when_it_ends(checkout: Path) -> None:
    process = setup(checkout, TAKES="1")
    _, said = process.communicate()
    assert (process.returncode, said) == (0, "")
    assert (checkout / "done").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root leaves files that services cannot add to")
def test_root_leaves_byte_code_for_services(checkout: Path) -> None:
    (checkout / "bots").mkdir()
    (checkout / "bots" / "one.py").touch()
    packages = checkout / ".venv" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "two.py").touch()
    _, said = setup(checkout, TAKES="0").communicate()
    assert said == ""
    assert list((checkout / "bots").rglob("one.*.pyc"))
    assert list((checkout / ".venv").rglob("two.*.pyc"))


def test_a_demo_compiles_rules_but_no_byte_code(checkout: Path) -> None:
    (checkout / "bots").mkdir()
    (checkout / "bots" / "one.py").touch()
    setup(checkout, "demo", TAKES="0").communicate()
    assert (checkout / "done").exists()
    assert not list(checkout.rglob("one.*.pyc"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_who_ends_it_ends_the_compiling(checkout: Path, number: signal.Signals) -> None:
    process = setup(checkout, TAKES="600")
    begun = checkout / "begun"
    wait_for(lambda: begun.exists() and begun.read_text(), "Nothing is compiled", 60)
    process.send_signal(number)
    process.communicate()
    assert process.returncode == 128 + number or number == signal.SIGHUP
    for pid in begun.read_text().split():
        wait_for(lambda pid=pid: not lives(pid), f"{pid} is left over")  # type: ignore[misc]  # mypy knows no defaults of lambdas


def test_a_failure_is_said_and_does_not_matter(checkout: Path) -> None:
    (checkout / "hatch_build.py").write_text("raise SystemExit('No space left')\n")
    process = setup(checkout)
    _, said = process.communicate()
    assert process.returncode == 0
    assert "No space left" in said
    assert "The rules stay interpreted" in said


def test_who_wants_them_interpreted_gets_that(checkout: Path) -> None:
    process = setup(checkout, CARDROOM_COMPILE="0")
    process.communicate()
    assert process.returncode == 0
    assert not (checkout / "begun").exists()


def test_without_a_compiler_it_says_so(checkout: Path) -> None:
    process = setup(checkout, CC="no-such-compiler")
    _, said = process.communicate()
    assert process.returncode == 0
    assert "There is no C compiler" in said


def test_where_uv_fails_pip_installs(checkout: Path) -> None:
    (checkout / "requirements" / "site.txt").write_text("# changed\n")
    uv, python = (checkout / ".venv" / "bin" / name for name in ("uv", "python"))
    uv.write_text("#!/bin/sh\necho 'no such index' >&2\nexit 2\n")
    python.unlink()
    python.write_text(
        f'#!/bin/sh\n[ "$2" = pip ] || exec {sys.executable} "$@"\necho "$@" >> calls\n'
    )
    for program in (uv, python):
        program.chmod(0o755)
    process = setup(checkout, CARDROOM_COMPILE="0")
    _, said = process.communicate()
    assert process.returncode == 0, said
    assert "uv.log says why" in said
    assert "no such index" in (checkout / ".venv" / "uv.log").read_text()
    calls = (checkout / "calls").read_text()
    assert "--require-hashes -r requirements/site.txt" in calls
    assert "--editable ." in calls
    assert list((checkout / ".venv").glob(".installed-site"))
