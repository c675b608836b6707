"""Counts everything that a fault could have damaged in the tournaments of a site."""

from __future__ import annotations

import zlib
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.db.models import Count, Q

from engine import Record
from engine.errors import RecordError
from tournaments import projections
from tournaments.models import (
    Attempt,
    Match,
    Rating,
    RatingChange,
    Seat,
    StoredRecord,
    Tournament,
)

State = Match.State
Outcome = Attempt.Outcome


def count() -> dict[str, Any]:
    """The counts of all matches except those whose deal groups were redealt."""
    projections.refresh()
    matches = Match.objects.filter(deal_group__retired=None)
    finished = matches.filter(state=State.FINISHED)
    attempts = Attempt.objects.filter(match__in=matches)
    return {
        "matches": matches.count(),
        "states": sorted(set(Tournament.objects.values_list("state", flat=True))),
        "lost": _count_incomplete(matches.exclude(state=State.STUCK)),
        "doubled": _count_doubled(finished),
        "stuck": matches.filter(state=State.STUCK).count(),
        "wrong": sum(map(bool, map(_find_mistake, finished.select_related("deal_group")))),
        "blamed": Seat.objects.filter(match__in=finished).exclude(fault="").count(),
        "slowest_ms": _slowest_decision(finished),
        "attempts": Attempt.objects.count(),
        "stored": attempts.filter(outcome=Outcome.STORED).count(),
        "running": Attempt.objects.filter(outcome=Outcome.RUNNING).count(),
        "outcomes": dict(Attempt.objects.order_by().values_list("outcome").annotate(Count("pk"))),
        "results_by_host": _results_by_host(),
        "causes": _frequent_causes(),
        "rebuild_matches": _rebuild_matches(),
        "longest_wait": _longest_wait(),
    }


def _count_incomplete(matches: Any) -> int:
    """The number of matches that lack a part of their result: state, record, attempt, two sides."""
    complete = matches.filter(state=State.FINISHED, record__isnull=False).annotate(
        sides=Count("results", distinct=True),
        stored=Count("attempts", filter=Q(attempts__outcome=Outcome.STORED), distinct=True),
    )
    return int(matches.count() - complete.filter(sides__gte=2, stored__gte=1).count())


def _count_doubled(finished: Any) -> int:
    """The number of matches with more than one result, or that changed ratings twice."""
    counted_matches = finished.annotate(
        sides=Count("results", distinct=True),
        stored=Count("attempts", filter=Q(attempts__outcome=Outcome.STORED), distinct=True),
        changes=Count("rating_changes", distinct=True),
    )
    # A match changes the ratings of two versions in three pools.
    return int(counted_matches.filter(Q(sides__gt=2) | Q(stored__gt=1) | Q(changes__gt=6)).count())


def _find_mistake(match: Match) -> str:
    """A mistake in a finished match under the current rules; empty if there is none."""
    stored_record = StoredRecord.objects.filter(match=match).first()
    if stored_record is None:
        return ""  # counted as lost
    try:
        record = Record.from_json(zlib.decompress(stored_record.content))
        record.verify()
    except RecordError as error:
        return str(error)
    result = record.result or {}
    rows = list(match.results.order_by("side").values_list("score", "rank"))
    if rows != list(zip(result["scores"], result["ranks"], strict=True)):
        return "Its result differs from its record."
    return "" if record.seed == match.deal_group.seed else "It was played with other cards."


def _slowest_decision(finished: Any) -> int:
    """The longest charged time of a decision, in milliseconds."""
    contents = StoredRecord.objects.filter(match__in=finished).values_list("content", flat=True)
    times = (Record.from_json(zlib.decompress(content)).clock_ms for content in contents)
    return max((ms for clock_ms in times for ms in clock_ms), default=0)


def _results_by_host() -> dict[str, int]:
    """The number of stored results by host."""
    counts: dict[str, int] = {}
    for name in Attempt.objects.filter(outcome=Outcome.STORED).values_list("worker", flat=True):
        host = name.partition("/")[0].partition("@")[2]
        counts[host] = counts.get(host, 0) + 1
    return counts


def _frequent_causes() -> dict[str, int]:
    """The most frequent causes of failed attempts, most frequent first."""
    failed = Attempt.objects.exclude(cause="").order_by()
    rows = failed.values_list("cause").annotate(times=Count("pk")).order_by("-times")[:8]
    return {cause[:160]: times for cause, times in rows}


def _rebuild_matches() -> bool:
    """Whether rebuilding live ratings and their history from results changes nothing."""
    before = _ratings()
    projections.rebuild()
    return before == _ratings()


def _ratings() -> tuple[list[Any], list[Any]]:
    ratings = Rating.objects.order_by("pool", "kind", "version")
    changes = RatingChange.objects.order_by("pool", "version", "match")
    return (
        list(ratings.values_list("pool", "kind", "version", "live", "matches")),
        list(changes.values_list("pool", "version", "match", "before", "after")),
    )


def _longest_wait() -> float:
    """The longest time without a result while a tournament ran, in seconds."""
    times: list[datetime] = [
        time
        for time in (
            *Tournament.objects.values_list("started", flat=True),
            *Match.objects.values_list("finished", flat=True),
        )
        if time is not None
    ]
    times.sort()
    gaps = ((end - start).total_seconds() for start, end in pairwise(times))
    return max(gaps, default=0.0)
