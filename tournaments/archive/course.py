"""A tournament's course out of its deal groups: as on the site, without its database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tournaments.archive.shapes import Fixture, Head
from tournaments.course.divisions import Group, division_rows, listed, merged, rotated, state_of
from tournaments.course.stages import Plan, divide, qualified
from tournaments.deal_groups import Entrant, MatchResult
from tournaments.pairing import State
from tournaments.standings import Row, standings


@dataclass(frozen=True, slots=True)
class Part:
    """A division of a stage."""

    stage: int
    number: int
    plan: Plan
    entrants: tuple[Entrant, ...]
    groups: tuple[Group, ...]
    state: State
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        words = f"stage {self.stage}"
        return f"{words}, division {self.number}" if self.plan.divisions > 1 else words


class Course:
    """Who plays in which stage and division, and what came of it.

    Not for endless systems: they rank by ratings, which other tournaments move as well.
    """

    def __init__(self, head: Head, groups: Sequence[Group]) -> None:
        self.head = head
        self.groups = groups
        self.stages = list(self._stages())

    def _stages(self) -> Iterator[list[Part]]:
        """The stages that have been paired, and the first in any case."""
        entrants: list[Entrant] = [entry.number for entry in self.head.entries]
        before: list[Part] = []
        for number, plan in enumerate(self.head.stages, 1):
            here = [group for group in self.groups if group.stage == number]
            if before and not here:
                return
            if before:
                ranked = [[row.entrant for row in part.rows] for part in before]
                entrants = qualified(ranked, plan.take or len(entrants))
            before = [
                self._part(number, n, plan, part, here)
                for n, part in enumerate(divide(entrants, plan.divisions), 1)
            ]
            yield before

    def _part(
        self, stage: int, number: int, plan: Plan, entrants: list[Entrant], groups: list[Group]
    ) -> Part:
        here = tuple(group for group in groups if group.division == number)
        state = state_of(self.head.setup, plan, (stage, number), entrants, here)
        rows = division_rows(plan.pairing, state, entrants, here, self.head.tie_breaks)
        return Part(stage, number, plan, tuple(entrants), here, state, tuple(rows))

    @property
    def parts(self) -> list[Part]:
        """The divisions of all stages."""
        return [part for parts in self.stages for part in parts]

    def standings(self) -> list[Row]:
        """The standings of the tournament, best first."""
        if not self.groups:
            entrants = sorted(entry.number for entry in self.head.entries)
            return standings(entrants, (), self.head.tie_breaks)
        return merged([[part.rows for part in parts] for parts in self.stages])


def group_of(fixture: Fixture) -> Group:
    """A deal group as the pairing systems count it."""
    return Group(
        fixture.stage,
        fixture.division,
        fixture.round,
        fixture.pairing,
        listed(fixture.sides, fixture.group),
        results_of(fixture),
        fixture.open,
    )


def results_of(fixture: Fixture) -> tuple[MatchResult, ...]:
    """Its finished matches."""
    return tuple(
        rotated(fixture.sides, each.rotation, each.scores, each.ranks, each.faults)
        for each in fixture.matches
        if each.finished
    )
