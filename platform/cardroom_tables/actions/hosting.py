"""Actions of a table host: lease a table, store its bots' moves, report that the host lives."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet

from bots.referee.table_seats import BotMove
from bots.sandbox import Isolation
from cardroom_base.core import compiled
from cardroom_base.db import schema_number
from cardroom_base.db.db_time import Now
from cardroom_tables.actions.comparisons import request_comparison
from cardroom_tables.actions.moves import append_move
from cardroom_tables.actions.placing import update_turn
from cardroom_tables.models import HOST_LEASE_SECONDS, Table, TableHost, TableMove
from cardroom_tables.reading import seats_of
from engine import Match

PATIENCE_SECONDS: Final = 2.0
"""A table that has waited this long for its bots has lost its message or its host."""
MAX_WAKE: Final = 200
"""Maximum number of messages per sweep."""
KEEP_REPORTS: Final = timedelta(days=1)

UNLEASED = Q(lease_until__isnull=True) | Q(lease_until__lt=Now())
BOT_TO_MOVE = Q(state=Table.State.PLAYING, bots_turn=True)


def take(table: int, host: str) -> Table | None:
    """Lease a table for `host`; None if no bot is to move or another host has the lease."""
    free = Table.objects.filter(UNLEASED, BOT_TO_MOVE, pk=table)
    if not free.update(worker=host, lease_until=Now(HOST_LEASE_SECONDS)):
        return None
    return Table.objects.get(pk=table)


def renew(table: Table, host: str) -> bool:
    """Renew the lease; False if it is lost, or no bot is to move."""
    leased = Table.objects.filter(BOT_TO_MOVE, pk=table.pk, worker=host, lease_until__gte=Now())
    return bool(leased.update(lease_until=Now(HOST_LEASE_SECONDS)))


def release(table: Table, host: str, *, trouble: str | None = None, unlucky: int = -1) -> None:
    """Release the lease; `trouble`: why the bots cannot be played here; `unlucky`: the seat of a
    bot that was killed through no fault of its own."""
    with transaction.atomic():
        row = Table.objects.select_for_update().filter(pk=table.pk, worker=host).first()
        if row is None:
            return
        row.worker, row.lease_until = "", None
        if trouble is not None and trouble != row.trouble:
            row.trouble = trouble[:400]
            row.version += 1
        if unlucky >= 0 and unlucky not in row.unlucky:
            row.unlucky = [*row.unlucky, unlucky]
        row.save()


@transaction.atomic
def store_move(table: Table, host: str, bot_move: BotMove, match: Match, n: int) -> Table | None:
    """Store a bot's move number `n`, which `match` already includes.

    None if the lease is lost or the table has advanced. The lease ends when a person is to move.
    """
    leased = Table.objects.select_for_update().filter(
        pk=table.pk, worker=host, lease_until__gte=Now()
    )
    row = leased.first()
    if row is None or row.moves != n or row.state != Table.State.PLAYING:
        return None
    table_move = TableMove(table=row, n=n, seat=bot_move.seat, move=bot_move.move, ms=bot_move.ms)
    table_move.note = bot_move.note
    append_move(row, table_move)
    if bot_move.fault is not None and all(fault["seat"] != bot_move.seat for fault in row.faults):
        row.faults = [*row.faults, bot_move.fault.as_json("fallback") | {"move": n}]
    deals_before = row.deals
    update_turn(row, match, seats_of(row))
    row.trouble = ""
    row.version += 1
    row.moved = Now()
    row.lease_until = Now(HOST_LEASE_SECONDS) if row.bots_turn else None
    row.worker = host if row.bots_turn else ""
    row.save()
    if row.deals > deals_before:
        request_comparison(row)
    row.refresh_from_db()
    return row


def waiting_tables(patience: float = PATIENCE_SECONDS) -> list[int]:
    """Tables without a host where a bot has been to move for `patience` seconds."""
    tables = hostless_tables().filter(moved__lt=Now(-patience)).order_by("moved")
    return list(tables.values_list("pk", flat=True)[:MAX_WAKE])


def hostless_tables() -> QuerySet[Table]:
    """Tables without a host where a bot is to move."""
    return Table.objects.filter(UNLEASED, BOT_TO_MOVE)


@transaction.atomic
def report_host(name: str, isolation: Isolation, threads: int) -> None:
    """Store the report of a live host, and delete hosts without a report for `KEEP_REPORTS`."""
    TableHost.objects.update_or_create(
        name=name,
        defaults={
            "seen": Now(),
            "threads": threads,
            "level": isolation.level,
            "reason": isolation.reason,
            "engine": str(compiled.kind())[:300],
            "schema": schema_number.program_number(),
        },
    )
    TableHost.objects.filter(seen__lt=Now() - KEEP_REPORTS).delete()


def forget_host(name: str) -> None:
    """Delete a host that has stopped."""
    TableHost.objects.filter(name=name).delete()
