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
from cardroom_base.db import schema
from cardroom_tables.hosts import live_hosts
from cardroom_tables.models import TableHost
from tournaments.models import Match, Tournament
from tournaments.queue import waits


def site_status(*, staff: bool = False, nodes: list[WorkerNode] | None = None) -> dict[str, Any]:
    """The figures of page, REST and metrics, counted now; `staff` adds names and causes.

    `nodes`: the workers that reported recently, if the caller has them.
    """
    of_match = Match.State
    # Other tournaments have no unfinished matches; by tournament, the index `match_share` suffices.
    unfinished = Match.objects.filter(
        tournament__state=Tournament.State.RUNNING, state__in=Match.UNFINISHED
    )
    by_state = unfinished.order_by().values_list("state")
    rows = list(by_state.annotate(Count("id"), Min("id")))
    matches = {state: count for state, count, _ in rows}
    first = next((first for state, _, first in rows if state == of_match.WAITING), None)
    of_check = BotVersion.Status
    checks = dict(
        BotVersion.objects.filter(status__in=(of_check.QUEUED, of_check.CHECKING))
        .order_by()
        .values_list("status")
        .annotate(Count("id"))
    )
    waiting = matches.get(of_match.WAITING, 0)
    heard = isolation_summary.recent_workers() if nodes is None else nodes
    database = schema.database_number()
    facts = waits.site_facts(waiting, heard, database)
    ended = waits.ended_attempts()
    runs = last_runs.moments()
    housekeeping = [runs[job] for job in settings.CELERY_BEAT_SCHEDULE if job in runs]
    return {
        "waiting_matches": waiting,
        "first_waiting_match": first,
        "running_matches": matches.get(of_match.PLAYING, 0),
        "stuck_matches": matches.get(of_match.STUCK, 0),
        "waiting_checks": checks.get(of_check.QUEUED, 0),
        "running_checks": checks.get(of_check.CHECKING, 0),
        "workers": facts.workers,
        "ill_workers": facts.ill,
        "ended_attempts": ended,
        "matches_per_minute": round(waits.matches_per_minute(ended), 2),
        "expected_wait_seconds": _wait(waiting, waits.busy_pace()),
        "reason": waits.reason(facts),
        "sandboxes": isolation_summary.summary(heard),
        "troubles": isolation_summary.ill_workers(heard) if staff else [],
        "clocks": isolation_summary.clock_remarks(heard, named=staff),
        "table_hosts": [_host(host, staff=staff) for host in live_hosts()],
        "schema": database,
        "broker_trouble": reachable.broker.trouble(),
        "last_runs": runs,
        "last_housekeeping": max(housekeeping, default=None),
        "late_jobs": last_runs.late(settings.CELERY_BEAT_SCHEDULE, runs),
        "last_backup": runs.get(last_runs.BACKUP) if staff else None,
    }


def _host(host: TableHost, *, staff: bool) -> dict[str, Any]:
    """A host of people's tables; only staff get its name and the reason why it has no sandbox."""
    return {
        "name": host.name if staff else "",
        "tables": host.threads,
        "level": host.level,
        "engine": host.engine.partition(" ")[0],
        "reason": host.reason if staff else "",
    }


def _wait(waiting: int, pace: float) -> float | None:
    if not waiting:
        return 0.0
    return waits.rounded_seconds(waiting / pace) if pace else None
