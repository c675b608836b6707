"""Count the pipes that a program creates, and refuse more than a few.

The kernel numbers all pipes of a machine by one counter, and the creator of a pipe can read its
number. So by creating thousands of pipes, a bot could leave a message for a later bot. A system
call filter cannot count, so the kernel asks this process about each pipe (seccomp's user
notification, since Linux 5.5). Only bots with a command may create pipes; Python bots may not.

The few allowed pipes still advance the counter. To hide that, the platform creates a random number
of pipes before a seat begins.
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
from typing import Final

from bots.sandbox import seccomp
from bots.sandbox.model import SandboxUnavailable

MOST: Final = 16
"""Maximum pipes of a program; Node.js creates one for each of its threads."""
_MAX_HIDING_PIPES: Final = 64
# <linux/seccomp.h>: SECCOMP_IOCTL_NOTIF_RECV and _SEND with their structures: id, process, flags
# and the call; id, value, error and flags.
_RECEIVE: Final = 0xC050_2100
_QUESTION: Final = struct.Struct("=Q72x")
_SEND: Final = 0xC018_2101
_ANSWER: Final = struct.Struct("=QqiI")
_CONTINUE: Final = 1
# Kernels before 5.9 do not report the bot's end, so check `_closed` this often.
_POLL_MS: Final = 1000


def hide_pipe_count() -> None:
    """Create and close a random number of pipes, which hides how many a bot created."""
    for _ in range(secrets.randbelow(_MAX_HIDING_PIPES)):
        for end in os.pipe():
            os.close(end)


class PipeCounter:
    """Counts the pipes of one sandbox. Create it before the sandbox, and call `begin` after."""

    def __init__(self) -> None:
        """Raises OSError."""
        self._own_end, self._runner_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._closed = threading.Event()

    @property
    def descriptor(self) -> int:
        """The descriptor through which the runner sends us the kernel's listener."""
        return self._runner_end.fileno()

    def runner_argument(self, descriptor: int) -> str:
        """The runner's argument: the socket's number there, the system call `seccomp`, the
        filter."""
        return f"count={descriptor}:{seccomp.seccomp_number()}:{seccomp.pipe_filter().hex()}"

    def begin(self) -> None:
        """Start counting, after the runner has said hello. Raises SandboxUnavailable."""
        listener = array.array("i")
        self._own_end.settimeout(0)
        try:
            _, ancillary, _, _ = self._own_end.recvmsg(1, socket.CMSG_SPACE(listener.itemsize))
        except OSError as error:
            raise SandboxUnavailable(f"A program's pipes cannot be counted: {error}") from error
        for _, _, data in ancillary:
            listener.frombytes(data[: listener.itemsize])
        threading.Thread(target=self._count, args=(listener[0],), name="pipes", daemon=True).start()

    def close(self) -> None:
        """Stop counting."""
        self._closed.set()
        self._own_end.close()
        self._runner_end.close()

    def _count(self, listener: int) -> None:
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        pipes_left = MOST
        try:
            while not self._closed.is_set():
                for _, event in poll.poll(_POLL_MS):
                    if not event & select.POLLIN:
                        return
                    pipes_left -= _answer(listener, pipes_left)
        finally:
            os.close(listener)


def _answer(listener: int, pipes_left: int) -> bool:
    """Allow one more pipe, or refuse it if `pipes_left` is 0; False if refused or the bot ended."""
    question = bytearray(_QUESTION.size)
    try:
        fcntl.ioctl(listener, _RECEIVE, question)
        (number,) = _QUESTION.unpack(question)
        response = (0, _CONTINUE) if pipes_left > 0 else (-errno.EMFILE, 0)
        fcntl.ioctl(listener, _SEND, _ANSWER.pack(number, 0, *response))
    except OSError:  # the bot was killed meanwhile
        return False
    return pipes_left > 0
