"""Supply programs with pipes whose inode numbers reveal nothing.

Here a *program* is a bot that a command starts. Python bots may create no pipes.

The kernel numbers all pipes of a machine by one counter, and the creator of a pipe can read its
number. If bots created pipes, a bot could compare two of its numbers and learn how many pipes other
bots created in between. It could do so within a match, at a people's table, or from one match to
the next. So the kernel asks this process about each pipe of a program (seccomp's user
notification). The program gets one of a few pipes that this process created before the program
started. When it has used these, it gets no more. If this process may not write to a bot's memory
(root without CAP_SYS_PTRACE; Yama's ptrace_scope 3), the kernel creates these few pipes, and
isolation is not *full* (`bots.sandbox.pipe_numbers` measures it).

The kernel also asks about each start of a program (`execve`). Older kernels with modules run
modprobe on the machine, as root, whenever a program starts a file of an unknown kind. A bot that
does so in a loop would use much more of the machine than its own time. So a program may start only
a few others.

To hide from a bot how many seats start beside it, the platform creates a random number of pipes
before a seat begins.
"""

from __future__ import annotations

import array
import errno
import fcntl
import os
import secrets
import select
import socket
import struct
import threading
from contextlib import suppress
from typing import Final, NamedTuple

from bots.sandbox import seccomp
from bots.sandbox.model import SandboxUnavailable

MAX_PIPES: Final = 16
"""Maximum pipes of a program; Node.js creates one for each of its threads."""
MAX_STARTS: Final = 16
"""Maximum calls of `execve`, including the runner's; scripts start few programs."""
_MAX_HIDING_PIPES: Final = 63
_DELAY_S: Final = 0.01
"""Delay of each answer after `MAX_PIPES` and `MAX_STARTS`. An answer costs this process more than
the bot, which does not pay for it."""

# Requests to the kernel from <linux/seccomp.h>, each followed by its structure.
_RECEIVE: Final = 0xC050_2100
# seccomp_notif: id, pid, flags, the system call.
_QUESTION: Final = struct.Struct("=QI4xi4x8x6Q")
_SEND: Final = 0xC018_2101
# seccomp_notif_resp: id, value, error, flags.
_ANSWER: Final = struct.Struct("=QqiI")
_CONTINUE: Final = 1
_IS_VALID: Final = 0x4008_2102
_ID: Final = struct.Struct("=Q")
_ADD_DESCRIPTOR: Final = 0x4018_2103
# seccomp_notif_addfd: id, flags, our descriptor, its number in the bot, its flags in the bot.
_ADD_REQUEST: Final = struct.Struct("=QIIII")

_PIPE_ENDS: Final = struct.Struct("=ii")
_POLL_MS: Final = 1000
"""Interval at which the thread checks `_closed`, if the kernel reports nothing."""


def hide_pipe_count() -> None:
    """Create and close a random number of pipes."""
    for _ in range(secrets.randbelow(_MAX_HIDING_PIPES + 1)):
        for end in os.pipe():
            os.close(end)


class PipeGiver:
    """Gives one sandbox its pipes. Create it before the sandbox, and call `begin` after."""

    def __init__(self) -> None:
        """Raises OSError."""
        self._own_end, self._runner_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._closed = threading.Event()
        self._reading_ends: list[int] = []

    @property
    def descriptor(self) -> int:
        """The descriptor through which the runner sends us the kernel's listener."""
        return self._runner_end.fileno()

    def runner_argument(self, descriptor: int) -> str:
        """The runner's argument: the socket's descriptor in the runner, the number of the system
        call `seccomp`, the filter."""
        return f"pipes={descriptor}:{seccomp.seccomp_number()}:{seccomp.asking_filter().hex()}"

    def begin(self) -> None:
        """Start giving pipes. Call this only after the runner has sent HELLO.

        Raises SandboxUnavailable.
        """
        listener = array.array("i")
        self._own_end.settimeout(0)
        try:
            _, ancillary, _, _ = self._own_end.recvmsg(1, socket.CMSG_SPACE(listener.itemsize))
            self._reading_ends = _make_pipes(MAX_PIPES)
        except OSError as error:
            raise SandboxUnavailable(f"No pipes for the bot's program: {error}") from error
        for _, _, data in ancillary:
            listener.frombytes(data[: listener.itemsize])
        threading.Thread(
            target=self._give, args=(listener[0], self._reading_ends), name="pipes", daemon=True
        ).start()

    def inode_numbers(self) -> set[int]:
        """The inode numbers of the pipes that it has not given yet; call it while it gives none."""
        return {os.fstat(fd).st_ino for fd in self._reading_ends}

    def close(self) -> None:
        """Stop giving pipes."""
        self._closed.set()
        self._own_end.close()
        self._runner_end.close()

    def _give(self, listener: int, reading_ends: list[int]) -> None:
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        starts = answers = 0
        try:
            while not self._closed.is_set():
                for _, event in poll.poll(_POLL_MS):
                    if not event & select.POLLIN:
                        return
                    if answers >= MAX_PIPES + MAX_STARTS:
                        self._closed.wait(_DELAY_S)
                    answers += 1
                    starts += _answer(listener, reading_ends, may_start=starts < MAX_STARTS)
        finally:
            for fd in (listener, *reading_ends):
                os.close(fd)


