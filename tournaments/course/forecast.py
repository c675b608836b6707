"""Forecast the size of a tournament, and how often the strongest entrant wins.

Each run draws the unknown strengths, then runs the real pairing systems with drawn results
(`simulation`), with two simplifications. Matches are drawn independently, while the matches of a
real deal group share cards and are a little more informative. A large Swiss uses a simpler pairing
with the same number of rounds. Pure: the same seed gives the same forecast.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from random import Random
from statistics import fmean

from tournaments.course.course import stages
from tournaments.course.divisions import merge_places
from tournaments.course.simulation import ByRatings, play_out
from tournaments.course.stages import StagePlan, check_stages
from tournaments.pairing import PairingStep, Places, State, System, swiss
from tournaments.pairing.history import byes
from tournaments.ratings.elo import START, Z95

RUNS = 200
"""Number of runs, unless they would take too long."""
MIN_RUNS = 10
WORK = 80_000
"""Limit of the work of all runs together: one to two seconds. The unit is one simulated meeting of
two sides."""
EXACT_SWISS = 8
"""Up to this many entrants, a Swiss uses the real pairing."""
SPREAD = 150.0
"""Standard deviation of unknown strengths in Elo points."""
TOP = 3
"""`best_in_top` counts places up to this one."""


@dataclass(frozen=True, slots=True)
class Range:
    """A number that depends on results: its mean and range."""

    mean: float
    low: int
    high: int

    @classmethod
    def spanning(cls, values: Sequence[int]) -> "Range":
        """The range of the numbers of all runs."""
        return cls(fmean(values), min(values), max(values))


@dataclass(frozen=True, slots=True)
class Field:
    """The entrants' estimated strengths."""

    ratings: tuple[float, ...]
    """Mean Elo points; in the order of the seeds, if `seeded`."""

    errors: tuple[float, ...]
    """Standard deviations; 0 for exactly known strengths."""

    seeded: bool = False
    """Whether `ratings` is in the order of the seeds; otherwise each run draws the order."""

    @classmethod
    def unknown(cls, entrants: int, spread: float = SPREAD) -> "Field":
        """A field of unknown entrants."""
        return cls((START,) * entrants, (spread,) * entrants)


@dataclass(frozen=True, slots=True)
class Forecast:
    """The outcome of all runs."""

    entrants: int
    runs: int
    rounds: Range
    """Rounds of all stages together; divisions play at the same time."""

    groups: Range
    matches: Range
    best_wins: float
    """The share of runs that the strongest entrant won, 0 to 1."""

    best_in_top: float
    """The share of runs in which that entrant reached a place up to `TOP`."""

    @property
    def error(self) -> float:
        """Half the 95 % interval of `best_wins`; more runs reduce it."""
        variance = max(self.best_wins * (1 - self.best_wins), 0.25 / self.runs)
        return Z95 * sqrt(variance / self.runs)

    def hours(self, seconds_each: float, workers: int) -> float:
        """Hours that this many workers need for all matches, if they do nothing else."""
        return self.matches.mean * seconds_each / max(workers, 1) / 3600


@dataclass(frozen=True, slots=True)
class _SimulatedTournament:
    rounds: int
    groups: int
    work: float
    """In the unit of `WORK`."""

    best_place: tuple[int, int]
    """(entrants above the strongest one, entrants that share its place)."""


@dataclass(frozen=True, slots=True)
class _SimulatedDivision:
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
    plans: Sequence[StagePlan],
    sizes: Sequence[int],
    field: Field,
    *,
    seed: str = "forecast",
    runs: int = RUNS,
) -> Forecast:
    """Simulate the tournament `runs` times, or fewer if a run takes long.

    `sizes`: the number of entrants on each side of the table. ValueError if these entrants cannot
    play these stages, or if a system is endless.
    """
    _check(plans, sizes, len(field.ratings))
    systems = [_cached_system(plan.pairing) for plan in plans]
    results = [_simulate_tournament(plans, systems, sizes, field, f"{seed} 1")]
    count = min(runs, max(MIN_RUNS, int(WORK / results[0].work)))
    results += [
        _simulate_tournament(plans, systems, sizes, field, f"{seed} {number}")
        for number in range(2, count + 1)
    ]
    groups = [run.groups for run in results]
    return Forecast(
        entrants=len(field.ratings),
        runs=len(results),
        rounds=Range.spanning([run.rounds for run in results]),
        groups=Range.spanning(groups),
        matches=Range.spanning([group * len(sizes) for group in groups]),
        best_wins=fmean(_chance(run, 1) for run in results),
        best_in_top=fmean(_chance(run, TOP) for run in results),
    )


def multiply_groups(plans: Sequence[StagePlan], factor: int) -> list[StagePlan]:
    """The stages with `factor` times as many deal groups in every pairing."""
    return [replace(plan, groups=plan.groups * factor) for plan in plans]


def _check(plans: Sequence[StagePlan], sizes: Sequence[int], entrants: int) -> None:
    check_stages(plans, len(sizes), rotating=max(sizes) > 1)
    for plan in plans:
        if plan.pairing.endless:
            raise ValueError(f"A {plan.pairing.title} has no fixed end, so it cannot be forecast.")
    if entrants < sum(sizes):
        raise ValueError(
            f"A table of this format needs {sum(sizes)} entrants or more; there "
            f"{'is' if entrants == 1 else 'are'} {entrants or 'none'}."
        )


