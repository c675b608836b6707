"""Start runners: in a sandbox, or without one for trusted bots."""

from __future__ import annotations

import itertools
import json
import marshal
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bots.runner.runner import HELLO
from bots.sandbox import (
    bubblewrap,
    cgroup,
    executables,
    image,
    interpreter,
    libraries,
    pipes,
    rootfs,
    seccomp,
    tmpfs,
)
from bots.sandbox.child import Child, ChildProcess, readable
from bots.sandbox.model import Limits, Program, SandboxUnavailable

# Each seat has its own unprivileged user. systemd and other tools leave these UIDs free. Each
# process has a block of 256, chosen by its PID modulo 2**20. So two workers share a block only if
# their PIDs differ by a multiple of 2**20, and few machines have PIDs that large.
_FIRST_UID: Final = 0x7000_0000
_UIDS_PER_PROCESS: Final = 256
_PROCESSES: Final = 1 << 20
_uids = itertools.count()
EXTRA_FDS: Final = (3, 4)
"""Numbers of the descriptors that a process inside gets in addition to its pipes."""

# V8 and Go reserve gigabytes of address space that they never use. This limit only keeps page
# tables small.
_COMMAND_SPACE_MIB: Final = 65_536
# Python reserves little: itself, the engine and the libraries of its modules.
_PYTHON_SPACE_MIB: Final = 64
_STACK_MIB: Final = 8
# If a program crashes, the kernel starts the machine's handler of core dumps as root, outside the
# sandbox, and passes it the program's memory. It does so for every limit but 1, even for 0.
_NO_CORE_HANDLER: Final = 1
# Timers and queued signals, which use kernel memory that no other limit counts.
_SIGNALS: Final = 128
_DYING_MS: Final = 1000  # until a killed process is gone, usually less than 1 ms
_SLICE_MS: Final = 50  # interval at which we check whether the awaited process is stopped or frozen


class Pipes:
    """The three pipes of a seat: input, answers, log; their ends inside and outside."""

    def __init__(self) -> None:
        """Create the pipes. Raises SandboxUnavailable."""
        self.inside: list[int] = []
        self.outside: list[int] = []
        try:
            pipes.hide_pipe_count()
            for writes in (True, False, False):
                reading, writing = os.pipe()
                self.inside.append(reading if writes else writing)
                self.outside.append(writing if writes else reading)
        except OSError as error:
            self.close()
            raise SandboxUnavailable(f"No pipe to a sandbox: {error}") from error

    def close_inner_ends(self) -> tuple[int, int, int]:
        """Close the inner ends, which the child has inherited; return our ends."""
        for fd in self.inside:
            os.close(fd)
        for fd in self.outside:
            os.set_blocking(fd, False)
        stdin, stdout, stderr = self.outside
        return stdin, stdout, stderr

    def close(self) -> None:
        """Close all ends."""
        for fd in itertools.chain(self.inside, self.outside):
            os.close(fd)


