"""Starting runners: inside a sandbox, or beside us for trusted bots."""

from __future__ import annotations

import itertools
import json
import marshal
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bots.runner.runner import HELLO
from bots.sandbox import bubblewrap, cgroup, image, interpreter, seccomp
from bots.sandbox.model import Limits, Program, SandboxUnavailable

# An unprivileged user for each seat: numbers that systemd's and other tools' tables leave unused.
# 256 for each of 2**20 process numbers, so that two workers never share one.
_FIRST_UID: Final = 0x7000_0000
_UIDS_PER_PROCESS: Final = 256
_PROCESSES: Final = 1 << 20
_uids = itertools.count()

# Address space is reserved, not used: V8 and Go take gigabytes. The cap bounds the page tables
# (1/512 of it), which no other limit counts.
_ADDRESS_SPACE_MIB: Final = {"python": 4096, "command": 65_536}
_STACK_MIB: Final = 8


@dataclass(slots=True)
class Process:
    """A runner that has said hello, and the three pipes to it.

    popen: what we started: bubblewrap, or the runner itself when trusted.
    pid: of the runner. pidfd: the same, safe against reuse of the number; None when trusted.
    folder: the bot's files when trusted, to be removed.
    """

    popen: subprocess.Popen[bytes]
    stdin: int
    stdout: int
    stderr: int
    pid: int
    pidfd: int | None = None
    folder: Path | None = None
    group: cgroup.Group | None = None
    log: bytearray = field(default_factory=bytearray)

    def kill(self) -> None:
        """Stop the runner, whatever it does; bubblewrap then follows by itself."""
        with suppress(ProcessLookupError):
            if self.pidfd is not None:
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
            else:
                self.popen.kill()

    def free(self) -> None:
        """Give back everything, once the processes are gone."""
        for fd in (self.stdin, self.stdout, self.stderr, self.pidfd):
            if fd is not None and fd >= 0:
                os.close(fd)
        self.stdin = self.stdout = self.stderr = -1
        self.pidfd = None
        if self.group is not None:
            self.group.remove()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def start(limits: Limits, *arguments: str) -> Process:
    """Start a sandbox with a runner in it; `arguments` go to the runner.

    Raises SandboxUnavailable with what bubblewrap said.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxUnavailable("bubblewrap is not installed.")
    python = interpreter.for_sandbox()
    folder = _image(python)
    info, info_end = os.pipe()
    try:
        command = bubblewrap.command(program, python, folder, limits, info_end, arguments)
        process = _spawn_as_seat(command, info_end)
    except BaseException:
        os.close(info)
        raise
    finally:
        os.close(info_end)
    try:
        _await_hello(process, limits)
        process.pid = _child(info)
        process.pidfd = os.pidfd_open(process.pid)
        _settle(process, limits)
    except BaseException:
        abandon(process)
        raise
    finally:
        os.close(info)
    return process


def start_trusted(limits: Limits, *arguments: str) -> Process:
    """Start a runner with no sandbox around it. Raises SandboxUnavailable."""
    python = interpreter.for_trusted()
    folder = _image(python)
    command = [str(python.path), *bubblewrap.PYTHON_FLAGS, str(folder / image.START), str(folder)]
    environment = {"PYTHONHASHSEED": "0", "PATH": os.environ.get("PATH", os.defpath)}
    orphan = ("orphan",) if sys.platform == "linux" else ()
    process = _spawn([*command, *orphan, *arguments], env=environment)
    try:
        process.folder = Path(tempfile.mkdtemp(prefix="cardroom-"))
        _await_hello(process, limits)
    except BaseException:
        abandon(process)
        raise
    return process


def abandon(process: Process) -> None:
    """Stop and free a process that nobody will use."""
    process.kill()
    process.popen.wait()
    process.free()


def load_message(program: Program, limits: Limits, folder: Path | None) -> bytes:
    """What the runner waits for; `folder` is where a trusted bot's files go."""
    runtime: seccomp.Runtime = "python" if program.command is None else "command"
    message = {
        "files": {path: bytes(content) for path, content in program.files.items()},
        "folder": str(folder or bubblewrap.BOT),
        "command": program.command,
        "rlimits": _rlimits(limits, runtime, None if folder is None else "trusted"),
        "filter": b"" if folder is not None else seccomp.build(runtime),
    }
    body = marshal.dumps(message, 2)  # a format that all versions of Python read alike
    return len(body).to_bytes(8, "little") + body


