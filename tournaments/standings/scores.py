"""Sum each entrant's points, and collect its results against each opponent. Tie-breaks use both."""

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
    """Deal groups that each pairing of a missed round has."""

    @property
    def score(self) -> float:
        """The part of a full win that one bye gave, 0 to 1."""
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
    """Points of the virtual opponent, which replaces the missing opponent of a round."""

    shares: dict[Hashable, dict[Entrant, list[float]]] = field(default_factory=dict)
    """`shares[meeting][opponent]` lists, for each deal group, the share of its matches in which the
    entrant ranked ahead of the opponent; a tie counts half. A meeting is one pairing."""

    @property
    def bye_points(self) -> float:
        """Points for byes."""
        return self.sit_outs.points if self.sit_outs is not None else 0.0

    @property
    def void_group_points(self) -> float:
        """Points for each void deal group."""
        return void_share(stable_sum(self.group_points), self.groups)

    @property
    def void_points(self) -> float:
        """Points for all void deal groups."""
        return self.void.groups * self.void_group_points

    @property
    def won_with_void(self) -> float:
        """Deal groups won; void ones count as the mean of the others."""
        return self.won * (1 + self.void.groups / self.groups) if self.groups else 0.0

    @property
    def max_points(self) -> float:
        """The maximum possible points so far."""
        sat_out = self.sit_outs.rounds * self.sit_outs.groups if self.sit_outs is not None else 0
        return self.groups + self.void.groups + sat_out

    @property
    def virtual_scores(self) -> list[float]:
        """For each round without an opponent: the score against the virtual opponent, 0 to 1."""
        sat_out = self.sit_outs
        byes = [sat_out.score] * sat_out.rounds if sat_out is not None else []
        return byes + [self.void_group_points] * self.void.pairings

    @property
    def difference(self) -> float:
        """Mean score difference per deal group."""
        return round(stable_sum(self.differences) / max(self.groups, 1), 6)

    def against(self, other: Entrant) -> float | None:
        """The mean share of matches won against another entrant, over all their deal groups.

        None if they have not met.
        """
        shares = [
            share
            for shares_by_opponent in self.shares.values()
            for share in shares_by_opponent.get(other, ())
        ]
        return stable_sum(shares) / len(shares) if shares else None


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
    """The sums of every entrant; see `ranking.standings` for the arguments.

    `needs_shares`: whether to fill `shares`, which takes most of the time.
    """
    score_sums = {entrant: ScoreSums() for entrant in entrants}
    for index, matches in enumerate(groups):
        if matches:
            _add_group(score_sums, group_score(matches))
        if matches and needs_shares:
            key = frozenset(matches[0].entrants) if meetings is None else meetings[index]
            _add_shares(score_sums, matches, key)
    for entrant, sit_outs_of_entrant in sit_outs.items():
        score_sums[entrant].sit_outs = sit_outs_of_entrant
    for entrant, void_counts in void.items():
        score_sums[entrant].void = void_counts
    for total in score_sums.values():
        total.points = round(
            stable_sum(total.group_points) + total.bye_points + total.void_points, 6
        )
        total.virtual = total.points
        if scoring > 1:
            total.virtual = virtual_points(total.points, total.max_points)
    return score_sums


def stable_sum(values: Iterable[float]) -> float:
    """The sum in a fixed order, so that the same values always give the same last bit."""
    return sum(sorted(values))


def _add_group(score_sums: dict[Entrant, ScoreSums], score: GroupScore) -> None:
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


def _add_shares(
    score_sums: dict[Entrant, ScoreSums], matches: Sequence[MatchResult], meeting: Hashable
) -> None:
    """Add the shares of each pair of sides."""
    for first, second in combinations(matches[0].entrants, 2):
        ahead, behind, _ = compare(matches, first, second)
        for entrant, other in product(members(first), members(second)):
            score_sums[entrant].shares.setdefault(meeting, {}).setdefault(other, []).append(ahead)
            score_sums[other].shares.setdefault(meeting, {}).setdefault(entrant, []).append(behind)
