"""The course of a tournament: who plays in which stage and division, and the outcome. Pure.

It is a function of what was decided (`Conditions`) and of the deal groups with their results. The
site reads these from its database, a tournament at home keeps them while it plays, an archive has
them in a file; a forecast draws them. The rules stand here once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from typing import TypeVar

from tournaments.course.divisions import (
    Conditions,
    Group,
    Slot,
    division_rows,
    merged,
    state_of,
    upcoming,
)
from tournaments.course.stages import Plan, divide, qualified
from tournaments.deal_groups import Entrant, members
from tournaments.pairing import Pairing, State, System, next_step
from tournaments.standings import Row
from tournaments.standings import standings as standings_by_points

T = TypeVar("T")
D = TypeVar("D")


@dataclass(frozen=True)
class Division:
    """A part of a stage whose entrants meet among themselves."""

    conditions: Conditions
    stage: int
    """Its number, from 1."""

    number: int
    """In the stage, from 1."""

    entrants: tuple[Entrant, ...]
    """In the order of their seeds."""

    groups: tuple[Group, ...]
    state: State
    """The division as its pairing system sees it."""

    @property
    def plan(self) -> Plan:
        """How its stage is played."""
        return self.conditions.plans[self.stage - 1]

    @property
    def system(self) -> System:
        """The pairing system of its stage."""
        return self.plan.pairing

    @cached_property
    def rows(self) -> list[Row]:
        """The standings of the division, best first."""
        breaks = self.conditions.tie_breaks
        rows = division_rows(self.system, self.state, self.entrants, self.groups, breaks)
        return [replace(row, stage=self.stage) for row in rows]

    @property
    def settled(self) -> bool:
        """Whether all its deal groups are between entrants that play in it."""
        here = set(self.entrants)
        sides = (side for group in self.groups for side in group.sides)
        return all(here.issuperset(members(side)) for side in sides)

    def upcoming(self) -> list[tuple[Slot, Pairing]]:
        """The deal groups to play next, each with its entrants; none when it is complete.

        ValueError where the system refuses the state.
        """
        return upcoming(next_step(self.system, self.state), self.state, self.groups)

    def __str__(self) -> str:
        words = f"stage {self.stage}"
        return f"{words}, division {self.number}" if self.plan.divisions > 1 else words


def course(conditions: Conditions, groups: Iterable[Group]) -> Iterator[list[Division]]:
    """The divisions of each stage in turn, with what has been paired and played so far.

    `groups`: those that count. Ask for the next stage only when the one before is complete: who
    plays it follows from its standings as they are.
    """
    by_place: dict[tuple[int, int], list[Group]] = {}
    for group in groups:
        by_place.setdefault((group.stage, group.division), []).append(group)

    def division(stage: int, number: int, entrants: list[Entrant]) -> Division:
        here = tuple(by_place.get((stage, number), ()))
        return division_of(conditions, (stage, number), entrants, here)

    def ranking(division: Division) -> list[Entrant]:
        ranked = [row.entrant for row in division.rows]
        return [entrant for entrant in ranked if not _left_in(conditions, entrant, division.stage)]

    return stages(conditions.plans, conditions.entrants, division, ranking)


def _left_in(conditions: Conditions, entrant: Entrant, stage: int) -> bool:
    """Whether an entrant left before the stage after this one was paired."""
    left = conditions.left.get(entrant)
    return left is not None and left[0] <= stage


def division_of(
    conditions: Conditions,
    place: tuple[int, int],
    entrants: Sequence[Entrant],
    groups: Sequence[Group],
) -> Division:
    """A division made from its deal groups; `place`: the numbers of its stage and its own."""
    stage, number = place
    state = state_of(conditions, conditions.plans[stage - 1], place, entrants, groups)
    return Division(conditions, stage, number, tuple(entrants), tuple(groups), state)


def stages(
    plans: Sequence[Plan],
    entrants: Sequence[T],
    division: Callable[[int, int, list[T]], D],
    ranking: Callable[[D], Sequence[T]],
) -> Iterator[list[D]]:
    """The rule of who plays where: the divisions of each stage, made by `division`.

    `division` gets the numbers of stage and division, and its entrants in the order of their seeds;
    `ranking` lists its entrants, best first, without the ones that left; it is called when the next
    stage is requested.
    """
    playing = list(entrants)
    before: list[D] = []
    for number, plan in enumerate(plans, 1):
        if before:
            playing = qualified([ranking(each) for each in before], plan.take or len(playing))
        divided = divide(playing, plan.divisions)
        before = [division(number, n, part) for n, part in enumerate(divided, 1)]
        yield before


def begun(course: Iterable[list[Division]]) -> list[list[Division]]:
    """The stages of a course that have been paired.

    Where a result of an earlier stage was taken back, others may go on from it: then a stage is
    undecided until it is paired again, and what was played of it is left out.
    """
    return list(takewhile(_paired, course))


def _paired(stage: Sequence[Division]) -> bool:
    return any(each.groups for each in stage) and all(each.settled for each in stage)


def standings(conditions: Conditions, begun: Sequence[Sequence[Division]]) -> list[Row]:
    """The standings of a tournament from the stages that have been paired, best first.

    Entries that play a later stage stand before all that do not; divisions stand beside each other.
    Before the first round everybody shares the first place, in the order of their numbers.
    """
    if not begun:
        entrants = sorted(conditions.entrants)
        return standings_by_points(entrants, (), conditions.tie_breaks)
    return merged([[division.rows for division in stage] for stage in begun])
