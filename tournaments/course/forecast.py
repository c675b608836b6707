"""What a tournament will be like, before it is played: its size, and how surely it finds the best.

The real pairing systems are played through many times with drawn results (`simulation`). Each time
any unknown strengths are drawn first, then every match from them; so the chances say how often the
best of such a field comes out first. Two things are simpler than in a real tournament: matches are
drawn independently of each other, while real ones of a deal group share their cards and tell a
little more; and a large Swiss is paired in a simpler way, with as many rounds. Pure: the same seed
gives the same forecast.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from random import Random
from statistics import fmean

from tournaments.course.course import stages
from tournaments.course.divisions import merged_places
from tournaments.course.simulation import by_ratings, play_out
from tournaments.course.stages import Plan, check_stages
from tournaments.pairing import Places, State, Step, System, swiss
from tournaments.pairing.history import byes
from tournaments.ratings.elo import START, Z95

RUNS = 200
"""How often the tournament is played through, unless that would take long."""
FEWEST_RUNS = 10
WORK = 80_000
"""Limit of all runs together, in meetings of two sides: one to two seconds."""
EXACT_SWISS = 8
"""Up to this many entrants, a Swiss is paired as a real one."""
SPREAD = 150.0
"""Standard deviation of strengths in Elo points, where nothing is known about the entrants."""
TOP = 3
"""The chance to be among the first so many is given as well."""


@dataclass(frozen=True, slots=True)
class Range:
    """A number that depends on results: its mean, and the range in which it stayed."""

    mean: float
    low: int
    high: int

    @classmethod
    def spanning(cls, values: Sequence[int]) -> "Range":
        """The numbers of all runs, summed up."""
        return cls(fmean(values), min(values), max(values))


@dataclass(frozen=True, slots=True)
class Field:
    """Who takes part, as far as is known."""

    ratings: tuple[float, ...]
    """Elo points expected of each; in the order of the seeds, if `seeded`."""

    errors: tuple[float, ...]
    """Standard deviation of each: 0 where the strength is known exactly."""

    seeded: bool = False
    """Whether the order is that of the seeds; otherwise it is drawn in each run."""

    @classmethod
    def unknown(cls, entrants: int, spread: float = SPREAD) -> "Field":
        """A field of so many about whom nothing is known."""
        return cls((START,) * entrants, (spread,) * entrants)


@dataclass(frozen=True, slots=True)
class Forecast:
    """The outcome of all runs."""

    entrants: int
    runs: int
    rounds: Range
    """Of all stages together; divisions run side by side."""

    groups: Range
    matches: Range
    best_wins: float
    """How often the strongest entrant came first, 0 to 1."""

    best_in_top: float
    """How often it was among the first `TOP`."""

    @property
    def error(self) -> float:
        """Half the 95 % interval of `best_wins`: more runs would make it smaller."""
        variance = max(self.best_wins * (1 - self.best_wins), 0.25 / self.runs)
        return Z95 * sqrt(variance / self.runs)

    def hours(self, seconds_each: float, workers: int) -> float:
        """Hours until all matches are played by so many workers that do nothing else."""
        return self.matches.mean * seconds_each / max(workers, 1) / 3600


@dataclass(frozen=True, slots=True)
class _Run:
    rounds: int
    groups: int
    work: float
    best_place: tuple[int, int]
    """Entrants before the strongest one, and how many share its place."""


@dataclass(frozen=True, slots=True)
class _Played:
    """A division that was played through."""

    places: list[tuple[int, int]]
    """Place and entrant, best first."""

    rounds: int
    groups: int
    work: float

    @property
    def order(self) -> list[int]:
        """Its entrants, best first."""
        return [entrant for _, entrant in self.places]


def forecast(
    plans: Sequence[Plan],
    sizes: Sequence[int],
    field: Field,
    *,
    seed: str = "forecast",
    runs: int = RUNS,
) -> Forecast:
    """Play the stages through `runs` times, fewer where a run is much work.

    `sizes`: entrants that each side of the table takes. ValueError where these entrants cannot play
    these stages, and for a system that has no end.
    """
    _check(plans, sizes, len(field.ratings))
    systems = [_prepared(plan.pairing) for plan in plans]
    played = [_run(plans, systems, sizes, field, f"{seed} 1")]
    wanted = min(runs, max(FEWEST_RUNS, int(WORK / played[0].work)))
    played += [
        _run(plans, systems, sizes, field, f"{seed} {number}") for number in range(2, wanted + 1)
    ]
    groups = [each.groups for each in played]
    return Forecast(
        entrants=len(field.ratings),
        runs=len(played),
        rounds=Range.spanning([each.rounds for each in played]),
        groups=Range.spanning(groups),
        matches=Range.spanning([group * len(sizes) for group in groups]),
        best_wins=fmean(_chance(each, 1) for each in played),
        best_in_top=fmean(_chance(each, TOP) for each in played),
    )


def with_groups(plans: Sequence[Plan], factor: int) -> list[Plan]:
    """The same stages with so many times as many deal groups in every pairing."""
    return [replace(plan, groups=plan.groups * factor) for plan in plans]


def _check(plans: Sequence[Plan], sizes: Sequence[int], entrants: int) -> None:
    check_stages(plans, len(sizes), rotating=max(sizes) > 1)
    for plan in plans:
        if plan.pairing.endless:
            raise ValueError(
                f"A {plan.pairing.title} goes on until it is ended: there is nothing to forecast."
            )
    if entrants < sum(sizes):
        raise ValueError(
            f"There must be {sum(sizes)} entrants or more at this table; there "
            f"{'is' if entrants == 1 else 'are'} {entrants or 'none'}."
        )


def _chance(run: _Run, places: int) -> float:
    """The chance that the strongest is among the first so many; equals share the places."""
    before, equals = run.best_place
    return min(max(places - before, 0) / equals, 1.0)


def _run(
    plans: Sequence[Plan], systems: Sequence[System], sizes: Sequence[int], field: Field, seed: str
) -> _Run:
    """Draw everybody's strength, then play all stages."""
    rng = Random(seed)
    strengths = [rng.gauss(*each) for each in zip(field.ratings, field.errors, strict=True)]
    entrants = list(range(len(strengths)))
    if not field.seeded:
        rng.shuffle(entrants)

    def played(stage: int, _: int, part: list[int]) -> _Played:
        return _play(plans[stage - 1], systems[stage - 1], sizes, part, strengths, rng)

    divisions = list(stages(plans, entrants, played, lambda each: each.order))
    best = max(range(len(strengths)), key=strengths.__getitem__)
    return _Run(
        rounds=sum(max(each.rounds for each in stage) for stage in divisions),
        groups=sum(each.groups for stage in divisions for each in stage),
        work=sum(each.work for stage in divisions for each in stage),
        best_place=_place(best, [[each.places for each in stage] for stage in divisions]),
    )


