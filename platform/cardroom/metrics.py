"""Metrics of the site for Prometheus, read from the database at each request.

No process counts anything, so any web server can answer. No label has a value that people or
machines choose.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from typing import Any, Final, get_args

from django.conf import settings
from django.db.models import (
    Case,
    CharField,
    Count,
    F,
    Min,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
    When,
)
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from bots import isolation_summary
from bots.models import Check, WorkerNode
from bots.referee.outcome import FaultKind
from cardroom import last_runs
from cardroom.status import site_status
from cardroom_base.db import schema_number
from cardroom_base.db.db_time import Now, now
from cardroom_base.models import OutboxMessage
from cardroom_tables.actions.hosting import hostless_tables
from cardroom_tables.models import ComparisonJob, Opinion
from cardroom_tables.overdue_work import current_hints
from tournaments.models import Analysis, Attempt, Kept, Ledger, Match, Seat, Tournament
from tournaments.queue.waits import WINDOW
from tournaments.reading import kinds

QUEUES: Final = (
    "matches",
    "checks",
    "analyses",
    "turns",
    "hints",
    "comparisons",
    "opinions",
    "cached",
    "messages",
    "requests",
)
"""Kinds of waiting work; `cached`: requested tables and exports; `messages`: for the broker;
`requests`: for the housekeeper."""
SANDBOXES: Final = ("full", "none")
STATES: Final = ("well", "ill", "draining")
_RECENTLY: Final = f"in the last {WINDOW.total_seconds() / 60:.0f} minutes"

Waiting = tuple[int, datetime | None]
"""The amount of waiting work, and the time from which the oldest has waited."""


def exposition(accept: str) -> tuple[bytes, str]:
    """The metrics in the format that the header `Accept` prefers, and their Content-Type."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(SiteCollector())
    encode, content_type = choose_encoder(accept)
    return encode(registry), content_type


class SiteCollector(Collector):
    """The metrics of the whole site, in a fixed number of queries."""

    def collect(self) -> Iterator[Metric]:
        """Every metric; one without a value, such as the age of a missing backup, has no sample."""
        began = time.monotonic()
        nodes = isolation_summary.recent_workers()
        status = site_status(staff=True, nodes=nodes)
        yield _gauge(
            "info", "The version of the web server.", {(version("cardroom"),): 1}, "version"
        )
        yield from _queue_metrics(status)
        yield from _match_metrics(status)
        yield from _worker_metrics(status, nodes)
        yield from _housekeeping_metrics(status)
        yield _gauge("scrape_seconds", "Time to read these metrics.", time.monotonic() - began)


def _gauge(
    name: str,
    description: str,
    values: float | Mapping[tuple[str, ...], float] | None,
    *labels: str,
) -> Metric:
    """A gauge with one value, or with one for each combination of the labels' values."""
    family = GaugeMetricFamily(f"cardroom_{name}", description, labels=labels)
    samples = values if isinstance(values, Mapping) else {(): values}
    for key, value in samples.items():
        if value is not None:
            family.add_metric(key, value)
    return family


def _counts_of(counts: Mapping[str, float], names: Iterable[str]) -> dict[tuple[str, ...], float]:
    """The counts of these names, which are 0 if missing."""
    return {(name,): counts.get(name, 0) for name in names}


def _age(since: datetime | None) -> float | None:
    return None if since is None else max(0.0, (now() - since).total_seconds())


# --- queues -------------------------------------------------------------------------------------


def _queue_metrics(status: dict[str, Any]) -> Iterator[Metric]:
    waiting = _waiting(status)
    yield _gauge(
        "queue_waiting",
        "The amount of waiting work.",
        {(kind,): waiting[kind][0] for kind in QUEUES},
        "kind",
    )
    yield _gauge(
        "queue_oldest_seconds",
        "How long the oldest waiting work has waited; 0 if none waits.",
        {(kind,): _age(waiting[kind][1]) or 0 for kind in QUEUES},
        "kind",
    )


def _waiting(status: dict[str, Any]) -> dict[str, Waiting]:
    rows: QuerySet[Any] = _total("checks", Check.objects.free(), "not_before")
    rows = rows.union(
        _total("analyses", Analysis.objects.free(), "not_before"),
        _total("turns", hostless_tables(), "moved"),
        _total("hints", current_hints().free(), "not_before"),
        _total("comparisons", ComparisonJob.objects.free(), "not_before"),
        _total("opinions", Opinion.objects.free(), "not_before"),
        _total("cached", Kept.objects.filter(asked__isnull=False), "asked"),
        _messages(),
        all=True,
    )
    first = Match.objects.filter(pk=status["first_waiting_match"])
    since = first.values_list("created", flat=True).first()
    waiting = dict.fromkeys(QUEUES, (0, None)) | {
        kind: (count, oldest) for kind, count, oldest in rows
    }
    return waiting | {"matches": (status["waiting_matches"], since)}


def _total(kind: Any, rows: QuerySet[Any], since: str) -> QuerySet[Any, Any]:
    """The kind, the number of rows, and the oldest value of their column `since`."""
    by_kind = rows.order_by().values(
        kind=kind if hasattr(kind, "resolve_expression") else _text(kind)
    )
    totals: QuerySet[Any, Any] = by_kind.annotate(count=Count("pk"), oldest=Min(since))
    return totals.values_list("kind", "count", "oldest")


def _messages() -> QuerySet[Any, Any]:
    kind = Case(
        When(task__in=settings.HOUSEKEEPER_TASKS, then=_text("requests")), default=_text("messages")
    )
    return _total(kind, OutboxMessage.objects.filter(sent__isnull=True), "created")