def _rlimits(limits: Limits, runtime: seccomp.Runtime, trusted: str | None) -> dict[str, int]:
    common = {"DATA": limits.memory_mib << 20, "CPU": limits.cpu_s, "CORE": 0}
    if trusted:  # the other numbers count all processes of the user, or are the user's business
        return common
    return common | {
        "AS": _ADDRESS_SPACE_MIB[runtime] << 20,
        "STACK": _STACK_MIB << 20,
        "NPROC": limits.threads,
        "NOFILE": limits.files,
        "FSIZE": limits.disk_mib << 20,
        "MEMLOCK": 0,
        "MSGQUEUE": 0,
    }


def _spawn_as_seat(command: list[str], info: int) -> Process:
    """Start bubblewrap under a user of its own for the seat, if we may give it one.

    bubblewrap that is started by root would leave the bot as the machine's root. The helper
    `setpriv` changes the user after our process was left: that lets Python start it by vfork. To
    change it itself Python must fork, and to copy the page tables of a 100 MiB worker takes 4 ms.
    """
    if os.geteuid() != 0:
        return _spawn(command, pass_fds=(info,))
    process = os.getpid() % _PROCESSES
    uid = _FIRST_UID + process * _UIDS_PER_PROCESS + next(_uids) % _UIDS_PER_PROCESS
    if helper := shutil.which("setpriv"):
        change = [helper, f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"]
        return _spawn([*change, *command], pass_fds=(info,))
    return _spawn(command, pass_fds=(info,), user=uid, group=uid, extra_groups=[])


_images: dict[str, Path] = {}


def _image(python: interpreter.Interpreter) -> Path:
    """The image for an interpreter, looked for once a process."""
    if python.version not in _images:
        _images[python.version] = image.ensure_image(python.path, python.version)
    return _images[python.version]


def _spawn(command: list[str], **options: object) -> Process:
    """Start a command with pipes on all sides, away from our terminal and folder."""
    try:
        popen = subprocess.Popen(  # type: ignore[call-overload] # options vary with the user
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd="/",
            start_new_session=True,
            **({"env": {}} | options),
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxUnavailable(f"{command[0]} cannot be started: {error}") from error
    stdin, stdout, stderr = (
        os.dup(pipe.fileno()) for pipe in (popen.stdin, popen.stdout, popen.stderr)
    )
    for pipe in (popen.stdin, popen.stdout, popen.stderr):
        pipe.close()
    popen.stdin = popen.stdout = popen.stderr = None
    for fd in (stdin, stdout, stderr):
        os.set_blocking(fd, False)
    return Process(popen, stdin, stdout, stderr, popen.pid)


def _await_hello(process: Process, limits: Limits) -> None:
    """Wait until the runner stands; before that nothing is the bot's fault."""
    deadline = time.monotonic() + limits.start_ms / 1000
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    said = b""
    while said != HELLO:
        remaining_s = deadline - time.monotonic()
        if remaining_s <= 0 or not poll.poll(remaining_s * 1000):
            raise SandboxUnavailable(f"The sandbox did not stand within {limits.start_ms} ms.")
        part = os.read(process.stdout, len(HELLO) - len(said))
        if not part:
            raise SandboxUnavailable(f"The sandbox did not start: {_complaint(process)}")
        said += part


def _complaint(process: Process) -> str:
    with suppress(subprocess.TimeoutExpired):
        process.popen.wait(1)
    try:
        said = os.read(process.stderr, 4096).decode(errors="replace").strip()
    except BlockingIOError:
        said = ""
    return said or f"exit status {process.popen.returncode}"


def _child(info: int) -> int:
    """The runner's process number, from what bubblewrap wrote before it let the runner go."""
    return int(json.loads(os.read(info, 4096))["child-pid"])


def _settle(process: Process, limits: Limits) -> None:
    """Give the runner its control group, and make it the kernel's first choice to kill."""
    with suppress(OSError):
        Path(f"/proc/{process.pid}/oom_score_adj").write_text("1000")
    above = cgroup.parent()
    if above is None:
        return
    try:
        process.group = cgroup.Group(above, limits)
        process.group.add(process.pid)
    except OSError as error:
        raise SandboxUnavailable(f"No control group for the seat: {error}") from error
