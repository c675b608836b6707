"""`scripts/setup.sh` compiles the rules and leaves no processes behind."""

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
SLOW_BUILD = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open("started", "w").write(f"{os.getpid()} {child.pid}")
time.sleep(float(os.environ["TAKES"]))
child.kill()
open("finished", "w").close()
"""

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with all packages installed, in which compiling takes TAKES seconds."""
    for name in ("scripts", "requirements", ".venv/bin"):
        (tmp_path / name).mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "setup.sh", tmp_path / "scripts")
    (tmp_path / "requirements" / "site.txt").touch()
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "hatch_build.py").write_text(SLOW_BUILD)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    stamp = '{ "$PYTHON" --version; cat requirements/site.txt pyproject.toml; } | cksum'
    process = subprocess.run(
        ["sh", "-c", f"{stamp} > .venv/.installed-site"],
        cwd=tmp_path,
        env=environment(),
        check=True,
    )
    assert process.returncode == 0
    return tmp_path


def environment(**variables: str) -> dict[str, str]:
    inherited = {key: value for key, value in os.environ.items() if key != "CARDROOM_COMPILE"}
    return {**inherited, "PYTHON": sys.executable, **variables}


def start_setup(checkout: Path, target: str = "site", **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["scripts/setup.sh", target],
        cwd=checkout,
        env=environment(**variables),
        stderr=subprocess.PIPE,
        text=True,
        # Under `nohup`, tests ignore SIGHUP, and a shell cannot trap a signal that it inherited as
        # ignored.
        preexec_fn=partial(signal.signal, signal.SIGHUP, signal.SIG_DFL),
    )


def is_running(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_environment_follows_the_interpreter(checkout: Path) -> None:
    """Packages of one version of Python do not work with another."""
    other = checkout / "other-python"
    other.write_text(
        "#!/bin/sh\n"
        '[ "$1" = --version ] && echo Python 3.99.0 && exit\n'
        f'[ "$2" = venv ] || exec {sys.executable} "$@"\n'
        f"mkdir -p .venv/bin && ln -s {other} .venv/bin/python\n"
    )
    other.chmod(0o755)
    _, errors = start_setup(checkout, PYTHON=str(other), CARDROOM_COMPILE="0").communicate()
    assert "Creating the virtual environment .venv with Python 3.99.0" in errors
    assert (checkout / ".venv" / "bin" / "python").readlink() == other


def test_setup_waits_for_the_end_of_compiling(checkout: Path) -> None:
    process = start_setup(checkout, TAKES="1")
    _, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    assert (checkout / "finished").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's folders are closed to services")
def test_root_creates_byte_code_for_services(checkout: Path) -> None:
    (checkout / "bots").mkdir()
    (checkout / "bots" / "one.py").touch()
    packages = checkout / ".venv" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "two.py").touch()
    _, errors = start_setup(checkout, TAKES="0").communicate()
    assert errors == ""
    assert list((checkout / "bots").rglob("one.*.pyc"))
    assert list((checkout / ".venv").rglob("two.*.pyc"))


def test_a_demo_compiles_rules_but_no_byte_code(checkout: Path) -> None:
    (checkout / "bots").mkdir()
    (checkout / "bots" / "one.py").touch()
    start_setup(checkout, "demo", TAKES="0").communicate()
    assert (checkout / "finished").exists()
    assert not list(checkout.rglob("one.*.pyc"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_to_setup_ends_the_compiling(checkout: Path, number: signal.Signals) -> None:
    process = start_setup(checkout, TAKES="600")
    started = checkout / "started"
    wait_for(lambda: started.exists() and started.read_text(), "Nothing is compiled", 60)
    process.send_signal(number)
    process.communicate()
    assert process.returncode == 128 + number or number == signal.SIGHUP
    for pid in started.read_text().split():
        wait_for(lambda pid=pid: not is_running(pid), f"{pid} is left over")  # type: ignore[misc]  # mypy knows no defaults of lambdas


def test_a_failed_compilation_is_reported_and_setup_succeeds(checkout: Path) -> None:
    (checkout / "hatch_build.py").write_text("raise SystemExit('No space left')\n")
    process = start_setup(checkout)
    _, errors = process.communicate()
    assert process.returncode == 0
    assert "No space left" in errors
    assert "The rules stay interpreted" in errors


def test_cardroom_compile_0_prevents_compiling(checkout: Path) -> None:
    process = start_setup(checkout, CARDROOM_COMPILE="0")
    process.communicate()
    assert process.returncode == 0
    assert not (checkout / "started").exists()


def test_a_missing_compiler_is_reported(checkout: Path) -> None:
    process = start_setup(checkout, CC="no-such-compiler")
    _, errors = process.communicate()
    assert process.returncode == 0
    assert "There is no C compiler" in errors


def test_pip_installs_if_uv_fails(checkout: Path) -> None:
    (checkout / "requirements" / "site.txt").write_text("# changed\n")
    uv, python = (checkout / ".venv" / "bin" / name for name in ("uv", "python"))
    uv.write_text("#!/bin/sh\necho 'no such index' >&2\nexit 2\n")
    python.unlink()
    python.write_text(
        f'#!/bin/sh\n[ "$2" = pip ] || exec {sys.executable} "$@"\necho "$@" >> calls\n'
    )
    for program in (uv, python):
        program.chmod(0o755)
    process = start_setup(checkout, CARDROOM_COMPILE="0")
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert "uv.log says why" in errors
    assert "no such index" in (checkout / ".venv" / "uv.log").read_text()
    calls = (checkout / "calls").read_text()
    assert "--require-hashes -r requirements/site.txt" in calls
    assert "--editable ." in calls
    assert list((checkout / ".venv").glob(".installed-site"))
