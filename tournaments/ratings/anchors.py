"""Anchors: house bots whose ratings fix the scale.

Results determine only differences of ratings. A fit is shifted as a whole, so that its anchors have
their fixed ratings on average over their deal groups. Differences stay as the results give them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from bots.referee.house import LEVELED
from cardroom_base.core.names import HOUSE, RANDOM
from engine.search import LEVELS

E = TypeVar("E")

Anchors = Sequence[Mapping[Any, float]]
"""Groups of entrants (`tournaments.deal_groups.Entrant`) with their ratings. The first group
in which an entrant has played counts."""

RANDOM_RATING = 1000.0
"""The rating of the house bot that plays any legal move."""

MIDDLE_LEVEL = 1500.0
"""The rating of the expert's middle level."""

STEP = 150.0
"""Elo points from one level of the expert to the next."""

BY_NAME: Anchors = (
    {
        f"{HOUSE}{LEVELED}-{level}": MIDDLE_LEVEL + STEP * (level - (LEVELS[0] + LEVELS[-1]) / 2)
        for level in LEVELS
    },
    {RANDOM: RANDOM_RATING},
)
"""The expert's levels come first, because they are near most ratings of interest."""


def of_entrants(names: Mapping[E, str]) -> list[dict[E, float]]:
    """`BY_NAME` with entrants in place of names; `names`: the bot's name of each entrant."""
    return [
        {entrant: group[name] for entrant, name in names.items() if name in group}
        for group in BY_NAME
    ]
