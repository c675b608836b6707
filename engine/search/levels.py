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


LEVELS: Final = (1, 2, 3, 4, 5)
"""The weakest first."""

_PLAYOUTS: Final = (12, 40, 130, 430, 1400)
_FEWER: Final = (4, 10, 30, 80, 200)  # where a playout takes five to thirty times as long


def _ladder(playouts: Sequence[int], overlooks: Sequence[float]) -> tuple[Level, ...]:
    return tuple([Level(*each) for each in zip(playouts, overlooks, strict=True)])


_OTHER_GAMES: Final = _ladder(_PLAYOUTS, (0.62, 0.47, 0.32, 0.17, 0.0))
_LADDERS: Final[Mapping[str, tuple[Level, ...]]] = MappingProxyType(
    {
        "canasta": _ladder(_FEWER, (0.82, 0.68, 0.45, 0.22, 0.0)),
        "paks": _ladder(_FEWER, (0.78, 0.58, 0.41, 0.24, 0.0)),
        "spoon-eye": _ladder(_PLAYOUTS, (0.32, 0.24, 0.16, 0.08, 0.0)),
    }
)
# How much must be overlooked for a step depends on how much a game tells of skill: measured with
# `python -m tests.strength.levels` (docs/14-expert.md).


def level(number: int, game: str) -> Level:
    """The level of that number, one of `LEVELS`, at a game: about 150 of rating above the last."""
    return _LADDERS.get(game, _OTHER_GAMES)[number - 1]
