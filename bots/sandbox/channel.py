"""Exchange lines with a process over raw pipes, with deadlines.

One `poll` watches the answers, the log and, if the process is slow to read, the pipe for our unsent
bytes. So a bot that floods its log or never reads can neither block the referee nor fill its
memory.
"""

from __future__ import annotations

import os
import select
from contextlib import suppress
from time import monotonic

from bots.sandbox.model import Limits, LineTooLong, SeatClosed, SeatTimeout

_CHUNK = 65_536


class OutputExceeded(SeatClosed):
    """All answers together are longer than `Limits.output_bytes`."""


class Channel:
    """The three pipes of a seat, which it does not own: input, answers, log."""

    __slots__ = (
        "_buffer",
        "_last_heading",
        "_log",
        "_output_left",
        "_poll",
        "_unsent",
        "line_bytes",
        "log_bytes",
        "mark",
        "stderr",
        "stdin",
        "stdout",
    )

    def __init__(self, stdin: int, stdout: int, stderr: int, limits: Limits) -> None:
        """Take non-blocking file descriptors."""
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self.line_bytes = limits.line_bytes
        self.log_bytes = limits.stderr_bytes
        self._output_left = limits.output_bytes
        self._buffer = b""
        self._log = bytearray()
        self.mark = self._last_heading = -1
        """Number of the decision to which new output in the log belongs; -1 before the first."""
        self._unsent = b""
        self._poll = select.poll()
        self._poll.register(stdout, select.POLLIN)
        self._poll.register(stderr, select.POLLIN)

    def write(self, data: bytes) -> None:
        """Send bytes; bytes that the pipe does not accept are sent later. Raises SeatClosed."""
        if self._unsent:
            self._unsent += data
            return
        try:
            sent = os.write(self.stdin, data)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            raise SeatClosed("the bot closed its input") from error
        if sent < len(data):
            self._unsent = data[sent:]
            self._poll.register(self.stdin, select.POLLOUT)

    def read_line(self, timeout_s: float) -> bytes:
        """The next line, without its newline. Raises SeatTimeout, SeatClosed, LineTooLong."""
        if self._buffer and (line := self._take_line()) is not None:
            return line
        deadline = monotonic() + timeout_s
        while True:
            line = None
            for fd, event in self._poll.poll(timeout_s * 1000.0):
                if fd == self.stdout:
                    line = self._read_answer()
                elif fd == self.stderr:
                    # Output so far belongs to this decision, so read it before the next mark.
                    self.read_log()
                else:
                    self._flush(event)
            if line is not None:
                return line
            timeout_s = deadline - monotonic()
            if timeout_s <= 0.0:
                raise SeatTimeout("the bot did not answer in time")

    def take_output(self) -> bytes:
        """Take all received bytes of answers, up to a chunk.

        Raises OutputExceeded. `read_line` reports the end of the answers.
        """
        data, self._buffer = self._buffer, b""
        try:
            part = os.read(self.stdout, _CHUNK)
        except BlockingIOError:
            return data
        self._count(part)
        return data + part

    def log(self) -> bytes:
        """The end of the log read so far."""
        return bytes(self._log[-self.log_bytes :])

    def read_log(self) -> bool:
        """Read waiting output of the log, up to a chunk; False at its end."""
        try:
            part = os.read(self.stderr, _CHUNK)
        except BlockingIOError:
            return True
        if not part:
            self._unregister(self.stderr)
            return False
        if self.mark != self._last_heading:
            self._add_heading()
        self._log += part
        if len(self._log) > 2 * self.log_bytes:
            del self._log[: -self.log_bytes]
        return True

    def _add_heading(self) -> None:
        """Add a heading to the log with the number of the decision of the following lines."""
        self._last_heading = self.mark
        inside_line = self._log and not self._log.endswith(b"\n")
        self._log += b"%s-- move %d --\n" % (b"\n" if inside_line else b"", self.mark)

    def discard_answers(self) -> bool:
        """Read and drop waiting answers, up to a chunk; False at their end."""
        try:
            return bool(os.read(self.stdout, _CHUNK))
        except BlockingIOError:
            return True

    def _read_answer(self) -> bytes | None:
        part = os.read(self.stdout, _CHUNK)
        if not part:
            raise SeatClosed("the bot closed its output")
        self._count(part)
        if not self._buffer and part.find(b"\n") == len(part) - 1 <= self.line_bytes:
            return part[:-1]  # one whole line, the usual case
        self._buffer += part
        return self._take_line()

    def _count(self, part: bytes) -> None:
        self._output_left -= len(part)
        if self._output_left < 0:
            raise OutputExceeded("the bot's answers are too long in total")

    def _take_line(self) -> bytes | None:
        line, newline, remainder = self._buffer.partition(b"\n")
        if len(line) > self.line_bytes:
            raise LineTooLong(line[: self.line_bytes], self.line_bytes)
        if not newline:
            return None
        self._buffer = remainder
        return line

    def _flush(self, event: int) -> None:
        if event & select.POLLERR:
            self._drop_unsent()  # the bot no longer reads; the end of its answers will show why
            return
        try:
            sent = os.write(self.stdin, self._unsent[:_CHUNK])
        except BlockingIOError:
            return
        except OSError:
            sent = len(self._unsent)
        self._unsent = self._unsent[sent:]
        if not self._unsent:
            self._drop_unsent()

    def _drop_unsent(self) -> None:
        self._unsent = b""
        self._unregister(self.stdin)

    def _unregister(self, fd: int) -> None:
        with suppress(KeyError):  # already unregistered
            self._poll.unregister(fd)
