"""The factory of seats."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from bots.sandbox.model import Limits, Program
from bots.sandbox.seat import Seat


class Sandbox:
    """Opens seats: sandboxed bot processes."""

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        trusted: bool = False,
        warm: int = 0,
        cpu: int | None = None,
    ) -> None:
        raise NotImplementedError

    def open(self, program: Program, *, name: str) -> Seat:
        """Start one bot."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop everything."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
