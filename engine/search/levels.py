"""The expert's levels: how far it looks, and how much it overlooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from engine import registry
from engine.declarations import Levels


@dataclass(frozen=True)
class Level:
    """How well the expert plays.

    `playouts`: of a decision, at most. `overlooks`: the share of its legal moves that it does not
    see. More playouts alone do not make distinct levels: the first look at a position is most of
    the strength.
    """

    playouts: int
    overlooks: float

    def notices(self, legal: Sequence[str], rng: Random) -> list[str]:
        """The legal moves that it sees this time, in their order; always one at least."""
        if not self.overlooks:
            return list(legal)
        seen = [move for move in legal if rng.random() >= self.overlooks]
        return seen or [rng.choice(legal)]


LEVELS: Final = (1, 2, 3, 4, 5)
"""The weakest first."""


def level(number: int, game: str) -> Level:
    """The level of that number, one of `LEVELS`, at a game: about 150 of rating above the last.

    How much a level overlooks depends on how much skill decides at the game: measured with
    `python -m tests.strength.levels` (docs/14-expert.md).
    """
    try:
        levels = registry.game(game).levels
    except ValueError:
        levels = Levels()
    return Level(levels.playouts[number - 1], levels.overlooks[number - 1])
