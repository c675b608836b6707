"""A site with program files owned by root and services under another user, as in docs/07."""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest

from bots.sandbox import detect
from cardroom.processes import die_with_parent
from tests.breakable_bubblewrap import readable_folder
from tests.servers import start_redis
from tests.site.checkouts import compiled_environment, copy_checkout, unit_command
from tests.sites import eventually, fetch_json

UID: Final = 0x6FFF_0001
"""An ordinary user without an entry in any table."""
AS_USER: Final = (
    *("setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups"),
    *("--pdeathsig", "KILL", "--"),  # a change of users drops `die_with_parent`
)
PATIENCE_S: Final = 180
UNITS: Final = ("web", "worker", "tables", "housekeeping", "beat")
# Notes each attempt to write below the program's folder, allowed or not.
WATCH: Final = """
import os, sys
CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.utime")
def watch(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        elsewhere = mode is None
    elif event in CHANGES:
        path, writes, elsewhere = arguments[0], True, arguments[-1] != -1
    else:
        return
    if not isinstance(path, str) or elsewhere and not path.startswith("/"):
        return  # relative to a folder's descriptor, as when trees are copied and removed
    if writes and os.path.abspath(path).startswith(PROGRAM):
        note = os.open(NOTES, os.O_WRONLY | os.O_APPEND)
        os.write(note, f"{event} {path} by {sys.orig_argv}\\n".encode())
        os.close(note)
sys.addaudithook(watch)
"""

CAN_RUN: Final = os.geteuid() == 0 and detect().level != "none"
"""Only root can give files to root, and the services need a sandbox."""

pytestmark = [
    pytest.mark.long,
    pytest.mark.sandbox,
    pytest.mark.skipif(not CAN_RUN, reason="this needs root and a sandbox"),
]


def as_user(folder: Path) -> list[str]:
    """The words before a command that make the user run it with this interpreter.

    If the interpreter is in a closed home, such as root's, they mount it there for the user alone.
    `folder` is a mount point for that.
    """
    version_check = ["-c", f"import sys; sys.exit(sys.version != {sys.version!r})"]
    home = Path("/", *Path(sys.base_prefix).parts[1:2])
    mount_and_run = f"""
        mount --bind {sys.base_prefix} {folder} && mount -t tmpfs -o mode=755 tmpfs {home} &&
        mkdir -p {sys.base_prefix} && mount --bind {folder} {sys.base_prefix} && exec "$@" """
    unshared = ("unshare", "--mount", "--propagation", "private", "sh", "-c", mount_and_run, "sh")
    for words in (AS_USER, (*unshared, *AS_USER)):
        command = [*words, sys.executable, *version_check]
        if not subprocess.run(command, stderr=subprocess.DEVNULL, cwd="/", check=False).returncode:
            return list(words)
    pytest.skip("an ordinary user cannot start this Python")


class Installation:
    """An installed site: root owns `program`, the user owns `var` and `home`."""

    def __init__(self, folder: Path, redis: str) -> None:
        for name in ("python", "program", "var", "home"):
            (folder / name).mkdir()
        self.as_user = as_user(folder / "python")
        self.program, self.var, self.home = (folder / name for name in ("program", "var", "home"))
        self.notes = folder / "notes"
        self.notes.touch()
        self.notes.chmod(0o666)
        copy_checkout(self.program)
        watch = WATCH.replace("PROGRAM", repr(str(self.program)))
        (self.program / "sitecustomize.py").write_text(
            watch.replace("NOTES", repr(str(self.notes)))
        )
        compileall.compile_dir(self.program, quiet=2)
        subprocess.run(["chmod", "-R", "go-w,a+rX", str(self.program)], check=True)
        for owned in (self.var, self.home):
            owned.chmod(0o700)
            os.chown(owned, UID, UID)
        packages = sysconfig.get_path("purelib")
        env = compiled_environment(self.program, self.var)
        self.env = {
            key: value for key, value in env.items() if key not in ("DATABASE_URL", "HOME")
        } | {
            "CARDROOM_HOSTS": "*",
            "HOME": str(self.home),
            "PYTHONPATH": f"{env['PYTHONPATH']}{os.pathsep}{packages}",
            "REDIS_URL": redis,
            "TMPDIR": str(self.home),
        }
        self.env.pop("PYTHONDONTWRITEBYTECODE", None)
        self.logs = {unit: folder / f"{unit}.log" for unit in UNITS}

    def manage(self, *arguments: str) -> str:
        """The output of a command of `manage.py`."""
        process = subprocess.run(
            [*self.as_user, sys.executable, "manage.py", *arguments],
            env=self.env,
            cwd=self.program,
            text=True,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert not process.returncode, process.stdout
        return process.stdout

    def start(self, unit: str) -> subprocess.Popen[bytes]:
        """Start a service as its unit does; sets `address` if it is the web server."""
        command = unit_command(self.program, unit, sys.executable)
        if unit == "web":
            self.address = f"http://127.0.0.1:{command[-1]}/"
        with self.logs[unit].open("wb") as log:
            return subprocess.Popen(
                [*self.as_user, *command],
                env=self.env,
                cwd=self.program,
                stdout=log,
                stderr=subprocess.STDOUT,
                preexec_fn=die_with_parent,
            )

    def output(self) -> str:
        """The ends of all logs."""
        return "\n".join(
            f"--- {unit}\n{log.read_text()[-1500:]}" for unit, log in self.logs.items()
        )


def _end_service(unit: str, service: subprocess.Popen[bytes]) -> None:
    service.terminate()
    try:
        service.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        service.kill()
        service.wait()
        pytest.fail(f"{unit} ignored SIGTERM for {PATIENCE_S} s")


@pytest.fixture
def installation() -> Iterator[Installation]:
    folder = readable_folder()
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        site = Installation(folder, stack.enter_context(start_redis()).url)
        site.manage("migrate", "--verbosity=0")
        site.manage("collectstatic", "--no-input", "--verbosity=0")
        for unit in UNITS:
            service = site.start(unit)
            stack.callback(_end_service, unit, service)
        yield site


def test_all_services_run_compiled_and_write_no_program_files(installation: Installation) -> None:
    def status() -> dict[str, Any]:
        try:
            body = fetch_json(f"{installation.address}api/v1/status/")
        except OSError:
            return {}
        assert isinstance(body, dict)
        return body

    def all_report() -> bool:
        body = status()
        return bool(body.get("sandboxes") and body.get("table_hosts"))

    assert eventually(all_report, PATIENCE_S), f"{status()} {installation.output()}"
    body = status()
    reports = {
        (report["level"], report["engine"]) for report in (*body["sandboxes"], *body["table_hosts"])
    }
    assert reports == {("full", "compiled")}
    for unit in UNITS[:-1]:  # beat only sends messages
        assert "The rules run compiled." in installation.logs[unit].read_text()
    assert "cardroom.W002" not in installation.manage("check", "--deploy")
    assert installation.notes.read_text() == ""
    with pytest.raises(AssertionError, match="PermissionError"):
        installation.manage("shell", "-v0", "-c", "open('written', 'w')")
    assert "open written" in installation.notes.read_text(), "no write was noted"
