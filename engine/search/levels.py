"""The expert's levels: how far it looks, and how much it overlooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True)
class Level:
    """How well the expert plays.

    `playouts`: of a decision, at most. `overlooks`: the share of its legal moves that it does not
    see. More playouts alone make no ladder: the first look at a position is most of the strength.
    """

    playouts: int
    overlooks: float

    def notices(self, legal: Sequence[str], rng: Random) -> list[str]:
        """The legal moves that it sees this time, in their order; always one at least."""
        if not self.overlooks:
            return list(legal)
        seen = [move for move in legal if rng.random() >= self.overlooks]
        return seen or [rng.choice(legal)]


LEVELS: Final[Mapping[int, Level]] = MappingProxyType(
    {
        1: Level(12, 0.62),
        2: Level(40, 0.47),
        3: Level(130, 0.32),
        4: Level(430, 0.17),
        5: Level(1400, 0.0),
    }
)
"""By number, the weakest first."""
