"""Sums of each entrant's points and results by opponent: the input of the tie-breaks."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

from tournaments.deal_groups import (
    Entrant,
    GroupScore,
    MatchResult,
    group_score,
    members,
)
from tournaments.standings.cross_table import compare
from tournaments.unplayed import SCORING, virtual_points, void_share


@dataclass(frozen=True, slots=True)
class SitOuts:
    """The byes of an entrant."""

    rounds: int
    points: float
    """Points for all of them together."""

    groups: int
    """Deal groups of each pairing of such a round."""

    @property
    def share(self) -> float:
        """The share of a full win that one bye gave, 0 to 1."""
        return self.points / (self.rounds * self.groups)


@dataclass(frozen=True, slots=True)
class VoidCounts:
    """The number of an entrant's void deal groups."""

    groups: int

    pairings: int
    """Pairings whose deal groups are all void."""


NOTHING_VOID = VoidCounts(0, 0)


@dataclass(slots=True)
class ScoreSums:
    """One entrant's sums."""

    group_points: list[float] = field(default_factory=list)
    """Points of each deal group."""

    groups: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    matches: int = 0
    faults: int = 0
    differences: list[float] = field(default_factory=list)
    sit_outs: SitOuts | None = None
    void: VoidCounts = NOTHING_VOID
    points: float = 0.0
    """Total for deal groups, void groups and byes; set when all have been counted."""

    virtual: float = 0.0
    """Points of the virtual opponent in a round without one."""

    shares: dict[Hashable, dict[Entrant, list[float]]] = field(default_factory=dict)
    """By meeting and opponent: for each deal group the share of matches ahead of that opponent."""

    @property
    def byes(self) -> float:
        """Points for byes."""
        return self.sit_outs.points if self.sit_outs is not None else 0.0

    @property
    def void_share(self) -> float:
        """Points of each void deal group."""
        return void_share(exact_sum(self.group_points), self.groups)

    @property
    def for_void(self) -> float:
        """Points for all void deal groups."""
        return self.void.groups * self.void_share

    @property
    def wins(self) -> float:
        """Deal groups won; void ones count as the mean of the others."""
        return self.won * (1 + self.void.groups / self.groups) if self.groups else 0.0

    @property
    def max_points(self) -> float:
        """The maximum possible points so far."""
        sat_out = self.sit_outs.rounds * self.sit_outs.groups if self.sit_outs is not None else 0
        return self.groups + self.void.groups + sat_out

    @property
    def virtual_scores(self) -> list[float]:
        """The score, 0 to 1, against the virtual opponent, of each round without an opponent."""
        sat_out = self.sit_outs
        byes = [sat_out.share] * sat_out.rounds if sat_out is not None else []
        return byes + [self.void_share] * self.void.pairings

    @property
    def difference(self) -> float:
        """Mean score difference per deal group."""
        return round(exact_sum(self.differences) / max(self.groups, 1), 6)

    def against(self, other: Entrant) -> float | None:
        """The share won against another over all deal groups; None if they have not met."""
        shares = [
            share
            for shares_by_opponent in self.shares.values()
            for share in shares_by_opponent.get(other, ())
        ]
        return exact_sum(shares) / len(shares) if shares else None


def sum_scores(
    entrants: Sequence[Entrant],
    groups: Iterable[Sequence[MatchResult]],
    meetings: Sequence[Hashable] | None,
    sit_outs: Mapping[Entrant, SitOuts],
    void: Mapping[Entrant, VoidCounts],
    *,
    needs_shares: bool,
    scoring: int = SCORING,
) -> dict[Entrant, ScoreSums]:
    """The sums of every entrant; see `standings` for the arguments.

    `needs_shares`: whether to fill `shares`, which takes most of the time.
    """
    score_sums = {entrant: ScoreSums() for entrant in entrants}
    for index, matches in enumerate(groups):
        if matches:
            _count(score_sums, group_score(matches))
        if matches and needs_shares:
            key = frozenset(matches[0].entrants) if meetings is None else meetings[index]
            _compare(score_sums, matches, key)
    for entrant, sit_outs_of_entrant in sit_outs.items():
        score_sums[entrant].sit_outs = sit_outs_of_entrant
    for entrant, void_counts in void.items():
        score_sums[entrant].void = void_counts
    for total in score_sums.values():
        total.points = round(exact_sum(total.group_points) + total.byes + total.for_void, 6)
        total.virtual = total.points
        if scoring > 1:
            total.virtual = virtual_points(total.points, total.max_points)
    return score_sums


def exact_sum(values: Iterable[float]) -> float:
    """The sum in a fixed order: the same values always give the same last bit."""
    return sum(sorted(values))


def _count(score_sums: dict[Entrant, ScoreSums], score: GroupScore) -> None:
    leaders = score.ranks.count(1)
    for index, side in enumerate(score.entrants):
        first = score.ranks[index] == 1
        for entrant in members(side):
            if entrant not in score_sums:
                raise ValueError(f"There is a result of {entrant!r}, who has not entered.")
            total = score_sums[entrant]
            total.group_points.append(score.points[index])
            total.groups += 1
            total.won += first and leaders == 1
            total.drawn += first and leaders > 1
            total.lost += not first
            total.matches += score.matches
            total.faults += score.fault_counts[index]
            total.differences.append(score.differences[index])


def _compare(
    score_sums: dict[Entrant, ScoreSums], matches: Sequence[MatchResult], meeting: Hashable
) -> None:
    """Add the shares of each pair of sides."""
    for first, second in combinations(matches[0].entrants, 2):
        ahead, behind, _ = compare(matches, first, second)
        for entrant, other in product(members(first), members(second)):
            score_sums[entrant].shares.setdefault(meeting, {}).setdefault(other, []).append(ahead)
            score_sums[other].shares.setdefault(meeting, {}).setdefault(entrant, []).append(behind)
