"""Playing a pairing system through without cards: for forecasts before a tournament, and for tests.

Who beats whom is drawn from ratings by the model of the fits (`ratings.fit`): Plackett–Luce, a side
as strong as the mean of its members. A draw is the arrival order of exponential clocks, the faster
the stronger (Luce 1959), so that two sides give Bradley–Terry.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

from tournaments.deal_groups import match_points
from tournaments.pairing import Meeting, Pairing, State, System
from tournaments.ratings.elo import SCALE, expected

Outcome: TypeAlias = Callable[[Sequence[Pairing]], "Drawn"]
"""The sides of a pairing, each with its entrants → the outcome of one deal group."""

MAX_STEPS = 10_000
"""Steps of a system after which a simulation is given up: it would never end."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One deal group that was drawn."""

    points: tuple[float, ...]
    """Of each side, 0 to 1: the mean of its match points."""

    differences: tuple[float, ...]
    """Of each side: the strength of its play above the others' mean, in Elo points."""


@dataclass(frozen=True, slots=True)
class ByRatings:
    """An `Outcome`: deal groups between entrants of known strengths, a match per side each."""

    ratings: Sequence[float]
    """Elo points."""

    rng: Random

    def __call__(self, sides: Sequence[Pairing]) -> Drawn:
        """One deal group."""
        return self.several(sides, 1)

    def several(self, sides: Sequence[Pairing], groups: int) -> Drawn:
        """The sums of several deal groups of one pairing: quicker than one after another."""
        strengths = [sum(self.ratings[i] for i in side) / len(side) for side in sides]
        if len(strengths) == 2:
            return _two_sides(expected(*strengths), groups, self.rng)
        return _more_sides(strengths, groups, self.rng)


def by_ratings(ratings: Sequence[float], rng: Random) -> ByRatings:
    """Deal groups between entrants of these ratings (Elo points)."""
    return ByRatings(ratings, rng)


def play_out(
    system: System, state: State, outcome: Outcome, *, max_rounds: int | None = None
) -> State:
    """Play to the end, or to `max_rounds` (endless systems need it); the state with all results.

    ValueError where the system refuses the state, and where it never ends.
    """
    for _ in range(MAX_STEPS):
        if max_rounds is not None and len(state.rounds) >= max_rounds:
            return state
        step = system.pair(state)
        if step.more:
            state = _with_more(state, step.more, outcome)
        elif step.rounds:
            played = tuple(
                tuple(_play(state, pairing, outcome) for pairing in round_)
                for round_ in step.rounds
            )
            state = replace(state, rounds=state.rounds + played)
        else:
            return state
    raise ValueError(f"A {system.title} of {state.entrants} entrants never ends.")


def _play(state: State, pairing: Pairing, outcome: Outcome) -> Meeting:
    return _further(state, Meeting(pairing), outcome, state.groups)


def _with_more(state: State, indices: Sequence[int], outcome: Outcome) -> State:
    last = list(state.rounds[-1])
    for index in indices:
        last[index] = _further(state, last[index], outcome, 1)
    return replace(state, rounds=(*state.rounds[:-1], tuple(last)))


def _further(state: State, meeting: Meeting, outcome: Outcome, groups: int) -> Meeting:
    """The meeting with so many more deal groups."""
    sides = state.teams(meeting.entrants)
    points = meeting.points or (0.0,) * len(sides)
    differences = meeting.differences or (0.0,) * len(sides)
    if isinstance(outcome, ByRatings):
        all_drawn = [outcome.several(sides, groups)]
    else:
        all_drawn = [outcome(sides) for _ in range(groups)]
    for drawn in all_drawn:
        points = _sum(points, drawn.points)
        differences = _sum(differences, drawn.differences)
    return Meeting(meeting.entrants, points, differences, meeting.groups + groups)


def _sum(a: Sequence[float], b: Sequence[float]) -> tuple[float, ...]:
    return tuple([round(x + y, 9) for x, y in zip(a, b, strict=True)])


def _two_sides(chance: float, groups: int, rng: Random) -> Drawn:
    """`chance`: of the first side to win a match."""
    draw = rng.random
    first = sum([draw() < chance for _ in range(2 * groups)]) / 2
    margin = (first - groups / 2) * SCALE
    return Drawn((first, groups - first), (margin, -margin))


def _more_sides(strengths: Sequence[float], groups: int, rng: Random) -> Drawn:
    """As many matches as there are sides, each drawn separately."""
    n = len(strengths)
    points = [0.0] * n
    speeds = [10 ** (strength / SCALE) for strength in _centred(strengths)]
    for _ in range(groups * n):
        times = [rng.expovariate(1.0) / speed for speed in speeds]
        ranks = [1 + sum([other < time for other in times]) for time in times]
        for side, share in enumerate(match_points(ranks)):
            points[side] += share / n
    mean = sum(points) / n
    return Drawn(
        tuple(round(p, 9) for p in points), tuple(round((p - mean) * SCALE, 9) for p in points)
    )


def _centred(strengths: Sequence[float]) -> list[float]:
    """Around zero, so that no power overflows."""
    mean = sum(strengths) / len(strengths)
    return [strength - mean for strength in strengths]
