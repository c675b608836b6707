"""Scores of each entrant against each other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from tournaments.deal_groups import Entrant, MatchResult, Side, members


@dataclass(frozen=True, slots=True)
class Cell:
    """The score of one entrant against another."""

    points: float
    """The share of matches ahead of the other (a tie counts half), summed over deal groups."""

    groups: int
    """Deal groups in which both played."""

    difference: float
    """Margin over the other, summed over a group's matches; the mean over the groups."""


def cross_table(
    entrants: Sequence[Entrant], groups: Iterable[Sequence[MatchResult]]
) -> dict[Entrant, dict[Entrant, Cell]]:
    """The scores `table[a][b]` of every pair that has met.

    A match of more than two sides compares every pair of its sides. Rows and columns are in the
    order of `entrants`.
    """
    sums: dict[tuple[Entrant, Entrant], list[tuple[float, float]]] = {}
    for matches in groups:
        if not matches:
            continue
        for first, second in combinations(matches[0].entrants, 2):
            ahead, behind, margin = compare(matches, first, second)
            for first_entrant, second_entrant in product(members(first), members(second)):
                sums.setdefault((first_entrant, second_entrant), []).append((ahead, margin))
                sums.setdefault((second_entrant, first_entrant), []).append((behind, -margin))
    return {
        first_entrant: {
            second_entrant: _cell(sums[first_entrant, second_entrant])
            for second_entrant in entrants
            if (first_entrant, second_entrant) in sums
        }
        for first_entrant in entrants
    }


def compare(matches: Sequence[MatchResult], a: Side, b: Side) -> tuple[float, float, float]:
    """Over a deal group: the shares of matches that a and b won against each other; a's margin."""
    ahead = margin = 0.0
    for match in matches:
        ranks = match.ranks
        i, j = match.entrants.index(a), match.entrants.index(b)
        ahead += (ranks[i] < ranks[j]) + (ranks[i] == ranks[j]) / 2
        margin += _margin(match, i, j)
    return ahead / len(matches), 1 - ahead / len(matches), margin


def _margin(match: MatchResult, i: int, j: int) -> float:
    """Score of side i minus that of side j; never in favour of a side with a fault."""
    margin = match.scores[i] - match.scores[j]
    if i in match.faults and j not in match.faults:
        return min(margin, 0.0)
    if j in match.faults and i not in match.faults:
        return max(margin, 0.0)
    return margin


def _cell(sums: list[tuple[float, float]]) -> Cell:
    points = sum(sorted(ahead for ahead, _ in sums))
    difference = sum(sorted(margin for _, margin in sums)) / len(sums)
    return Cell(points=round(points, 9), groups=len(sums), difference=round(difference, 9))
