"""One running bot process."""

from __future__ import annotations

from bots.sandbox.model import Exit, Usage


class Seat:
    """One running bot process, used by one referee thread."""

    name: str

    def send(self, line: bytes) -> None:
        """Send one line (given without newline). Never blocks. Raises SeatClosed."""
        raise NotImplementedError

    def receive(self, timeout_s: float) -> bytes:
        """Next line without newline. Raises SeatTimeout, SeatClosed, LineTooLong."""
        raise NotImplementedError

    def run_delay_ns(self) -> int:
        """Time the kernel kept the bot waiting for a processor."""
        raise NotImplementedError

    def usage(self) -> Usage:
        """What the bot used so far."""
        raise NotImplementedError

    def stderr(self) -> bytes:
        """The end of the bot's log."""
        raise NotImplementedError

    def close(self, grace_s: float = 0.25) -> Exit:
        """Stop the bot and free everything; may be called twice."""
        raise NotImplementedError
