"""Compute each entrant's score against each other entrant."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from tournaments.deal_groups import Entrant, MatchResult, SideEntrants, members


@dataclass(frozen=True, slots=True)
class Cell:
    """The score of one entrant against another."""

    points: float
    """The share of a group's matches in which the entrant ranked ahead of the other (a tie counts
    half), summed over the deal groups."""

    groups: int
    """Deal groups in which both played."""

    difference: float
    """The lead over the other in points: the mean of the groups' sums over their matches."""


def cross_table(
    entrants: Sequence[Entrant], groups: Iterable[Sequence[MatchResult]]
) -> dict[Entrant, dict[Entrant, Cell]]:
    """The cross table: `table[a][b]` is the score of `a` against `b`, if they have met.

    A match of more than two sides compares every pair of its sides. Rows and columns are in the
    order of `entrants`.
    """
    sums: dict[tuple[Entrant, Entrant], list[tuple[float, float]]] = {}
    for group in groups:
        if not group:
            continue
        for first, second in combinations(group[0].entrants, 2):
            ahead, behind, margin = compare(group, first, second)
            for pair in product(members(first), members(second)):
                sums.setdefault(pair, []).append((ahead, margin))
                sums.setdefault(pair[::-1], []).append((behind, -margin))
    return {
        entrant: {
            other: _cell(sums[entrant, other]) for other in entrants if (entrant, other) in sums
        }
        for entrant in entrants
    }


def compare(
    matches: Sequence[MatchResult], first: SideEntrants, second: SideEntrants
) -> tuple[float, float, float]:
    """(share of matches that `first` won, share that `second` won, lead of `first` in points).

    A tie counts half. The lead is summed over the matches.
    """
    ahead = margin = 0.0
    for match in matches:
        first_side, second_side = match.entrants.index(first), match.entrants.index(second)
        rank, other_rank = match.ranks[first_side], match.ranks[second_side]
        ahead += (rank < other_rank) + (rank == other_rank) / 2
        margin += _margin(match, first_side, second_side)
    return ahead / len(matches), 1 - ahead / len(matches), margin


def _margin(match: MatchResult, side: int, other_side: int) -> float:
    """Score of `side` minus score of `other_side`; never in favour of a side with a fault."""
    margin = match.scores[side] - match.scores[other_side]
    if side in match.faulting_sides and other_side not in match.faulting_sides:
        return min(margin, 0.0)
    if other_side in match.faulting_sides and side not in match.faulting_sides:
        return max(margin, 0.0)
    return margin


def _cell(sums: list[tuple[float, float]]) -> Cell:
    points = sum(sorted(ahead for ahead, _ in sums))
    difference = sum(sorted(margin for _, margin in sums)) / len(sums)
    return Cell(points=round(points, 9), groups=len(sums), difference=round(difference, 9))
