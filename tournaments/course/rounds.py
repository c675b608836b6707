"""List the results of each round by pairing and entrant, and the standings one round ago. Pure.

A pairing of several deal groups is won, drawn or lost as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, TypeAlias

from tournaments.course.course import Division
from tournaments.course.divisions import PairedGroup, division_rows, merge_rows
from tournaments.deal_groups import Entrant, SideEntrants, group_score, members
from tournaments.standings import Row

Letter: TypeAlias = Literal["W", "D", "L", "V", ""]
"""Won, drawn, lost, void; empty: not played yet."""
LEVEL: Final = 1e-6
"""Points that differ by less are equal."""


class RoundNumber(NamedTuple):
    """A round of a tournament: its stage and its number in the stage, both from 1."""

    stage: int
    number: int

    def words(self, *, with_stage: bool) -> str:
        """For use in a sentence: `round 3`, or with several stages `round 3 of stage 2`."""
        words = f"round {self.number}"
        return f"{words} of stage {self.stage}" if with_stage else words

    def title(self, *, with_stage: bool) -> str:
        """For use as a title: `Round 3`, or `Stage 2, round 3`."""
        return f"Stage {self.stage}, round {self.number}" if with_stage else f"Round {self.number}"


@dataclass(frozen=True, slots=True)
class PairingResult:
    """The result of a pairing so far."""

    round: RoundNumber
    sides: tuple[SideEntrants, ...]
    points: tuple[float, ...]
    """Points of each side, summed over the deal groups."""
    groups: int
    """Deal groups with a finished match."""
    open: bool
    """Whether some of its matches are still to be played."""

    def letter(self, side: int) -> Letter:
        """The result of a side so far."""
        if not self.groups:
            return "" if self.open else "V"
        best = max(self.points)
        if self.points[side] < best - LEVEL:
            return "L"
        shared = sum(points > best - LEVEL for points in self.points) > 1
        return "D" if shared else "W"


def pairing_results(stages: Iterable[Iterable[Division]]) -> list[PairingResult]:
    """Every pairing of the stages, in the order of play."""
    results = []
    for divisions in stages:
        for division in divisions:
            slots: dict[tuple[int, int], list[PairedGroup]] = {}
            for group in division.groups:
                slots.setdefault((group.round, group.pairing), []).append(group)
            results += [_result(slots[slot]) for slot in sorted(slots)]
    return sorted(results, key=lambda result: result.round)


def _result(groups: Sequence[PairedGroup]) -> PairingResult:
    sides = groups[0].sides
    points = dict.fromkeys(sides, 0.0)
    scores = [group_score(group.matches) for group in groups if group.matches]
    for score in scores:
        for side, gained in zip(score.entrants, score.points, strict=True):
            points[side] += gained
    return PairingResult(
        RoundNumber(groups[0].stage, groups[0].round),
        sides,
        tuple(round(points[side], 9) for side in sides),
        len(scores),
        any(group.open for group in groups),
    )


@dataclass(frozen=True, slots=True)
class EntrantOutcome:
    """The result of a pairing for one entrant."""

    round: RoundNumber
    letter: Letter
    opponents: tuple[Entrant, ...]
    """The entrants of all other sides."""
    points: float
    best: float
    """The most points of another side."""
    open: bool
    partners: tuple[Entrant, ...] = ()
    """Its partners, if partners rotate."""


def outcomes(pairings: Iterable[PairingResult]) -> dict[Entrant, list[EntrantOutcome]]:
    """The outcomes of each entrant, in the order of play."""
    by_entrant: dict[Entrant, list[EntrantOutcome]] = {}
    for pairing in pairings:
        for index, side in enumerate(pairing.sides):
            others = [i for i in range(len(pairing.sides)) if i != index]
            outcome = EntrantOutcome(
                pairing.round,
                pairing.letter(index),
                tuple(entrant for i in others for entrant in members(pairing.sides[i])),
                pairing.points[index],
                max(pairing.points[i] for i in others),
                pairing.open,
            )
            team = members(side)
            for entrant in team:
                partners = tuple(other for other in team if other != entrant)
                by_entrant.setdefault(entrant, []).append(replace(outcome, partners=partners))
    return by_entrant


def rows_before_last_round(stages: Sequence[Sequence[Division]]) -> list[Row]:
    """The standings before the last round with a finished match; empty if it is the first round."""
    if not stages:
        return []
    *earlier, last = stages
    number = max(
        (group.round for division in last for group in division.groups if group.matches), default=1
    )
    rows = [[division.rows for division in divisions] for divisions in earlier]
    if number > 1:
        rows.append([_rows_before(division, number) for division in last])
    return merge_rows(rows)


def _rows_before(division: Division, number: int) -> list[Row]:
    state = replace(division.state, rounds=division.state.rounds[: number - 1])
    groups = [group for group in division.groups if group.round < number]
    tie_breaks = division.conditions.tie_breaks
    return division_rows(division.system, state, division.entrants, groups, tie_breaks)