def _chance(run: _SimulatedTournament, places: int) -> float:
    """The probability that the strongest entrant is among the first `places`, if lots decide
    ties."""
    above, equals = run.best_place
    return min(max(places - above, 0) / equals, 1.0)


def _simulate_tournament(
    plans: Sequence[StagePlan],
    systems: Sequence[System],
    sizes: Sequence[int],
    field: Field,
    seed: str,
) -> _SimulatedTournament:
    """Draw all strengths, then simulate all stages."""
    rng = Random(seed)
    strengths = [rng.gauss(*strength) for strength in zip(field.ratings, field.errors, strict=True)]
    entrants = list(range(len(strengths)))
    if not field.seeded:
        rng.shuffle(entrants)

    def simulate(stage: int, _: int, part: list[int]) -> _SimulatedDivision:
        return _simulate_division(plans[stage - 1], systems[stage - 1], sizes, part, strengths, rng)

    divisions = list(stages(plans, entrants, simulate, lambda division: division.order))
    best = max(range(len(strengths)), key=strengths.__getitem__)
    return _SimulatedTournament(
        rounds=sum(max(division.rounds for division in stage) for stage in divisions),
        groups=sum(division.groups for stage in divisions for division in stage),
        work=sum(division.work for stage in divisions for division in stage),
        best_place=_final_place(
            best, [[division.places for division in stage] for stage in divisions]
        ),
    )


def _simulate_division(
    plan: StagePlan,
    system: System,
    sizes: Sequence[int],
    entrants: Sequence[int],
    strengths: Sequence[float],
    rng: Random,
) -> _SimulatedDivision:
    state = State(
        entrants=len(entrants),
        sides=len(sizes),
        seed="forecast",
        settings=plan.settings,
        sizes=tuple(sizes),
        groups=plan.groups,
    )
    state = play_out(system, state, ByRatings([strengths[i] for i in entrants], rng))
    places = (system.places or partial(_by_points, system))(state)
    meetings = [meeting for round_ in state.rounds for meeting in round_]
    groups = sum(meeting.groups for meeting in meetings)
    return _SimulatedDivision(
        places=_with_places([[entrants[i] for i in level] for level in places]),
        rounds=len(state.rounds),
        groups=groups,
        work=len(meetings)
        + len(entrants) * len(state.rounds)
        + groups * (0.02 if len(sizes) == 2 else len(sizes) ** 2 / 2),
    )


def _by_points(system: System, state: State) -> Places:
    """Rank by points including byes, then by score difference."""
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


def _with_places(levels: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """(place, entrant) pairs; entrants of one level share a place."""
    places: list[tuple[int, int]] = []
    for level in levels:
        place = 1 + len(places)
        places += [(place, entrant) for entrant in level]
    return places


def _final_place(
    entrant: int, stages: Sequence[Sequence[Sequence[tuple[int, int]]]]
) -> tuple[int, int]:
    """(entrants ranked above this one at the end, entrants that share its place)."""
    above = 0
    for level in merge_places(stages):
        if entrant in level:
            return above, len(level)
        above += len(level)
    raise AssertionError("Everybody plays the first stage.")


def _cached_system(system: System) -> System:
    """The system, made fast enough for many runs.

    First rounds do not depend on results, so they are cached by size. A round robin has only such
    rounds.
    """
    first_rounds: dict[int, PairingStep] = {}

    def pair(state: State) -> PairingStep:
        if not state.rounds:
            if state.entrants not in first_rounds:
                first_rounds[state.entrants] = system.pair(state)
            return first_rounds[state.entrants]
        if system is swiss.SYSTEM and state.entrants > EXACT_SWISS:
            return _simple_swiss(state)
        return system.pair(state)

    return replace(system, pair=pair)


def _simple_swiss(state: State) -> PairingStep:
    """Pair neighbours in the standings, without rematches at tables of two, if possible.

    Of the entrants with the fewest byes, the lowest one sits out.
    """
    if len(state.rounds) >= swiss.round_count(state):
        return PairingStep()
    points = list(byes(state))
    opponents: list[list[int]] = [[] for _ in range(state.entrants)]
    for meeting in (meeting for round_ in state.rounds for meeting in round_):
        for side, team in enumerate(state.teams(meeting.entrants)):
            for entrant in team:
                points[entrant] += meeting.points[side]
                opponents[entrant].append(meeting.entrants[-1 - side])
    order = sorted(range(state.entrants), key=lambda i: (-points[i], i))
    bye_order = sorted(order, key=lambda i: (-len(opponents[i]), points[i], -i))
    sitting_out = bye_order[: len(order) % state.seats]
    unpaired = [i for i in order if i not in sitting_out]
    tables = []
    while unpaired:
        table = [unpaired.pop(0)]
        for _ in range(state.seats - 1):
            met = opponents[table[0]] if state.seats == 2 else ()
            table.append(next((i for i in unpaired if i not in met), unpaired[0]))
            unpaired.remove(table[-1])
        tables.append(tuple(table))
    return PairingStep((tuple(tables),))
