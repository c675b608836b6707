"""Upsets: results against the ratings that everybody had before. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Final, TypeAlias

from tournaments.course.rounds import PairingResult, RoundNumber
from tournaments.deal_groups import Entrant, Side, members
from tournaments.ratings.elo import expected

UNLIKELY: Final = 0.4
"""A win is an upset where the weaker side was expected to score less than this."""
HELD: Final = 0.3
"""The same for a draw."""

Known: TypeAlias = Mapping[Entrant, float]
"""Ratings before a pairing."""


@dataclass(frozen=True, slots=True)
class Upset:
    """A pairing in which the weaker side did not lose."""

    round: RoundNumber
    weaker: tuple[Entrant, ...]
    stronger: tuple[Entrant, ...]
    drawn: bool
    gap: float
    """By how much the stronger side was rated higher, in Elo points."""
    chance: float
    """The score that the ratings expected of the weaker side: win 1, draw ½."""


def upsets(pairings: Iterable[tuple[PairingResult, Known]], most: int) -> list[Upset]:
    """The least expected first; only of pairings of two sides that are over."""
    found = [upset for pairing, known in pairings if (upset := _upset(pairing, known))]
    return sorted(found, key=lambda upset: (upset.chance, upset.drawn))[:most]


def _upset(pairing: PairingResult, known: Known) -> Upset | None:
    if len(pairing.sides) != 2 or pairing.open or not pairing.groups:
        return None
    if not all(entrant in known for side in pairing.sides for entrant in members(side)):
        return None
    ratings = [_rating(side, known) for side in pairing.sides]
    weaker = 0 if ratings[0] < ratings[1] else 1
    letter, gap = pairing.letter(weaker), abs(ratings[0] - ratings[1])
    chance = expected(-gap, 0.0)
    if letter == "L" or chance >= (UNLIKELY if letter == "W" else HELD):
        return None
    sides = members(pairing.sides[weaker]), members(pairing.sides[1 - weaker])
    return Upset(pairing.round, *sides, letter == "D", round(gap, 1), round(chance, 4))


def _rating(side: Side, known: Known) -> float:
    return fmean(known[entrant] for entrant in members(side))
