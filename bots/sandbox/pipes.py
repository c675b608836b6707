"""Counts the pipes that a program makes, and refuses it more than a few.

The kernel numbers the pipes of a whole machine by one counter, and who makes a pipe can read its
number. A bot that makes thousands sets the counter to what it wants a later one to read. Filters
cannot count, so the kernel is told to ask us for each pipe (seccomp's user notification, since
Linux 5.5). That is for programs: Python bots may make none.

The few that are allowed move the counter a little. Before a seat begins we make a random number of
pipes, which hides that.
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
"""Pipes of a program; Node.js makes one for each of its threads."""
_BLUR: Final = 64
# <linux/seccomp.h>: SECCOMP_IOCTL_NOTIF_RECV and _SEND with their structures: id, process, flags
# and the call; id, value, error and flags.
_RECEIVE: Final = 0xC050_2100
_QUESTION: Final = struct.Struct("=Q72x")
_SEND: Final = 0xC018_2101
_ANSWER: Final = struct.Struct("=QqiI")
_CONTINUE: Final = 1
_GLANCE_MS: Final = 1000  # kernels before 5.9 do not report the end of the other side


def blur() -> None:
    """Make a random number of pipes, so that a few more or fewer tell nothing."""
    for _ in range(secrets.randbelow(_BLUR)):
        for end in os.pipe():
            os.close(end)


class Counter:
    """What counts for one sandbox. Made before it is started, told when it stands."""

    def __init__(self) -> None:
        """Raises OSError."""
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._closed = threading.Event()

    @property
    def descriptor(self) -> int:
        """What the runner gets, to hand over what the kernel asks by."""
        return self._theirs.fileno()

    def word(self, descriptor: int) -> str:
        """The runner's argument: the descriptor there, number of the call `seccomp`, filter."""
        return f"count={descriptor}:{seccomp.number()}:{seccomp.asking().hex()}"

    def begin(self) -> None:
        """The runner has said hello: count from here on. Raises SandboxUnavailable."""
        listener = array.array("i")
        self._ours.settimeout(0)
        try:
            _, aside, _, _ = self._ours.recvmsg(1, socket.CMSG_SPACE(listener.itemsize))
        except OSError as error:
            raise SandboxUnavailable(f"Nobody would count a program's pipes: {error}") from error
        for _, _, data in aside:
            listener.frombytes(data[: listener.itemsize])
        threading.Thread(target=self._count, args=(listener[0],), name="pipes", daemon=True).start()

    def close(self) -> None:
        """Count no more."""
        self._closed.set()
        self._ours.close()
        self._theirs.close()

    def _count(self, listener: int) -> None:
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        left = MOST
        try:
            while not self._closed.is_set():
                for _, event in poll.poll(_GLANCE_MS):
                    if not event & select.POLLIN:
                        return
                    left -= _answered(listener, left)
        finally:
            os.close(listener)


def _answered(listener: int, left: int) -> bool:
    """Allow one more pipe, or refuse it where none is left; false if nobody waits any more."""
    question = bytearray(_QUESTION.size)
    try:
        fcntl.ioctl(listener, _RECEIVE, question)
        (number,) = _QUESTION.unpack(question)
        may = (0, _CONTINUE) if left > 0 else (-errno.EMFILE, 0)
        fcntl.ioctl(listener, _SEND, _ANSWER.pack(number, 0, *may))
    except OSError:  # it was killed meanwhile
        return False
    return left > 0