def _text(text: str) -> Value:
    return Value(text, CharField())


# --- matches ------------------------------------------------------------------------------------


def _match_metrics(status: dict[str, Any]) -> Iterator[Metric]:
    yield _gauge("matches_playing", "Matches being played.", status["running_matches"])
    yield _gauge("matches_stuck", "Matches that need a decision.", status["stuck_matches"])
    yield _gauge("checks_running", "Uploads being checked.", status["running_checks"])
    yield _gauge(
        "expected_wait_seconds",
        "Time to play all waiting matches; missing if unknown.",
        status["expected_wait_seconds"],
    )
    outcomes = [outcome.value for outcome in Attempt.Outcome if outcome != Attempt.Outcome.RUNNING]
    yield _gauge(
        "attempts_recent",
        f"Attempts at matches that ended {_RECENTLY}, by outcome; stored: results.",
        _counts_of(status["ended_attempts"], outcomes),
        "outcome",
    )
    # Few matches have a fault, so this reads few seats.
    faults = Seat.objects.filter(match__faulted=True, match__finished__gte=Now() - WINDOW)
    rows = faults.exclude(fault="").order_by().values_list("fault").annotate(Count("pk"))
    yield _gauge(
        "faults_recent",
        f"Faults of bots in matches that ended {_RECENTLY}, by kind.",
        _counts_of(dict(rows), get_args(FaultKind)),
        "kind",
    )
    ledger = Ledger.objects.values_list("ordinal", "fitted", "counted").first()
    ordinal, fitted, counted = ledger or (0, 0, 0)
    yield CounterMetricFamily(
        "cardroom_rated_matches", "Matches in the live ratings.", value=ordinal
    )
    yield _gauge(
        "unprojected_matches",
        "Matches in the live ratings that are missing elsewhere.",
        {("fits",): ordinal - fitted, ("totals",): ordinal - counted},
        "projection",
    )


# --- workers and hosts --------------------------------------------------------------------------


def _worker_metrics(status: dict[str, Any], nodes: Sequence[WorkerNode]) -> Iterator[Metric]:
    processes: dict[tuple[str, ...], float] = {
        (state, sandbox): 0.0 for state in STATES for sandbox in SANDBOXES
    }
    for node in nodes:
        state = "draining" if node.draining else "ill" if node.trouble else "well"
        processes[state, "full" if node.level == "full" else "none"] += node.processes
    yield _gauge(
        "worker_processes",
        "Worker processes that reported recently, by health and isolation of bots.",
        processes,
        "state",
        "sandbox",
    )
    yield _gauge(
        "worker_processes_interpreted",
        "Worker processes that run the rules interpreted.",
        sum(node.processes for node in nodes if node.engine.startswith("interpreted")),
    )
    yield _gauge(
        "workers_misfit",
        "Workers whose schema is not the web server's.",
        sum(node.schema != schema_number.program_number() for node in nodes),
    )
    yield _gauge(
        "worker_clock_offset_seconds",
        "Largest difference of a worker's clock from the database's.",
        max((abs(node.clock_ms) for node in nodes), default=0) / 1000,
    )
    hosts = status["table_hosts"]
    yield _gauge(
        "table_hosts",
        "Hosts of people's tables that reported recently, by isolation of bots.",
        {(level,): sum(host["level"] == level for host in hosts) for level in SANDBOXES},
        "sandbox",
    )
    yield _gauge(
        "table_host_threads",
        "People's tables that all hosts serve at the same time.",
        sum(host["tables"] for host in hosts),
    )


# --- housekeeping -------------------------------------------------------------------------------


def _housekeeping_metrics(status: dict[str, Any]) -> Iterator[Metric]:
    broker_up = not status["broker_trouble"]
    yield _gauge("broker_up", "Whether the message broker answers this web server.", broker_up)
    runs, intervals = status["last_runs"], last_runs.intervals(settings.CELERY_BEAT_SCHEDULE)
    ages = {(task,): _age(runs[task]) for task in intervals if task in runs}
    yield _gauge(
        "housekeeping_age_seconds",
        "Time since a task of the housekeeper last succeeded; missing if it never did.",
        {task: age for task, age in ages.items() if age is not None},
        "task",
    )
    yield _gauge(
        "housekeeping_interval_seconds",
        "Time between two runs of a task of the housekeeper.",
        {(task,): seconds for task, seconds in intervals.items()},
        "task",
    )
    yield _gauge(
        "backup_age_seconds",
        "Time since the last backup by manage.py backup; missing if there was none.",
        _age(status["last_backup"]),
    )
    stale, since = _stale_tables()
    yield _gauge("cached_tables_stale", "Cached tables that lack results.", stale)
    yield _gauge(
        "cached_tables_stale_seconds",
        "Age of the oldest cached table that lacks results; 0 if there is none.",
        _age(since) or 0,
    )


def _stale_tables() -> Waiting:
    """Cached tables of running tournaments with later results, and the time of the oldest."""
    results = Match.objects.filter(
        tournament=OuterRef("tournament"), state=Match.State.FINISHED, finished__isnull=False
    )
    rows = Kept.objects.filter(
        tournament__state=Tournament.State.RUNNING,
        name__in=[kind.name for kind in kinds.KINDS],
        at__isnull=False,
    ).annotate(last=Subquery(results.order_by("-finished", "-pk").values("finished")[:1]))
    stale = rows.filter(last__gt=F("at")).aggregate(count=Count("pk"), oldest=Min("at"))
    return stale["count"], stale["oldest"]
