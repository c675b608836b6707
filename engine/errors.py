"""The engine's errors for moves and records that are not allowed."""

from __future__ import annotations


class IllegalMove(ValueError):  # noqa: N818 - the public name is fixed: it names the event, as in chess libraries
    """A move that the rules do not allow now; the match is unchanged.

    `move` is the offending text, `clause` the clause of the rules that forbids it (``CAS-16``;
    empty if no clause does, as after the end), `reason` one sentence for people.
    """

    def __init__(self, move: str, clause: str, reason: str) -> None:
        self.move = move
        self.clause = clause
        self.reason = reason
        excerpt = move if len(move) <= 200 else move[:200] + "…"
        super().__init__(f"{excerpt!r} is not legal: {reason}" + (f" ({clause})" if clause else ""))

    def __reduce__(self) -> tuple[type[IllegalMove], tuple[str, str, str]]:
        """Pickle the three parts, not the joined message."""
        return IllegalMove, (self.move, self.clause, self.reason)


class RecordError(ValueError):
    """A record that does not follow from its own seed and moves.

    `number` is the index in `moves` of the first wrong move, or None if all moves are right and
    another field is wrong.
    """

    def __init__(self, message: str, number: int | None = None) -> None:
        self.number = number
        super().__init__(message)