def _play(
    plan: Plan,
    system: System,
    sizes: Sequence[int],
    entrants: Sequence[int],
    strengths: Sequence[float],
    rng: Random,
) -> _Played:
    """Play one division through."""
    state = State(
        entrants=len(entrants),
        sides=len(sizes),
        seed="forecast",
        settings=plan.settings,
        sizes=tuple(sizes),
        groups=plan.groups,
    )
    state = play_out(system, state, by_ratings([strengths[i] for i in entrants], rng))
    places = (system.places or partial(_by_points, system))(state)
    meetings = [meeting for round_ in state.rounds for meeting in round_]
    groups = sum(meeting.groups for meeting in meetings)
    return _Played(
        places=_numbered([[entrants[i] for i in level] for level in places]),
        rounds=len(state.rounds),
        groups=groups,
        work=len(meetings)
        + len(entrants) * len(state.rounds)
        + groups * (0.02 if len(sizes) == 2 else len(sizes) ** 2 / 2),
    )


def _by_points(system: System, state: State) -> Places:
    """By points, byes included, then by score difference."""
    points = list(system.byes(state)) if system.byes else [0.0] * state.entrants
    differences = [0.0] * state.entrants
    for meeting in (meeting for round_ in state.rounds for meeting in round_):
        for side, team in enumerate(state.teams(meeting.entrants)):
            for entrant in team:
                points[entrant] += meeting.points[side]
                differences[entrant] += meeting.differences[side]
    order = sorted(
        range(state.entrants), key=lambda i: (-round(points[i], 6), -round(differences[i], 6))
    )
    return [(i,) for i in order]


def _numbered(levels: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """The place of each entrant; those of one level share it."""
    numbered: list[tuple[int, int]] = []
    for level in levels:
        place = 1 + len(numbered)
        numbered += [(place, entrant) for entrant in level]
    return numbered


def _place(entrant: int, stages: Sequence[Sequence[Sequence[tuple[int, int]]]]) -> tuple[int, int]:
    """How many stand before an entrant in the end, and with how many it shares its place."""
    before = 0
    for level in merged_places(stages):
        if entrant in level:
            return before, len(level)
        before += len(level)
    raise AssertionError("Everybody plays the first stage.")


def _prepared(system: System) -> System:
    """The system, quick enough to be played through many times.

    First rounds do not depend on results, so they are made once for each size; a round robin has
    nothing else.
    """
    known: dict[int, Step] = {}

    def pair(state: State) -> Step:
        if not state.rounds:
            if state.entrants not in known:
                known[state.entrants] = system.pair(state)
            return known[state.entrants]
        if system is swiss.SYSTEM and state.entrants > EXACT_SWISS:
            return _simple_swiss(state)
        return system.pair(state)

    return replace(system, pair=pair)


def _simple_swiss(state: State) -> Step:
    """Neighbours in the standings meet; pairs do so only for the first time, if possible.

    Of those who sat out least, the last one sits out.
    """
    if len(state.rounds) >= swiss.rounds_of(state):
        return Step()
    points = list(byes(state))
    met: list[list[int]] = [[] for _ in range(state.entrants)]
    for meeting in (meeting for round_ in state.rounds for meeting in round_):
        for side, team in enumerate(state.teams(meeting.entrants)):
            for entrant in team:
                points[entrant] += meeting.points[side]
                met[entrant].append(meeting.entrants[-1 - side])
    order = sorted(range(state.entrants), key=lambda i: (-points[i], i))
    out = sorted(order, key=lambda i: (-len(met[i]), points[i], -i))[: len(order) % state.seats]
    left = [i for i in order if i not in out]
    tables = []
    while left:
        table = [left.pop(0)]
        for _ in range(state.seats - 1):
            fresh = left if state.seats > 2 else [i for i in left if i not in met[table[0]]]
            table.append(fresh[0] if fresh else left[0])
            left.remove(table[-1])
        tables.append(tuple(table))
    return Step((tuple(tables),))
