"""Simulate a pairing system without cards, for forecasts and tests.

Results are drawn from ratings by the model of the fits (`ratings.fit`): Plackett–Luce, where a side
is as strong as the mean of its members. Each side draws an exponentially distributed time, with a
higher rate for a stronger side; the order of the times is the ranking (Luce 1959). For two sides
the model is Bradley–Terry.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

from tournaments.deal_groups import match_points
from tournaments.pairing import Meeting, Pairing, State, System
from tournaments.ratings.elo import SCALE, expected

Outcome: TypeAlias = Callable[[Sequence[Pairing]], "SimulatedGroup"]
"""A function that draws the result of one deal group, from the entrants of each side."""

MAX_STEPS = 10_000
"""Steps after which a simulation is considered endless."""


@dataclass(frozen=True, slots=True)
class SimulatedGroup:
    """The drawn result of a deal group, by side."""

    points: tuple[float, ...]
    """Mean match points, 0 to 1."""

    differences: tuple[float, ...]
    """Points above the mean of all sides, times `SCALE`; they stand for score differences."""


@dataclass(frozen=True, slots=True)
class ByRatings:
    """An `Outcome` that draws results from ratings; a group has as many matches as sides."""

    ratings: Sequence[float]
    """Elo points."""

    rng: Random

    def __call__(self, sides: Sequence[Pairing]) -> SimulatedGroup:
        return self.sum_of_groups(sides, 1)

    def sum_of_groups(self, sides: Sequence[Pairing], groups: int) -> SimulatedGroup:
        """The sums of several deal groups of a pairing; faster than one call for each."""
        strengths = [sum(self.ratings[i] for i in side) / len(side) for side in sides]
        if len(strengths) == 2:
            return _draw_two_sides(expected(*strengths), groups, self.rng)
        return _draw_more_sides(strengths, groups, self.rng)


def play_out(
    system: System, state: State, outcome: Outcome, *, max_rounds: int | None = None
) -> State:
    """Simulate to the end, or up to `max_rounds` rounds; return the state with all results.

    ValueError if the system rejects the state, or never ends.
    """
    for _ in range(MAX_STEPS):
        if max_rounds is not None and len(state.rounds) >= max_rounds:
            return state
        step = system.pair(state)
        if step.more:
            state = _add_groups(state, step.more, outcome)
        elif step.rounds:
            new_rounds = tuple(
                tuple(_play(state, pairing, outcome) for pairing in round_)
                for round_ in step.rounds
            )
            state = replace(state, rounds=state.rounds + new_rounds)
        else:
            return state
    raise ValueError(f"A {system.title} of {state.entrants} entrants never ends.")


def _play(state: State, pairing: Pairing, outcome: Outcome) -> Meeting:
    return _extend(state, Meeting(pairing), outcome, state.groups)


def _add_groups(state: State, indices: Sequence[int], outcome: Outcome) -> State:
    last = list(state.rounds[-1])
    for index in indices:
        last[index] = _extend(state, last[index], outcome, 1)
    return replace(state, rounds=(*state.rounds[:-1], tuple(last)))


def _extend(state: State, meeting: Meeting, outcome: Outcome, groups: int) -> Meeting:
    """The meeting with `groups` more deal groups."""
    sides = state.teams(meeting.entrants)
    points = meeting.points or (0.0,) * len(sides)
    differences = meeting.differences or (0.0,) * len(sides)
    if isinstance(outcome, ByRatings):
        results = [outcome.sum_of_groups(sides, groups)]
    else:
        results = [outcome(sides) for _ in range(groups)]
    for result in results:
        points = _sum(points, result.points)
        differences = _sum(differences, result.differences)
    return Meeting(meeting.entrants, points, differences, meeting.groups + groups)


def _sum(a: Sequence[float], b: Sequence[float]) -> tuple[float, ...]:
    return tuple([round(x + y, 9) for x, y in zip(a, b, strict=True)])


def _draw_two_sides(chance: float, groups: int, rng: Random) -> SimulatedGroup:
    """The sums of `groups` groups. `chance`: the probability that the first side wins a match."""
    draw = rng.random
    first = sum([draw() < chance for _ in range(2 * groups)]) / 2
    margin = (first - groups / 2) * SCALE
    return SimulatedGroup((first, groups - first), (margin, -margin))


def _draw_more_sides(strengths: Sequence[float], groups: int, rng: Random) -> SimulatedGroup:
    """The sums of `groups` groups. Each match is drawn separately."""
    count = len(strengths)
    points = [0.0] * count
    speeds = [10 ** (strength / SCALE) for strength in _centred(strengths)]
    for _ in range(groups * count):
        times = [rng.expovariate(1.0) / speed for speed in speeds]
        ranks = [1 + sum([other < time for other in times]) for time in times]
        for side, share in enumerate(match_points(ranks)):
            points[side] += share / count
    mean = sum(points) / count
    return SimulatedGroup(
        tuple(round(side_points, 9) for side_points in points),
        tuple(round((side_points - mean) * SCALE, 9) for side_points in points),
    )


def _centred(strengths: Sequence[float]) -> list[float]:
    """The strengths minus their mean, so that no power overflows."""
    mean = sum(strengths) / len(strengths)
    return [strength - mean for strength in strengths]
