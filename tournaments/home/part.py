"""A division of a stage at home: who is to meet in it, what came of it, its standings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tournaments.course.divisions import Group, Slot, division_rows, state_of, upcoming
from tournaments.course.stages import Plan
from tournaments.deal_groups import Entrant, MatchResult, Side
from tournaments.home.setup import PlannedMatch, Setup
from tournaments.pairing import Pairing, State, split
from tournaments.standings import Row


@dataclass(slots=True)
class Part:
    """A division of a stage as it is played."""

    setup: Setup
    stage: int
    number: int
    entrants: tuple[int, ...]
    """Numbers of entries, in the order of their seeds."""

    results: dict[Slot, list[MatchResult]] = field(default_factory=dict)
    """By deal group that was planned: its finished matches."""

    sides: dict[Slot, tuple[Side, ...]] = field(default_factory=dict)
    """By deal group that was planned: the sides, in the order of the pairing."""

    ratings: Mapping[Entrant, tuple[float, float]] = field(default_factory=dict)
    """Elo points and half the interval, where the system asks for them."""

    @property
    def plan(self) -> Plan:
        """How its stage is played."""
        return self.setup.plans[self.stage - 1]

    @property
    def names(self) -> list[str]:
        """Who plays in it, in the order of the seeds."""
        return [self.setup.names[i] for i in self.entrants]

    @property
    def groups(self) -> list[Group]:
        """Its deal groups so far."""
        return [
            Group(self.stage, self.number, key[0], key[1], self.sides[key], tuple(matches))
            for key, matches in self.results.items()
        ]

    @property
    def state(self) -> State:
        """As its pairing system sees it."""
        place = (self.stage, self.number)
        state = state_of(self.setup.common, self.plan, place, self.names, self.groups)
        rated = [self.ratings[name] for name in self.names if name in self.ratings]
        if len(rated) < len(self.names):
            return state
        return replace(
            state,
            ratings=tuple(rating for rating, _ in rated),
            errors=tuple(error for _, error in rated),
        )

    def rows(self) -> list[Row]:
        """Its standings, best first."""
        system, breaks = self.plan.pairing, self.setup.tie_breaks
        return division_rows(system, self.state, self.names, self.groups, breaks)

    def next(self) -> list[tuple[Slot, Pairing]]:
        """The deal groups to be played now, each with its entrants (places in the division)."""
        system, state = self.plan.pairing, self.state
        if system.endless and len(state.rounds) >= self.setup.max_rounds:
            return []
        found = upcoming(system.pair(state), state, self.groups)
        for key, entrants in found:
            self.results[key] = []
            self.sides[key] = tuple(self.setup.side(team) for team in self.teams(entrants))
        return found

    def take(self, plan: PlannedMatch, result: MatchResult) -> None:
        """The result of a match that was planned here."""
        self.results[plan.round, plan.pairing, plan.of_pairing].append(result)

    def teams(self, entrants: Pairing) -> list[Pairing]:
        """The entries (numbers) of each side of a pairing of places."""
        teams = split(entrants, self.setup.common.sizes)
        return [tuple(self.entrants[i] for i in team) for team in teams]