@dataclass(slots=True)
class Process:
    """A runner that has said hello, and the three pipes to it.

    popen: the child, in its own session: bubblewrap, the trusted runner itself, or the monitor of a
        forked runner.
    pid: the runner's PID. pidfd: a descriptor of that process; None if trusted.
    folder: the files of a trusted bot, to be removed. pipe_giver: gives a program its pipes.
    """

    popen: Child
    stdin: int
    stdout: int
    stderr: int
    pid: int = 0
    pidfd: int | None = None
    folder: Path | None = None
    group: cgroup.ControlGroup | None = None
    pipe_giver: pipes.PipeGiver | None = None

    def signal(self, number: int) -> None:
        """Send a signal to the runner or, without a `pidfd`, to the child's whole process group.

        It is never sent to a PID that may have been reused.
        """
        # The process may have ended; some kernels refuse signals to a zombie.
        with suppress(ProcessLookupError, PermissionError):
            if self.pidfd is not None:
                signal.pidfd_send_signal(self.pidfd, number)
            elif self.popen.returncode is None:
                self.popen.signal_group(number)

    def kill(self) -> None:
        """Kill the runner; bubblewrap then ends by itself."""
        self.signal(signal.SIGKILL)

    def is_running(self) -> bool:
        """Whether the runner still runs, so that its PID has not been reused.

        Always True without a `pidfd`.
        """
        return self.pidfd is None or not readable(self.pidfd, 0)

    def close_input(self) -> None:
        """Close the runner's input, which tells the bot that the match is over."""
        stdin, self.stdin = self.stdin, -1
        if stdin >= 0:
            os.close(stdin)

    def abandon(self) -> None:
        """Kill the runner and free everything, in any state; may be called twice."""
        with ExitStack() as cleanup:
            if self.folder is not None:
                cleanup.callback(shutil.rmtree, self.folder, ignore_errors=True)
            if self.group is not None:
                cleanup.callback(self.group.remove)
            if self.pipe_giver is not None:
                cleanup.callback(self.pipe_giver.close)
            for fd in (self.stdin, self.stdout, self.stderr, self.pidfd):
                if fd is not None and fd >= 0:
                    cleanup.callback(os.close, fd)
            cleanup.callback(self._clear)
            self.kill()
            self._reap()
            if self.pidfd is not None:  # bubblewrap may end before the runner does
                readable(self.pidfd, _DYING_MS)

    def _reap(self) -> None:
        """Wait for the child; kill it if it does not end with the runner."""
        while True:  # a monitor forked only after the first signal gets the second one
            try:
                self.popen.wait(_DYING_MS / 1000)
            except subprocess.TimeoutExpired:
                with suppress(ProcessLookupError):
                    self.popen.signal_group(signal.SIGKILL)
            else:
                return

    def _clear(self) -> None:
        self.stdin = self.stdout = self.stderr = -1
        self.pidfd = self.folder = self.group = self.pipe_giver = None


def start(
    limits: Limits,
    *,
    runtime: seccomp.Runtime = "python",
    needs: libraries.Needs = (),
    gives_pipes: bool | None = None,
) -> Process:
    """Start a sandbox with a runner in it.

    runtime, needs: those of the bot that will run; they determine what its root folder contains.
    gives_pipes: whether the platform gives the bot its pipes; by default to all but Python bots.

    Raises SandboxUnavailable; if bubblewrap failed, with its error output.
    """
    gives = runtime == "command" if gives_pipes is None else gives_pipes
    namespace = files_namespace(runtime, needs)
    try:
        return _start_in(namespace, limits, runtime, needs, gives_pipes=gives)
    except SandboxUnavailable:
        if namespace.is_usable:
            raise
    # The starter had been killed: try once more with a new one.
    namespace = files_namespace(runtime, needs)
    return _start_in(namespace, limits, runtime, needs, gives_pipes=gives)


def files_namespace(runtime: seccomp.Runtime, needs: libraries.Needs = ()) -> tmpfs.FilesNamespace:
    """The namespace in which bubblewrap starts such bots. Raises SandboxUnavailable."""
    python = interpreter.running()
    folders = rootfs.ensure_root(python, runtime, needs), image.ensure_image(python, needs)
    return tmpfs.ensure_namespace(bubblewrap_program(), python, *folders)


def bubblewrap_program() -> str:
    """The path of bubblewrap. Raises SandboxUnavailable."""
    program = executables.find("bwrap")
    if program is None:
        raise SandboxUnavailable("bubblewrap is not installed.")
    return program


