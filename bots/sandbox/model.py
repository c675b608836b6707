"""Types of the sandbox: limits, programs, usage, endings, errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bots.sandbox.seccomp import Runtime

SPARE_MIB: Final = 32
"""MiB allowed beyond a bot's memory and files: page tables, generated code, kernel memory."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one seat.

    memory_mib: writable memory of the process. The Python runner with the engine loaded takes
        about 15 MiB; the rest is room for a search tree.
    threads: threads of the process, its first one included. Node.js starts about a dozen.
    disk_mib: the bot's unpacked files. They are in memory, so they must be small; a running bot
        cannot create files.
    cpu_s: processor time of the whole match. The referee's clocks usually end a match long
        before. This limit stops a bot that continues to compute while others think.
    start_ms: time until the empty sandbox reports that it is ready. About 20 ms suffice; the rest
        is for a busy machine. A longer start is the sandbox's failure, not the bot's. Time in
        which the machine stopped or froze one of the processes that start it does not count.
    line_bytes: the longest answer, without newline (the protocol's 64 KiB).
    stderr_bytes: the part of the bot's log that is stored: its end.
    output_bytes: all answers of a match together. A usual answer has 30 bytes.
    files: open file descriptors.
    """

    memory_mib: int = 256
    threads: int = 16
    disk_mib: int = 16
    cpu_s: int = 600
    start_ms: int = 5000
    line_bytes: int = 65_536
    stderr_bytes: int = 65_536
    output_bytes: int = 16_777_216
    files: int = 64

    @property
    def wall_mib(self) -> int:
        """Limit of a seat's whole memory, of any kind; a bot that exceeds it is killed."""
        return self.memory_mib + self.disk_mib + SPARE_MIB


@dataclass(frozen=True, slots=True)
class Program:
    """A bot to run: its files by relative path, and how to start it.

    command: None for a Python bot (`bot.py` at the top of `files`), else the argument vector,
        looked up in the unpacked folder ("./bot") or among the programs of its root ("node").
    needs: the libraries that a Python bot imports (`bots.sandbox.libraries`).
    Raises ValueError for a path that leaves the bot's folder.
    """

    files: Mapping[str, bytes]
    command: tuple[str, ...] | None = None
    needs: tuple[str, ...] = ()

    @property
    def runtime(self) -> Runtime:
        """The runtime that the bot needs in its sandbox."""
        return "python" if self.command is None else "command"

    def __post_init__(self) -> None:
        for path in self.files:
            parts = path.split("/")
            if not all(parts) or "." in parts or ".." in parts or "\0" in path:
                raise ValueError(f"{path!r} is not a path inside the bot's folder")


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of a seat so far.

    cpu_ms: processor time of all threads, including the runner's start.
    peak_memory_kib: peak resident memory of the bot's own program (VmHWM, which restarts when the
        runner becomes that program). It is read every 20 ms and at the end, so for a bot that ended
        itself it is the last value read, or 0 if there is none.
    """

    cpu_ms: float
    peak_memory_kib: int


@dataclass(frozen=True, slots=True)
class Exit:
    """How a seat ended.

    code: exit status, or None when a signal ended it.
    signal: the signal's number, or None.
    reason: "exited" (by itself), "killed" (by us), "crashed" (by a signal), or the limit that ended
        it: "memory", "cpu", "disk", "output". "outside": the platform provably ended it, such as a
        machine that ran out of memory while the bot was below its limit. Every other reason is
        the bot's fault.
    text: the reason as one sentence.
    """

    code: int | None
    signal: int | None
    reason: str
    text: str


class SandboxUnavailable(Exception):  # noqa: N818 - a state of the machine, named as such
    """No sandbox can be started on this machine; the text states the cause and the remedy."""


class SeatError(Exception):
    """The bot did not answer correctly."""


class SeatTimeout(SeatError):  # noqa: N818 - the name of an event
    """The bot was silent until the deadline."""


class SeatClosed(SeatError):  # noqa: N818 - the name of an event
    """The bot's end of the channel is closed: it exited, crashed or was stopped."""


class LineTooLong(SeatError):  # noqa: N818 - the name of an event
    """The bot sent more than `Limits.line_bytes` without a newline."""

    def __init__(self, prefix: bytes, limit: int) -> None:
        super().__init__(f"the line is longer than {limit} bytes")
        self.prefix = prefix