class _Question(NamedTuple):
    """A bot's call of `pipe`, `pipe2` or `execve`.

    `id`: the kernel's number for this question. `pid`: the caller. `call`: the number of the system
    call. `address`: where the caller expects the two descriptors. `flags`: for `pipe2` only.
    """

    id: int
    pid: int
    call: int
    address: int
    flags: int


def _make_pipes(count: int) -> list[int]:
    """The reading ends of new pipes; the writing ends can be opened from them. Raises OSError."""
    reading_ends: list[int] = []
    try:
        for _ in range(count):
            reading_end, writing_end = os.pipe()
            os.close(writing_end)
            reading_ends.append(reading_end)
    except OSError:
        for fd in reading_ends:
            os.close(fd)
        raise
    return reading_ends


def _answer(listener: int, reading_ends: list[int], *, may_start: bool) -> bool:
    """Answer a call; return whether it starts a program.

    A call for a pipe gets the last of these pipes, or is refused if none is left.
    """
    buffer = bytearray(_QUESTION.size)
    starts = False
    with suppress(OSError):  # the bot was killed meanwhile
        fcntl.ioctl(listener, _RECEIVE, buffer)
        call_id, pid, call, address, flags, *_ = _QUESTION.unpack(buffer)
        question = _Question(call_id, pid, call, address, flags)
        starts = question.call == seccomp.execve_number()
        if starts:
            response = (0, _CONTINUE) if may_start else (-errno.EPERM, 0)
        else:
            response = _answer_to_pipe(listener, question, reading_ends)
        fcntl.ioctl(listener, _SEND, _ANSWER.pack(question.id, 0, *response))
    return starts


def _answer_to_pipe(listener: int, question: _Question, reading_ends: list[int]) -> tuple[int, int]:
    """The error and the flags of the answer to a call for a pipe."""
    try:
        return (-_give_pipe(listener, question, reading_ends), 0)
    except PermissionError:
        os.close(reading_ends.pop())
        return (0, _CONTINUE)


def _give_pipe(listener: int, question: _Question, reading_ends: list[int]) -> int:
    """Give the caller a pipe; returns 0, or the number of the error that the call returns.

    PermissionError if this process may not write to the caller's memory.
    """
    flags = question.flags if question.call == seccomp.pipe2_number() else 0
    if flags & ~(os.O_CLOEXEC | os.O_NONBLOCK):
        return errno.EINVAL
    if not reading_ends:
        return errno.EMFILE
    path = f"/proc/self/fd/{reading_ends[-1]}"
    to_close: list[int] = []
    try:
        memory = os.open(f"/proc/{question.pid}/mem", os.O_RDWR | os.O_CLOEXEC)
        to_close.append(memory)
        fcntl.ioctl(listener, _IS_VALID, _ID.pack(question.id))  # the caller still waits
        numbers = []
        for access in (os.O_RDONLY, os.O_WRONLY):
            end = os.open(path, access | flags | os.O_CLOEXEC)
            to_close.append(end)
            request = _ADD_REQUEST.pack(question.id, 0, end, 0, flags & os.O_CLOEXEC)
            # `ioctl` returns the descriptor's number in the bot only for a bytearray.
            numbers.append(fcntl.ioctl(listener, _ADD_DESCRIPTOR, bytearray(request)))
        os.pwrite(memory, _PIPE_ENDS.pack(*numbers), question.address)
    except PermissionError:
        raise
    except OSError as error:
        return error.errno or errno.EMFILE
    finally:
        for fd in to_close:
            os.close(fd)
    os.close(reading_ends.pop())
    return 0