def _start_in(
    namespace: tmpfs.FilesNamespace,
    limits: Limits,
    runtime: seccomp.Runtime,
    needs: libraries.Needs,
    *,
    gives_pipes: bool,
) -> Process:
    with ExitStack() as stack, ExitStack() as inherited:
        try:
            info, info_end = os.pipe()
            stack.callback(os.close, info)
            stack.callback(os.close, info_end)
            pipe_giver = pipes.PipeGiver() if gives_pipes else None
        except OSError as error:
            raise SandboxUnavailable(f"No pipe to a sandbox: {error}") from error
        arguments, descriptors = [], [info_end]
        if pipe_giver is not None:
            inherited.callback(pipe_giver.close)
            arguments, descriptors = (
                [pipe_giver.runner_argument(EXTRA_FDS[1])],
                [info_end, pipe_giver.descriptor],
            )
        command = bubblewrap.command(
            bubblewrap_program(), runtime, limits, EXTRA_FDS[0], *arguments, needs=needs
        )
        process = spawn_inside(namespace, [*_as_user(seat_user()), *command], descriptors)
        inherited.pop_all()
        process.pipe_giver = pipe_giver
        return when_ready(process, limits, lambda: _pid_from_info(info))


def start_trusted(
    limits: Limits,
    *,
    runtime: seccomp.Runtime = "python",  # noqa: ARG001 - trusted bots see the whole machine
    needs: libraries.Needs = (),
    variables: Sequence[str] = (),
) -> Process:
    """Start a runner with no sandbox around it. Raises SandboxUnavailable.

    variables: names of environment variables that the bot gets, if they are set.
    """
    python = interpreter.running()
    folder = image.ensure_image(python, needs)
    command = [str(python.path), *bubblewrap.PYTHON_FLAGS, str(folder / image.START), str(folder)]
    environment = {name: os.environ[name] for name in variables if name in os.environ}
    environment |= {"PYTHONHASHSEED": "0", "PATH": os.environ.get("PATH", os.defpath)}
    environment |= bubblewrap.ONE_THREAD if needs else {}
    orphan = ("orphan",) if sys.platform == "linux" else ()
    process = spawn([*command, *orphan], env=environment)
    return when_ready(process, limits, None)


def when_ready(process: Process, limits: Limits, runner_pid: Callable[[], int] | None) -> Process:
    """Wait until the runner has said hello; earlier failures are never a bot's fault.

    runner_pid: returns the PID of a runner that has said hello; None if the runner is trusted and
    therefore the child.
    """
    try:
        if runner_pid is None:
            process.folder = Path(tempfile.mkdtemp(prefix="cardroom-"))
        _await_hello(process, limits)
        if runner_pid is not None:
            process.pid = runner_pid()
            process.pidfd = os.pidfd_open(process.pid)
            if process.pipe_giver is not None:
                process.pipe_giver.begin()
            _confine(process, limits)
    except OSError as error:
        process.abandon()
        raise SandboxUnavailable(f"The sandbox died during its start: {error}") from error
    except BaseException:
        process.abandon()
        raise
    return process


def load_message(program: Program, limits: Limits, folder: Path | None) -> bytes:
    """The message with the bot for a waiting runner; `folder`: for a trusted bot's files."""
    runtime = program.runtime
    message = {
        "files": {path: bytes(content) for path, content in program.files.items()},
        "folder": str(folder or bubblewrap.BOT),
        "command": program.command,
        "rlimits": _rlimits(limits, runtime, None if folder is None else "trusted"),
        "filter": b"" if folder is not None else seccomp.build(runtime),
    }
    body = marshal.dumps(message, 2)  # version 2, which all versions of Python read alike
    return len(body).to_bytes(8, "little") + body


def _rlimits(limits: Limits, runtime: seccomp.Runtime, trusted: str | None) -> dict[str, int]:
    core = _NO_CORE_HANDLER if resource.getrlimit(resource.RLIMIT_CORE)[1] else 0
    common = {"DATA": limits.memory_mib << 20, "CPU": limits.cpu_s, "CORE": core}
    if trusted:  # other limits count all processes of the user, or are the user's own choice
        return common
    space_mib = _COMMAND_SPACE_MIB
    if runtime == "python":  # so that no kind of page evades the limit
        space_mib = _PYTHON_SPACE_MIB + limits.memory_mib + limits.disk_mib + _STACK_MIB
    return common | {
        "AS": space_mib << 20,
        "STACK": _STACK_MIB << 20,
        "NPROC": limits.threads,
        "NOFILE": limits.files,
        "FSIZE": limits.disk_mib << 20,
        "SIGPENDING": _SIGNALS,
        "MEMLOCK": 0,
        "MSGQUEUE": 0,
    }


