"""The expert's levels: each has a number of playouts and a share of moves that it overlooks."""

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

    `playouts`: the maximum per decision. `overlooks`: the share of the legal moves that the level
    does not consider. Playouts alone do not make distinct levels, because most of the strength
    comes from the first look at a position.
    """

    playouts: int
    overlooks: float

    def moves_considered(self, legal: Sequence[str], rng: Random) -> list[str]:
        """The moves of `legal` that the level considers in a decision, in order; at least one."""
        if not self.overlooks:
            return list(legal)
        considered = [move for move in legal if rng.random() >= self.overlooks]
        return considered or [rng.choice(legal)]


LEVELS: Final = (1, 2, 3, 4, 5)
"""All levels, weakest first."""


def level(number: int, game: str) -> Level:
    """The level with this number at a game; about 150 rating points above the previous level.

    The share of overlooked moves depends on the role of skill in the game. It was measured with
    `python -m tests.strength.levels` (docs/14-expert.md).
    """
    try:
        levels = registry.game(game).levels
    except ValueError:
        levels = Levels()
    return Level(levels.playouts[number - 1], levels.overlooks[number - 1])
