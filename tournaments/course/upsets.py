"""Find upsets: results that were unlikely by the ratings before the pairing. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Final, TypeAlias

from tournaments.course.rounds import PairingResult, RoundNumber
from tournaments.deal_groups import Entrant, SideEntrants, members
from tournaments.ratings.elo import expected

UNLIKELY_WIN: Final = 0.4
"""A win of the weaker side is an upset if its expected score was less than this."""
UNLIKELY_DRAW: Final = 0.3
"""A draw is an upset if the weaker side's expected score was less than this."""

Ratings: TypeAlias = Mapping[Entrant, float]
"""The ratings before a pairing, in Elo points."""


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
    """The weaker side's expected score: win 1, draw ½."""


def upsets(pairings: Iterable[tuple[PairingResult, Ratings]], limit: int) -> list[Upset]:
    """The upsets in finished pairings of two sides, least expected first."""
    results = [upset for pairing, ratings in pairings if (upset := _upset(pairing, ratings))]
    return sorted(results, key=lambda upset: (upset.chance, upset.drawn))[:limit]


def _upset(pairing: PairingResult, ratings: Ratings) -> Upset | None:
    if len(pairing.sides) != 2 or pairing.open or not pairing.groups:
        return None
    if not all(entrant in ratings for side in pairing.sides for entrant in members(side)):
        return None
    means = [_rating(side, ratings) for side in pairing.sides]
    weaker = 0 if means[0] < means[1] else 1
    letter, gap = pairing.letter(weaker), abs(means[0] - means[1])
    chance = expected(-gap, 0.0)
    if letter == "L" or chance >= (UNLIKELY_WIN if letter == "W" else UNLIKELY_DRAW):
        return None
    sides = members(pairing.sides[weaker]), members(pairing.sides[1 - weaker])
    return Upset(pairing.round, *sides, letter == "D", round(gap, 1), round(chance, 4))


def _rating(side: SideEntrants, ratings: Ratings) -> float:
    return fmean(ratings[entrant] for entrant in members(side))
