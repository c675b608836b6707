"""What came of the tournaments of a site: everything that a fault could have spoilt, counted."""

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


def counted() -> dict[str, Any]:
    """The counts of all matches, without those whose deal groups have got new cards."""
    projections.refresh()
    matches = Match.objects.filter(deal_group__retired=None)
    finished = matches.filter(state=State.FINISHED)
    attempts = Attempt.objects.filter(match__in=matches)
    return {
        "matches": matches.count(),
        "states": sorted(set(Tournament.objects.values_list("state", flat=True))),
        "lost": _lost(matches.exclude(state=State.STUCK)),
        "doubled": _doubled(finished),
        "stuck": matches.filter(state=State.STUCK).count(),
        "wrong": sum(map(bool, map(_wrong, finished.select_related("deal_group")))),
        "blamed": Seat.objects.filter(match__in=finished).exclude(fault="").count(),
        "slowest_ms": _slowest(finished),
        "attempts": Attempt.objects.count(),
        "stored": attempts.filter(outcome=Outcome.STORED).count(),
        "running": Attempt.objects.filter(outcome=Outcome.RUNNING).count(),
        "outcomes": dict(Attempt.objects.order_by().values_list("outcome").annotate(Count("pk"))),
        "by": _by_worker(),
        "causes": _causes(),
        "rebuilt_the_same": _rebuilds(),
        "longest_wait": _longest_wait(),
    }


def _lost(matches: Any) -> int:
    """Matches without a result that is whole: state, record, attempt and two sides."""
    whole = matches.filter(state=State.FINISHED, record__isnull=False).annotate(
        sides=Count("results", distinct=True),
        stored=Count("attempts", filter=Q(attempts__outcome=Outcome.STORED), distinct=True),
    )
    return int(matches.count() - whole.filter(sides__gte=2, stored__gte=1).count())


def _doubled(finished: Any) -> int:
    """Matches with more than one result, or that moved the ratings more often than once."""
    many = finished.annotate(
        sides=Count("results", distinct=True),
        stored=Count("attempts", filter=Q(attempts__outcome=Outcome.STORED), distinct=True),
        changes=Count("rating_changes", distinct=True),
    )
    # Two versions in three pools.
    return int(many.filter(Q(sides__gt=2) | Q(stored__gt=1) | Q(changes__gt=6)).count())


def _wrong(match: Match) -> str:
    """What these rules say against a finished match; empty: it is as they want it."""
    stored = StoredRecord.objects.filter(match=match).first()
    if stored is None:
        return ""  # counted as lost
    try:
        record = Record.from_json(zlib.decompress(stored.content))
        record.verify()
    except RecordError as error:
        return str(error)
    result = record.result or {}
    rows = list(match.results.order_by("side").values_list("score", "rank"))
    if rows != list(zip(result["scores"], result["ranks"], strict=True)):
        return "Its result is not what its record says."
    return "" if record.seed == match.deal_group.seed else "It was played with other cards."


def _slowest(finished: Any) -> int:
    """The most that a decision was charged, in milliseconds."""
    contents = StoredRecord.objects.filter(match__in=finished).values_list("content", flat=True)
    times = (Record.from_json(zlib.decompress(content)).clock_ms for content in contents)
    return max((ms for clock_ms in times for ms in clock_ms), default=0)


def _by_worker() -> dict[str, int]:
    """Stored results by host."""
    found: dict[str, int] = {}
    for name in Attempt.objects.filter(outcome=Outcome.STORED).values_list("worker", flat=True):
        host = name.partition("/")[0].partition("@")[2]
        found[host] = found.get(host, 0) + 1
    return found


def _causes() -> dict[str, int]:
    """Why attempts failed, most frequent first."""
    failed = Attempt.objects.exclude(cause="").order_by()
    rows = failed.values_list("cause").annotate(times=Count("pk")).order_by("-times")[:8]
    return {cause[:160]: times for cause, times in rows}


def _rebuilds() -> bool:
    """Whether live ratings and their history, made anew from results, are what they were."""
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
    """Seconds for which no result came, at most, while a tournament ran."""
    times: list[datetime] = [
        moment
        for moment in (
            *Tournament.objects.values_list("started", flat=True),
            *Match.objects.values_list("finished", flat=True),
        )
        if moment is not None
    ]
    times.sort()
    gaps = ((b - a).total_seconds() for a, b in pairwise(times))
    return max(gaps, default=0.0)
