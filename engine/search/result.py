"""The answer of the search: moves with their values and standard errors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A legal move and the values that the search gives it.

    `visits`: the number of playouts that began with the move; if it is 0, the other values are
    guesses. `points`: the points that the mover's side is expected to gain in this deal, minus
    those of the best other side. `error`: the standard error of the difference between `points` and
    the mean of all moves. (If only one move was tried: the standard error of `points`. If the move
    had fewer than two playouts: the standard deviation of all playouts.) `win`: the chance of
    winning the match, 0 to 1; a first place shared by n sides counts 1/n.
    """

    move: str
    visits: int
    points: float
    error: float
    win: float
