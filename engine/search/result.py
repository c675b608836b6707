"""The answer of the search: moves with their values and standard errors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A legal move as the search judges it.

    `visits`: playouts that began with the move; if 0, the other figures are guesses. `points`: the
    expected gain of the mover's side on the best other side in the deal. `error`: standard error of
    the difference between `points` and the mean of all moves; that of `points` itself if only one
    move was tried; the spread of all playouts if the move had fewer than two. `win`: the chance to
    win the match, 0 to 1; a shared first place counts its share.
    """

    move: str
    visits: int
    points: float
    error: float
    win: float
