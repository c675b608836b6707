"""Find upsets: results that were unlikely by the ratings before the tournament. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from tournaments.course.rounds import PairingResult, RoundNumber
from tournaments.deal_groups import Entrant, SideEntrants, members
from tournaments.ratings.elo import expected

UNLIKELY_WIN: Final = 0.4
"""A win of the weaker side is an upset if its expected score was less than this."""
UNLIKELY_DRAW: Final = 0.3
"""A draw is an upset if the weaker side's expected score was less than this."""


@dataclass(frozen=True, slots=True)
class PastRating:
    """An entrant's rating before the tournament."""

    points: float
    """Elo points."""
    component: int | None
    """Identifies its connected component; ratings of different ones cannot be compared."""


@dataclass(frozen=True, slots=True)
class Upset:
    """A pairing in which the weaker side did not lose."""

    round: RoundNumber
    weaker: tuple[Entrant, ...]
    stronger: tuple[Entrant, ...]
    drawn: bool
    gap: float
    """The stronger side's lead in the ratings, in Elo points."""
    chance: float
    """The weaker side's expected score in a match of the format: win 1, draw ½."""


def upsets(
    pairings: Iterable[PairingResult],
    ratings: Mapping[Entrant, PastRating],
    limit: int,
    slope: float = 1.0,
) -> list[Upset]:
    """The upsets in finished pairings of two sides, least expected first.

    All entrants of such a pairing had ratings in one component. `slope`: of the format.
    """
    results = [upset for pairing in pairings if (upset := _upset(pairing, ratings, slope))]
    return sorted(results, key=lambda upset: (upset.chance, upset.drawn))[:limit]


def _upset(
    pairing: PairingResult, ratings: Mapping[Entrant, PastRating], slope: float
) -> Upset | None:
    if len(pairing.sides) != 2 or pairing.open or not pairing.groups:
        return None
    entrants = [entrant for side in pairing.sides for entrant in members(side)]
    if not all(entrant in ratings for entrant in entrants):
        return None
    if len({ratings[entrant].component for entrant in entrants}) > 1:
        return None
    means = [_mean_rating(side, ratings) for side in pairing.sides]
    weaker = 0 if means[0] < means[1] else 1
    letter, gap = pairing.letter(weaker), abs(means[0] - means[1])
    chance = expected(-slope * gap, 0.0)
    if letter == "L" or chance >= (UNLIKELY_WIN if letter == "W" else UNLIKELY_DRAW):
        return None
    sides = members(pairing.sides[weaker]), members(pairing.sides[1 - weaker])
    return Upset(pairing.round, *sides, letter == "D", round(gap, 1), round(chance, 4))


def _mean_rating(side: SideEntrants, ratings: Mapping[Entrant, PastRating]) -> float:
    return fmean(ratings[entrant].points for entrant in members(side))
