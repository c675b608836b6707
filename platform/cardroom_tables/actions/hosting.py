"""What the process does to a table that plays the bots there: it holds the lease, or nothing."""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models import Q

from bots.referee.table_seats import Played
from cardroom_base.db.db_time import Now
from cardroom_tables.actions.comparisons import ask_comparison
from cardroom_tables.actions.moves import add
from cardroom_tables.actions.placing import placed
from cardroom_tables.models import HOST_LEASE_SECONDS, Table, TableMove
from cardroom_tables.reading import seats_of
from engine import Match

PATIENCE_SECONDS: Final = 2.0
"""A message needs less; only after it somebody looks for what was lost."""
MAX_WAKE: Final = 200
"""Messages that one sweep sends; the next one looks again."""

FREE = Q(lease_until__isnull=True) | Q(lease_until__lt=Now())
WAITING = Q(state=Table.State.PLAYING, bots_turn=True)


def take(table: int, host: str) -> Table | None:
    """The table, if a bot is to move there and nobody else plays the bots; now `host` does."""
    free = Table.objects.filter(FREE, WAITING, pk=table)
    if not free.update(worker=host, lease_until=Now(HOST_LEASE_SECONDS)):
        return None
    return Table.objects.get(pk=table)


def renew(table: Table, host: str) -> bool:
    """Hold it for longer; False: another has it, or it need not be played any more."""
    held = Table.objects.filter(WAITING, pk=table.pk, worker=host, lease_until__gte=Now())
    return bool(held.update(lease_until=Now(HOST_LEASE_SECONDS)))


def release(table: Table, host: str, *, trouble: str | None = None, unlucky: int = -1) -> None:
    """Give it back; `trouble`: why the bots cannot be played here, `unlucky`: the seat of a bot
    that the machine took away."""
    with transaction.atomic():
        found = Table.objects.select_for_update().filter(pk=table.pk, worker=host).first()
        if found is None:
            return
        found.worker, found.lease_until = "", None
        if trouble is not None and trouble != found.trouble:
            found.trouble = trouble[:400]
            found.version += 1
        if unlucky >= 0 and unlucky not in found.unlucky:
            found.unlucky = [*found.unlucky, unlucky]
        found.save()


@transaction.atomic
def store_move(table: Table, host: str, played: Played, match: Match, n: int) -> Table | None:
    """Store what a bot played as number `n`, which `match` has played already.

    None if the lease is lost or the table has gone on. The lease ends with the last move that is a
    bot's: then nobody need wait for it.
    """
    held = Table.objects.select_for_update().filter(
        pk=table.pk, worker=host, lease_until__gte=Now()
    )
    found = held.first()
    if found is None or found.moves != n or found.state != Table.State.PLAYING:
        return None
    row = TableMove(table=found, n=n, seat=played.seat, move=played.move, ms=played.ms)
    row.note = played.note
    add(found, row)
    if played.fault is not None and all(fault["seat"] != played.seat for fault in found.faults):
        found.faults = [*found.faults, played.fault.as_json("fallback") | {"move": n}]
    deals_before = found.deals
    placed(found, match, seats_of(found))
    found.trouble = ""
    found.version += 1
    found.moved = Now()
    found.lease_until = Now(HOST_LEASE_SECONDS) if found.bots_turn else None
    found.worker = host if found.bots_turn else ""
    found.save()
    if found.deals > deals_before:
        ask_comparison(found)
    found.refresh_from_db()
    return found


def waiting_tables(patience: float = PATIENCE_SECONDS) -> list[int]:
    """Tables where a bot has been to move for so many seconds and nobody plays it: a message, or a
    host, was lost."""
    tables = Table.objects.filter(FREE, WAITING, moved__lt=Now(-patience)).order_by("moved")
    return list(tables.values_list("pk", flat=True)[:MAX_WAKE])
