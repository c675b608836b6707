"""Compute the course of a tournament: the entrants of each division, and the standings. Pure.

The course is computed from the `Conditions` and the deal groups with their results. A site reads
these from its database, a tournament at home from memory, a verification from an archive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, takewhile
from typing import TypeVar

from tournaments.course.divisions import (
    Conditions,
    PairedGroup,
    Slot,
    division_rows,
    merge_rows,
    state_of,
    upcoming,
)
from tournaments.course.stages import StagePlan, divide, select_qualifiers
from tournaments.deal_groups import Entrant, members
from tournaments.pairing import Pairing, State, System, next_step, swiss
from tournaments.standings import Row
from tournaments.standings import standings as standings_by_points

T = TypeVar("T")
D = TypeVar("D")


@dataclass(frozen=True)
class Division:
    """A part of a stage, whose entrants meet only each other."""

    conditions: Conditions
    stage: int
    """The number of its stage, from 1."""

    number: int
    """Its number in the stage, from 1."""

    entrants: tuple[Entrant, ...]
    """In the order of their seeds."""

    groups: tuple[PairedGroup, ...]
    state: State
    """The state for its pairing system."""

    @property
    def plan(self) -> StagePlan:
        """The settings of its stage."""
        return self.conditions.plans[self.stage - 1]

    @property
    def system(self) -> System:
        """The pairing system of its stage."""
        return self.plan.pairing

    @cached_property
    def rows(self) -> list[Row]:
        """The standings of the division, best first."""
        tie_breaks = self.conditions.tie_breaks
        rows = division_rows(self.system, self.state, self.entrants, self.groups, tie_breaks)
        return [replace(row, stage=self.stage) for row in rows]

    @property
    def round_count(self) -> int:
        """The number of rounds; only a Swiss and a round robin have a number that is known."""
        if self.system is swiss.SYSTEM:
            return swiss.round_count(self.state)
        return len(self.system.pair(replace(self.state, rounds=())).rounds)

    @property
    def settled(self) -> bool:
        """Whether only its entrants play in its deal groups."""
        own_entrants = set(self.entrants)
        sides = (side for group in self.groups for side in group.sides)
        return all(own_entrants.issuperset(members(side)) for side in sides)

    def upcoming(self) -> list[tuple[Slot, Pairing]]:
        """The deal groups to play next, each with its entrants; empty if nothing can be paired now.

        ValueError if the system rejects the state.
        """
        return upcoming(next_step(self.system, self.state), self.state, self.groups)

    def __str__(self) -> str:
        text = f"stage {self.stage}"
        return f"{text}, division {self.number}" if self.plan.divisions > 1 else text


def course(conditions: Conditions, groups: Iterable[PairedGroup]) -> Iterator[list[Division]]:
    """The divisions of each stage in turn, with their deal groups so far.

    `groups`: the groups that count. The entrants of a stage follow from the standings of the stage
    before at the time of the request, so they are final only if that stage is complete.
    """
    groups_by_division: dict[tuple[int, int], list[PairedGroup]] = {}
    for group in groups:
        groups_by_division.setdefault((group.stage, group.division), []).append(group)

    def create_division(stage: int, number: int, entrants: list[Entrant]) -> Division:
        division_groups = tuple(groups_by_division.get((stage, number), ()))
        return division_of(conditions, (stage, number), entrants, division_groups)

    def rank(division: Division) -> list[Entrant]:
        ranked = [row.entrant for row in division.rows]
        return [
            entrant
            for entrant in ranked
            if not _left_before_next(conditions, entrant, division.stage)
        ]

    return stages(conditions.plans, conditions.entrants, create_division, rank)


def _left_before_next(conditions: Conditions, entrant: Entrant, stage: int) -> bool:
    """Whether an entrant left before the stage after `stage` was paired."""
    departure = conditions.departures.get(entrant)
    return departure is not None and departure[0] <= stage


def division_of(
    conditions: Conditions,
    place: tuple[int, int],
    entrants: Sequence[Entrant],
    groups: Sequence[PairedGroup],
) -> Division:
    """A division from its deal groups; `place`: (number of its stage, its own number)."""
    stage, number = place
    state = state_of(conditions, conditions.plans[stage - 1], place, entrants, groups)
    return Division(conditions, stage, number, tuple(entrants), tuple(groups), state)


def stages(
    plans: Sequence[StagePlan],
    entrants: Sequence[T],
    create_division: Callable[[int, int, list[T]], D],
    rank: Callable[[D], Sequence[T]],
) -> Iterator[list[D]]:
    """The divisions of each stage, created by `create_division` from their entrants.

    `create_division` gets the numbers of stage and division, and the entrants in the order of their
    seeds. `rank` lists a division's entrants, best first, without entrants that left; it is called
    when the next stage is requested.
    """
    playing = list(entrants)
    previous: list[D] = []
    for number, plan in enumerate(plans, 1):
        if previous:
            playing = select_qualifiers(
                [rank(part) for part in previous], plan.take or len(playing)
            )
        parts = divide(playing, plan.divisions)
        previous = [create_division(number, index, part) for index, part in enumerate(parts, 1)]
        yield previous


def first_groups_of_later_stages(
    course: Iterable[list[Division]],
) -> list[list[tuple[Slot, Pairing]]]:
    """The deal groups with which each division after the first stage would begin, if it had its
    present entrants; the number of entrants is known before the first result.

    ValueError if a pairing system rejects this number.
    """
    steps = []
    for division in (division for divisions in islice(course, 1, None) for division in divisions):
        try:
            steps.append(division.upcoming())
        except ValueError as error:
            raise ValueError(f"Stage {division.stage}: {error}") from error
    return steps


def begun_stages(course: Iterable[list[Division]]) -> list[list[Division]]:
    """The stages of a course that have been paired.

    If a result of an earlier stage was withdrawn, other entrants may advance. The later stage is
    then omitted until it is paired again.
    """
    return list(takewhile(_paired, course))


def _paired(stage: Sequence[Division]) -> bool:
    return any(division.groups for division in stage) and all(
        division.settled for division in stage
    )


def standings(conditions: Conditions, paired_stages: Sequence[Sequence[Division]]) -> list[Row]:
    """The standings of a tournament from the stages that have been paired, best first.

    Entries of a later stage rank above all others; divisions are merged place by place. Before the
    first round all entries share the first place, in the order of their numbers.
    """
    if not paired_stages:
        entrants = sorted(conditions.entrants)
        return standings_by_points(entrants, (), conditions.tie_breaks)
    return merge_rows([[division.rows for division in stage] for stage in paired_stages])
