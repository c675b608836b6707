"""Which numbers a scale shows: house bots whose ratings are fixed.

Results tell how far apart entrants are, and nothing else. A fit is moved as a whole until its
anchors stand where they belong, on average over their deal groups: so distances are what the
results say, however many anchors there are.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from bots.referee.house import LEVELED
from cardroom_base.core.names import HOUSE, RANDOM
from engine.search import LEVELS

E = TypeVar("E")

Anchors = Sequence[Mapping[Any, float]]
"""Entrants (`tournaments.deal_groups.Entrant`) with their ratings. The first of these groups counts
that has somebody who has played."""

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
"""The levels where they have played, since they are near those whose ratings people look at."""


def of_entrants(names: Mapping[E, str]) -> list[dict[E, float]]:
    """`BY_NAME` for entrants that are not called by their names."""
    return [
        {entrant: group[name] for entrant, name in names.items() if name in group}
        for group in BY_NAME
    ]
