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
from tournaments.ratings.elo import SCALE

Outcome: TypeAlias = Callable[[Sequence[Pairing]], "Drawn"]
"""The sides of a pairing, each with its entrants → what came of one deal group."""

MAX_STEPS = 10_000
"""Steps of a system after which a simulation is given up: it would never end."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One deal group that was drawn."""

    points: tuple[float, ...]
    """Of each side, 0 to 1: the mean of its match points."""

    differences: tuple[float, ...]
    """Of each side: the strength of its play above the others' mean, in Elo points."""


def by_ratings(ratings: Sequence[float], rng: Random) -> Outcome:
    """Deal groups between entrants of these ratings (Elo points), one match per side each."""

    def draw(sides: Sequence[Pairing]) -> Drawn:
        strengths = [sum(ratings[i] for i in side) / len(side) for side in sides]
        return _deal_group(strengths, rng)

    return draw


def play_out(
    system: System, state: State, outcome: Outcome, *, max_rounds: int | None = None
) -> State:
    """Play to the end, or to `max_rounds` (endless systems need it); the state with all results.

    ValueError where the system refuses the state, and where it comes to no end.
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
    raise ValueError(f"A {system.title} of {state.entrants} entrants comes to no end.")


def sides_of(state: State, pairing: Pairing) -> list[Pairing]:
    """The entrants of each side of a pairing."""
    return state.teams(pairing)


def _play(state: State, pairing: Pairing, outcome: Outcome) -> Meeting:
    meeting = Meeting(pairing)
    for _ in range(state.groups):
        meeting = _one_more(state, meeting, outcome)
    return meeting


def _with_more(state: State, indices: Sequence[int], outcome: Outcome) -> State:
    last = list(state.rounds[-1])
    for index in indices:
        last[index] = _one_more(state, last[index], outcome)
    return replace(state, rounds=(*state.rounds[:-1], tuple(last)))


def _one_more(state: State, meeting: Meeting, outcome: Outcome) -> Meeting:
    """The meeting with one deal group more."""
    sides = sides_of(state, meeting.entrants)
    drawn = outcome(sides)
    zero = (0.0,) * len(sides)
    return replace(
        meeting,
        points=_sum(meeting.points or zero, drawn.points),
        differences=_sum(meeting.differences or zero, drawn.differences),
        groups=meeting.groups + 1,
    )


def _sum(a: Sequence[float], b: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(x + y, 9) for x, y in zip(a, b, strict=True))


def _deal_group(strengths: Sequence[float], rng: Random) -> Drawn:
    """As many matches as there are sides, each drawn anew."""
    n = len(strengths)
    points = [0.0] * n
    speeds = [10 ** (strength / SCALE) for strength in _centred(strengths)]
    for _ in range(n):
        times = [rng.expovariate(1.0) / speed for speed in speeds]
        ranks = [1 + sum(other < time for other in times) for time in times]
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
