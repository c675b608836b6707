"""Figures on the site's load and health, read from the database.

Pages, REST and metrics show the same figures.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models import Count, Min

from bots import isolation_summary
from bots.models import BotVersion, WorkerNode
from cardroom import last_runs, reachable
from cardroom_base.db import schema_number
from cardroom_tables.hosts import live_hosts
from cardroom_tables.models import TableHost
from tournaments.models import Match, Tournament
from tournaments.queue import scheduler, waits


def site_status(*, staff: bool = False, nodes: list[WorkerNode] | None = None) -> dict[str, Any]:
    """The current figures for page, REST and metrics; `staff` adds names and causes.

    `nodes`: the workers that reported recently, if the caller has them.
    """
    # Only running tournaments have unfinished matches; with them, the index `match_share` suffices.
    unfinished = Match.objects.filter(
        tournament__state=Tournament.State.RUNNING, state__in=Match.UNFINISHED
    ).exclude(state=Match.State.WAITING, pk__in=scheduler.seats_in_quarantine().values("match"))
    by_state = unfinished.order_by().values_list("state")
    rows = list(by_state.annotate(Count("id"), Min("id")))
    matches = {state: count for state, count, _ in rows}
    first = next((first for state, _, first in rows if state == Match.State.WAITING), None)
    statuses = (BotVersion.Status.QUEUED, BotVersion.Status.CHECKING)
    checks = dict(
        BotVersion.objects.filter(status__in=statuses)
        .order_by()
        .values_list("status")
        .annotate(Count("id"))
    )
    waiting = matches.get(Match.State.WAITING, 0)
    nodes = isolation_summary.recent_workers() if nodes is None else nodes
    database = schema_number.database_number()
    facts = waits.site_facts(waiting, nodes, database)
    ended = waits.ended_attempts()
    runs = last_runs.last_successes()
    housekeeping = [runs[job] for job in settings.CELERY_BEAT_SCHEDULE if job in runs]
    return {
        "waiting_matches": waiting,
        "first_waiting_match": first,
        "running_matches": matches.get(Match.State.PLAYING, 0),
        "stuck_matches": matches.get(Match.State.STUCK, 0),
        "waiting_checks": checks.get(BotVersion.Status.QUEUED, 0),
        "running_checks": checks.get(BotVersion.Status.CHECKING, 0),
        "workers": facts.workers,
        "ill_workers": facts.ill,
        "ended_attempts": ended,
        "matches_per_minute": round(waits.matches_per_minute(ended), 2),
        "expected_wait_seconds": _expected_wait(waiting, waits.busy_pace()),
        "reason": waits.reason(facts),
        "sandboxes": isolation_summary.summary(nodes),
        "troubles": isolation_summary.ill_workers(nodes) if staff else [],
        "clocks": isolation_summary.clock_remarks(nodes, named=staff),
        "table_hosts": [_host_figures(host, staff=staff) for host in live_hosts()],
        "schema": database,
        "broker_trouble": reachable.broker.trouble(),
        "last_runs": runs,
        "last_housekeeping": max(housekeeping, default=None),
        "late_jobs": last_runs.late_tasks(settings.CELERY_BEAT_SCHEDULE, runs),
        "last_backup": runs.get(last_runs.BACKUP) if staff else None,
    }


def _host_figures(host: TableHost, *, staff: bool) -> dict[str, Any]:
    """A host of people's tables; its name and why it has no sandbox are for staff only."""
    return {
        "name": host.name if staff else "",
        "tables": host.threads,
        "level": host.level,
        "engine": host.engine.partition(" ")[0],
        "reason": host.reason if staff else "",
    }


def _expected_wait(waiting: int, pace: float) -> float | None:
    if not waiting:
        return 0.0
    return waits.rounded_seconds(waiting / pace) if pace else None
