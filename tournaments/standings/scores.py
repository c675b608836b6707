"""Each entrant's points, and whom it met with what success: the input of the tie-breaks."""

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
    """The rounds in which an entrant met nobody and which count (byes)."""

    rounds: int
    points: float
    """Points for all of them together."""

    groups: int
    """Deal groups of each pairing of such a round."""

    @property
    def share(self) -> float:
        """The share of a full win that one of them gave, 0 to 1."""
        return self.points / (self.rounds * self.groups)


@dataclass(frozen=True, slots=True)
class Void:
    """What does not count of an entrant's pairings, and will not be played."""

    groups: int
    """Deal groups."""

    pairings: int
    """Pairings of which all deal groups are void: those meetings did not take place."""


NOTHING_VOID = Void(0, 0)


@dataclass(slots=True)
class Tally:
    """One entrant's sums."""

    gained: list[float] = field(default_factory=list)
    """Points of each deal group."""

    groups: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    matches: int = 0
    faults: int = 0
    differences: list[float] = field(default_factory=list)
    sit_outs: SitOuts | None = None
    void: Void = NOTHING_VOID
    points: float = 0.0
    """Of deal groups, also of void ones, and of byes, when all have been counted."""

    virtual: float = 0.0
    """Points of the opponent in a round without one."""

    shares: dict[Hashable, dict[Entrant, list[float]]] = field(default_factory=dict)
    """By meeting and opponent: in each deal group the share of matches ahead of that opponent."""

    @property
    def byes(self) -> float:
        """Points for rounds sat out."""
        return self.sit_outs.points if self.sit_outs is not None else 0.0

    @property
    def void_share(self) -> float:
        """Points for one void deal group."""
        return void_share(exact_sum(self.gained), self.groups)

    @property
    def for_void(self) -> float:
        """Points for all void deal groups."""
        return self.void.groups * self.void_share

    @property
    def wins(self) -> float:
        """Deal groups won; void ones count as the mean of those that count."""
        return self.won * (1 + self.void.groups / self.groups) if self.groups else 0.0

    @property
    def most(self) -> float:
        """The points that it could have by now."""
        sat_out = self.sit_outs.rounds * self.sit_outs.groups if self.sit_outs is not None else 0
        return self.groups + self.void.groups + sat_out

    @property
    def unmet(self) -> list[float]:
        """The success, 0 to 1, of each round without an opponent."""
        sat_out = self.sit_outs
        byes = [sat_out.share] * sat_out.rounds if sat_out is not None else []
        return byes + [self.void_share] * self.void.pairings

    @property
    def difference(self) -> float:
        """Mean score difference per deal group."""
        return round(exact_sum(self.differences) / max(self.groups, 1), 6)

    def against(self, other: Entrant) -> float | None:
        """The share won against one other, over all deal groups; None if they have not met."""
        shares = [share for met in self.shares.values() for share in met.get(other, ())]
        return exact_sum(shares) / len(shares) if shares else None


def tallied(
    entrants: Sequence[Entrant],
    groups: Iterable[Sequence[MatchResult]],
    meetings: Sequence[Hashable] | None,
    sit_outs: Mapping[Entrant, SitOuts],
    void: Mapping[Entrant, Void],
    *,
    opponents: bool,
    scoring: int = SCORING,
) -> dict[Entrant, Tally]:
    """The sums of every entrant; see `standings` for the arguments.

    `opponents`: whether to record who met whom, which takes most of the time.
    """
    tallies = {entrant: Tally() for entrant in entrants}
    for index, matches in enumerate(groups):
        if matches:
            _count(tallies, group_score(matches))
        if matches and opponents:
            key = frozenset(matches[0].entrants) if meetings is None else meetings[index]
            _compare(tallies, matches, key)
    for entrant, missed in sit_outs.items():
        tallies[entrant].sit_outs = missed
    for entrant, missing in void.items():
        tallies[entrant].void = missing
    for tally in tallies.values():
        tally.points = round(exact_sum(tally.gained) + tally.byes + tally.for_void, 6)
        tally.virtual = virtual_points(tally.points, tally.most) if scoring > 1 else tally.points
    return tallies


def exact_sum(values: Iterable[float]) -> float:
    """The sum in a fixed order, so that the same values always give the same last bit."""
    return sum(sorted(values))


def _count(tallies: dict[Entrant, Tally], score: GroupScore) -> None:
    leaders = score.ranks.count(1)
    for index, side in enumerate(score.entrants):
        first = score.ranks[index] == 1
        for entrant in members(side):
            if entrant not in tallies:
                raise ValueError(f"There is a result of {entrant!r}, who has not entered.")
            tally = tallies[entrant]
            tally.gained.append(score.points[index])
            tally.groups += 1
            tally.won += first and leaders == 1
            tally.drawn += first and leaders > 1
            tally.lost += not first
            tally.matches += score.matches
            tally.faults += score.faults[index]
            tally.differences.append(score.differences[index])


def _compare(
    tallies: dict[Entrant, Tally], matches: Sequence[MatchResult], meeting: Hashable
) -> None:
    """Note of each pair of sides who was ahead how often."""
    for one, other in combinations(matches[0].entrants, 2):
        ahead, behind, _ = compare(matches, one, other)
        for a, b in product(members(one), members(other)):
            tallies[a].shares.setdefault(meeting, {}).setdefault(b, []).append(ahead)
            tallies[b].shares.setdefault(meeting, {}).setdefault(a, []).append(behind)