def _as_user(uid: int) -> list[str]:
    """The prefix of a command that makes it run as the user `uid`; empty for -1: our user.

    Without it, a bot whose bubblewrap is started by root would be the machine's root.
    """
    if uid < 0:
        return []
    helper = executables.find("setpriv")
    if helper is None:
        raise SandboxUnavailable("setpriv (of util-linux) is not installed.")
    return [helper, f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"]


def seat_user() -> int:
    """The UID of the next seat on this machine; -1 (our own user) unless we are root."""
    if os.geteuid() != 0:
        return -1
    process = os.getpid() % _PROCESSES
    return _FIRST_UID + process * _UIDS_PER_PROCESS + next(_uids) % _UIDS_PER_PROCESS


def spawn_inside(
    namespace: tmpfs.FilesNamespace, command: list[str], descriptors: list[int]
) -> Process:
    """Start a command in the namespace of the bots' files, with pipes for its three streams.

    descriptors: further descriptors that it gets, with the numbers in `EXTRA_FDS`.
    """
    seat_pipes = Pipes()
    try:
        child = namespace.starter.start(command, [*seat_pipes.inside, *descriptors])
    except BaseException:
        seat_pipes.close()
        raise
    return Process(child, *seat_pipes.close_inner_ends())


def spawn(command: list[str], **options: object) -> Process:
    """Start a command with pipes to it, in its own session and in the root folder."""
    seat_pipes = Pipes()
    stdin, stdout, stderr = seat_pipes.inside
    try:
        popen = ChildProcess(  # type: ignore[call-overload] # options vary with the user
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd="/",
            start_new_session=True,
            **({"env": {}} | options),
        )
    except BaseException as error:
        seat_pipes.close()
        if isinstance(error, OSError | subprocess.SubprocessError):
            raise SandboxUnavailable(f"{command[0]} cannot be started: {error}") from error
        raise
    return Process(popen, *seat_pipes.close_inner_ends(), popen.pid)


def _await_hello(process: Process, limits: Limits) -> None:
    """Wait for the runner's hello; time in which it or we were stopped or frozen does not count."""
    left_ms: float = limits.start_ms
    greeting = b""
    while greeting != HELLO:
        slice_ms = min(left_ms, _SLICE_MS)
        if not readable(process.stdout, slice_ms):
            if not process.popen.suspended():
                left_ms -= slice_ms
            if left_ms <= 0:
                raise SandboxUnavailable(f"The sandbox was not ready within {limits.start_ms} ms.")
            continue
        part = os.read(process.stdout, len(HELLO) - len(greeting))
        if not part:
            raise SandboxUnavailable(f"The sandbox did not start: {_error_output(process)}")
        greeting += part


def _error_output(process: Process) -> str:
    with suppress(subprocess.TimeoutExpired):
        process.popen.wait(1)
    try:
        text = os.read(process.stderr, 4096).decode(errors="replace").strip()
    except BlockingIOError:
        text = ""
    return text or f"exit status {process.popen.returncode}"


def _pid_from_info(info: int) -> int:
    """The runner's PID, which bubblewrap writes before it starts the runner."""
    return int(json.loads(os.read(info, 4096))["child-pid"])


def _confine(process: Process, limits: Limits) -> None:
    """Move the runner to a control group, and make it the kernel's first choice to kill."""
    with suppress(OSError):
        Path(f"/proc/{process.pid}/oom_score_adj").write_text("1000")
    parent_group = cgroup.parent_group()
    if parent_group is None:
        return
    try:
        process.group = cgroup.ControlGroup(parent_group, limits)
        process.group.add(process.pid)
    except OSError as error:
        raise SandboxUnavailable(f"No control group for the seat: {error}") from error
