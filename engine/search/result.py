"""The answer of the search: moves with their values and standard errors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A legal move as the search judges it.

    `visits`: playouts that began with the move; if 0, the other figures are guesses. `points`: how
    much the mover's side should gain on the best other side in the deal. `error`: standard error of
    `points` relative to the other moves, because all were tried on the same guesses. (For a single
    move: of `points` itself; with fewer than two playouts: the spread of all playouts.) `win`:
    the chance to win the match, 0 to 1; a shared first place counts its share.
    """

    move: str
    visits: int
    points: float
    error: float
    win: float
