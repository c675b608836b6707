"""What the search answers: the moves, each with its worth and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A legal move as the search judges it.

    `visits`: playouts that began with it; 0 where none did, and then the rest is a guess.
    `points`: what the own side can expect to be ahead of the best other side at the end of the
    deal, less what it is ahead before the deal. `error`: standard error of `points` beside those of
    the other moves, since all were tried on the same guesses (of a move that was alone: of `points`
    itself; with fewer than two playouts: how far all of them spread). `win`: the chance to win the
    match, 0 to 1; a shared first place counts its share.
    """

    move: str
    visits: int
    points: float
    error: float
    win: float
