"""Standings and cross tables from the results of deal groups, finished or running.

Pure and deterministic: the same results in any order give the same rows.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product

from tournaments.deal_groups import (
    Entrant,
    GroupScore,
    MatchResult,
    Side,
    final_ranks,
    group_score,
    members,
)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the standings."""

    place: int
    """1 is best; entrants that nothing parts share a place (1, 1, 3)."""

    entrant: Entrant

    points: float
    """Group points summed: each deal group gives 0 to 1 (mean share of sides left behind)."""

    groups: int
    """Deal groups with at least one finished match."""

    won: int
    """Groups in which nobody had as many points."""

    drawn: int
    """Groups in which the best points were shared."""

    lost: int
    """Groups in which another had more points."""

    matches: int
    """Finished matches."""

    difference: float
    """Mean score difference per deal group (own score less the mean of the other sides')."""

    faults: int
    """Matches in which the entrant made a fault."""

    @property
    def share(self) -> float:
        """Points per deal group, 0 to 1; 0 before the first."""
        return self.points / self.groups if self.groups else 0.0


@dataclass(frozen=True, slots=True)
class Cell:
    """What one entrant did against one other."""

    points: float
    """Summed over deal groups: the share of matches ahead of the other (a tie is half)."""

    groups: int
    """Deal groups in which both played."""

    difference: float
    """Own score less the other's, summed over a group's matches, mean over the groups."""


TIE_BREAKS: dict[str, Callable[[Row], float]] = {
    "difference": lambda row: row.difference,
    "wins": lambda row: row.won,
}
"""What parts entrants with equal points, by name: more is better."""


@dataclass(slots=True)
class _Tally:
    points: float = 0.0
    groups: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    matches: int = 0
    faults: int = 0
    differences: list[float] = field(default_factory=list)


def standings(
    entrants: Sequence[Entrant],
    groups: Iterable[Sequence[MatchResult]],
    tie_breaks: Sequence[str] = ("difference", "wins"),
) -> list[Row]:
    """The standings: best first, a row for every entrant, also those who have not played.

    `groups` holds the finished matches of each deal group; groups without any are skipped. Order:
    points, then the tie-breaks one after another; what is equal in all of them shares a place and
    stands in the order of `entrants`.

    Raises ValueError for a result of somebody who is not among `entrants`, and for an unknown
    tie-break.
    """
    if unknown := [name for name in tie_breaks if name not in TIE_BREAKS]:
        known = ", ".join(TIE_BREAKS)
        raise ValueError(f"There is no tie-break {unknown[0]}; there are: {known}.")
    tallies = {entrant: _Tally() for entrant in entrants}
    for matches in groups:
        if matches:
            _count(tallies, group_score(matches))
    rows = [_row(entrant, tally) for entrant, tally in tallies.items()]
    order = {row.entrant: _order(row, tie_breaks) for row in rows}
    rows.sort(key=lambda row: order[row.entrant])
    keys = [order[row.entrant] for row in rows]
    return [replace(row, place=1 + keys.index(key)) for row, key in zip(rows, keys, strict=True)]


def cross_table(
    entrants: Sequence[Entrant], groups: Iterable[Sequence[MatchResult]]
) -> dict[Entrant, dict[Entrant, Cell]]:
    """Who did what against whom: `table[a][b]` for every pair that has met.

    With more than two sides each match is read as a comparison of every pair of its sides. Rows
    and columns come in the order of `entrants`; sort by the standings before showing.
    """
    sums: dict[tuple[Entrant, Entrant], list[tuple[float, float]]] = {}
    for matches in groups:
        if not matches:
            continue
        for one, other in combinations(matches[0].entrants, 2):
            ahead, behind, margin = _compare(matches, one, other)
            for a, b in product(members(one), members(other)):
                sums.setdefault((a, b), []).append((ahead, margin))
                sums.setdefault((b, a), []).append((behind, -margin))
    return {a: {b: _cell(sums[a, b]) for b in entrants if (a, b) in sums} for a in entrants}


def _compare(matches: Sequence[MatchResult], a: Side, b: Side) -> tuple[float, float, float]:
    """Over a group: the shares of matches that a and b won against each other, and a's margin."""
    ahead = margin = 0.0
    for match in matches:
        ranks = final_ranks(match.ranks, match.faults)
        i, j = match.entrants.index(a), match.entrants.index(b)
        ahead += (ranks[i] < ranks[j]) + (ranks[i] == ranks[j]) / 2
        margin += _margin(match, i, j)
    return ahead / len(matches), 1 - ahead / len(matches), margin


def _margin(match: MatchResult, i: int, j: int) -> float:
    """Score of side i less that of side j; never in favour of the one that made a fault."""
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


def _count(tallies: dict[Entrant, _Tally], score: GroupScore) -> None:
    leaders = score.ranks.count(1)
    for index, side in enumerate(score.entrants):
        first = score.ranks[index] == 1
        for entrant in members(side):
            if entrant not in tallies:
                raise ValueError(f"There is a result of {entrant!r}, who has not entered.")
            tally = tallies[entrant]
            tally.points += score.points[index]
            tally.groups += 1
            tally.won += first and leaders == 1
            tally.drawn += first and leaders > 1
            tally.lost += not first
            tally.matches += score.matches
            tally.faults += score.faults[index]
            tally.differences.append(score.differences[index])


def _row(entrant: Entrant, tally: _Tally) -> Row:
    # Sorted before summing: the same results in another order must not part equals in the last bit.
    difference = sum(sorted(tally.differences)) / max(tally.groups, 1)
    return Row(
        place=0,
        entrant=entrant,
        points=round(tally.points, 6),
        groups=tally.groups,
        won=tally.won,
        drawn=tally.drawn,
        lost=tally.lost,
        matches=tally.matches,
        difference=round(difference, 6),
        faults=tally.faults,
    )


def _order(row: Row, tie_breaks: Sequence[str]) -> tuple[float, ...]:
    return (-row.points, *(-TIE_BREAKS[name](row) for name in tie_breaks))
