"""The forecast of a tournament that has not started: size, hours of computing, chances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from statistics import median
from time import perf_counter

from bots import isolation_summary
from cardroom_base.core.answers import description
from cardroom_base.core.errors import ActionError
from engine import Format, Match
from tournaments.course.forecast import SPREAD, Field, Range, forecast, multiply_groups
from tournaments.course.stages import StagePlan
from tournaments.models import Attempt, Entry, Tournament
from tournaments.ratings.elo import Z95
from tournaments.reading.strengths import Strength, strengths

FACTORS = (1, 2, 4)
"""Factors by which the deal groups are multiplied; each gets a forecast."""
ENTRANTS = 8
"""Number of entrants assumed until bots have entered."""
MAX_ENTRANTS = 256
MAX_PLANNED = 64
"""Maximum runs of the forecast beside the form, because each change of the form recomputes it."""
SAMPLE = 200
"""Number of finished matches of the format from which a match's duration is estimated."""
START_SECONDS = 0.06
"""Estimated seconds to start a match, until a match of the format has been played."""
MOVE_SECONDS = 0.00015
"""Seconds that sandbox and requests add to the engine's time for a move, until a match of the
format has been played."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """The forecast for one number of deal groups."""

    factor: int = field(metadata=description("Factor on the chosen number of deal groups."))
    groups: tuple[int, ...] = field(metadata=description("Deal groups of a pairing, by stage."))
    runs: int = field(metadata=description("Number of simulated tournaments."))
    rounds: Range
    deal_groups: Range
    matches: Range
    hours: float = field(metadata=description("Hours of play on the present workers."))
    best_wins: float = field(metadata=description("Chance that the strongest entrant comes first."))
    best_wins_error: float = field(metadata=description("Half the 95 % interval of `best_wins`."))
    best_in_top_3: float


@dataclass(frozen=True, slots=True)
class Forecasts:
    """The forecasts of a tournament."""

    entrants: int
    rated: int = field(metadata=description("Entrants with a rating in the format."))
    seconds_a_match: float
    matches_measured: int = field(
        metadata=description("Matches behind `seconds_a_match`; 0 if that is an estimate.")
    )
    workers: int
    outlooks: list[Outlook]


def forecasts(tournament: Tournament, entrants: int = 0) -> Forecasts:
    """The forecast for the present entries, or for `entrants` if that is more.

    ActionError if the stages do not suit this number of entrants, or have no end.
    """
    if tournament.started is not None:
        raise ActionError(f"{tournament.name} has started; see its progress.", "conflict")
    entries = list(Entry.objects.filter(tournament=tournament).prefetch_related("mates"))
    ratings = strengths(tournament, entries)
    return _simulate(tournament, tournament.plans(), _field(tournament, ratings, entrants), FACTORS)


def forecast_plans(
    tournament: Tournament, plans: Sequence[StagePlan], entrants: int = 0
) -> Forecasts:
    """The forecast of a tournament that is not stored, for entrants without ratings.

    ActionError as in `forecasts`.
    """
    return _simulate(tournament, plans, _field(tournament, [], entrants), FACTORS[:1])


def _simulate(
    tournament: Tournament,
    plans: Sequence[StagePlan],
    field_and_rated: tuple[Field, int],
    factors: Sequence[int],
) -> Forecasts:
    field, rated = field_and_rated
    seconds, measured = match_seconds(tournament.format)
    workers = max(1, isolation_summary.process_count())
    sizes = _side_sizes(tournament)
    outlooks = []
    for factor in factors:
        scaled_plans = multiply_groups(plans, factor)
        try:
            simulated = forecast(scaled_plans, sizes, field, seed=tournament.seed or "forecast")
        except ValueError as error:
            raise ActionError(str(error), "conflict", "entrants") from error
        outlook = Outlook(
            factor=factor,
            groups=tuple(plan.groups for plan in scaled_plans),
            runs=simulated.runs,
            rounds=simulated.rounds,
            deal_groups=simulated.groups,
            matches=simulated.matches,
            hours=simulated.hours(seconds, workers),
            best_wins=simulated.best_wins,
            best_wins_error=simulated.error,
            best_in_top_3=simulated.best_in_top,
        )
        outlooks.append(outlook)
    return Forecasts(len(field.ratings), rated, seconds, measured, workers, outlooks)


def match_seconds(fmt: str) -> tuple[float, int]:
    """(median seconds of a match of the format, number of matches measured)."""
    attempts = Attempt.objects.filter(outcome=Attempt.Outcome.STORED, match__format=fmt)
    rows = attempts.order_by("-pk").values_list("worker", "started", "finished")[:SAMPLE]
    seconds = durations([(worker, began, end) for worker, began, end in rows if end is not None])
    if seconds:
        return median(seconds), len(seconds)
    return _estimate(Format.parse(fmt)), 0


def durations(rows: list[tuple[str, datetime, datetime]]) -> list[float]:
    """Seconds of each match, from rows (worker, claim, end). Pure.

    A worker claims several matches together and plays them in turn, so each match began when the
    one before it ended.
    """
    seconds: list[float] = []
    by_worker: dict[str, list[tuple[datetime, datetime]]] = {}
    for worker, started, finished in rows:
        by_worker.setdefault(worker, []).append((finished, started))
    for spans in by_worker.values():
        spans.sort()
        seconds.append((spans[0][0] - spans[0][1]).total_seconds())
        seconds += [
            (following[0] - max(following[1], previous[0])).total_seconds()
            for previous, following in pairwise(spans)
        ]
    return seconds


def _estimate(fmt: Format) -> float:
    """Seconds of a match, estimated by playing the first legal move each time, on this machine."""
    began = perf_counter()
    match, move_count = Match(fmt, seed="forecast"), 0
    while match.turn is not None:
        match.play(match.legal_moves()[0])
        move_count += 1
    return perf_counter() - began + START_SECONDS + move_count * MOVE_SECONDS


def _side_sizes(tournament: Tournament) -> tuple[int, ...]:
    sides = Format.parse(tournament.format).sides
    return (tournament.entries_at_a_table // len(sides),) * len(sides)


def _field(tournament: Tournament, strengths: list[Strength], entrants: int) -> tuple[Field, int]:
    """(the known strengths, filled up to `entrants`; the number of rated entrants)."""
    count = max(
        len(strengths), entrants or (0 if strengths else ENTRANTS), tournament.entries_at_a_table
    )
    if count > MAX_ENTRANTS:
        raise ActionError(f"The forecast is for at most {MAX_ENTRANTS} entrants.", field="entrants")
    seeded = tournament.seeding == Tournament.Seeding.RATING
    if seeded:
        strengths.sort(key=lambda strength: -strength.rating)
    field = Field.unknown(count - len(strengths))
    errors = tuple(strength.error / Z95 if strength.fitted else SPREAD for strength in strengths)
    ratings = tuple(strength.rating for strength in strengths)
    field = replace(
        field, ratings=ratings + field.ratings, errors=errors + field.errors, seeded=seeded
    )
    return field, sum(strength.fitted for strength in strengths)
