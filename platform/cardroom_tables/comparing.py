"""Replay finished deals with house bots in the places of the people.

The cards and the bots at the other seats are the same. If the people started in the middle of a
deal, the comparison starts there, and includes the record's continuation.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from random import Random
from typing import Final

from bots.referee import house
from bots.referee.outcome import RefereeError, SeatedBot
from bots.referee.table_seats import TableSeats
from bots.sandbox import SandboxUnavailable
from cardroom_base.core.names import HOUSE
from cardroom_tables import host, strength
from cardroom_tables.actions import comparisons
from cardroom_tables.keeper import keeper
from cardroom_tables.match_cache import CachedMatch, moves_of
from cardroom_tables.models import Comparison, ComparisonJob, Table, TableSeat
from cardroom_tables.reading import names_of, seats_of
from engine import Format, Match, RecordError
from engine.search.card_luck import luck_of_deal

log = logging.getLogger(__name__)

MAX_MOVES: Final = 2_000
"""Abort a replayed deal after this many moves."""

LUCK_PLAYOUTS: Final = 40
"""Playouts of the deal, and as many of other shuffles; together they take tenths of a second."""

DEAL_SECONDS: Final = 60.0
"""Time for all replays of a deal; then the remaining replays are omitted."""


class DealTooSlow(RefereeError):  # noqa: N818 - an outcome
    """The bots of a deal exceeded `DEAL_SECONDS`."""


def compare_next(pk: int) -> bool:
    """Compare the next deal of a table; return whether deals remain."""
    job = ComparisonJob.objects.select_related("table").take(pk=pk)
    if job is None:
        return False
    with host.hold_job(job) as on_poll:
        return _compare(job, job.table, on_poll)


def _compare(job: ComparisonJob, table: Table, on_poll: Callable[[], None]) -> bool:
    try:
        rows = replays_of(table, table.compared, on_poll)
        luck = card_luck(table, table.compared)
    except SandboxUnavailable as error:
        log.warning("Deals cannot be replayed now: %s", error)
        job.retry()
        return False
    except (RecordError, RefereeError):
        log.exception("Deal %d of table %s is not compared.", table.compared, table.key)
        rows, luck = [], []
    stored = comparisons.store_deal(job, table.compared, rows, luck)
    return stored and table.compared + 1 < table.deals


def card_luck(table: Table, deal: int) -> list[float]:
    """The worth of a deal's cards, one number for each score; empty if the deal began before the
    table. Deals count from 0."""
    cached = CachedMatch(table)
    cached.append(moves_of(table))
    if cached.first_table_move(deal) > cached.deal_starts[deal]:
        return []  # the people did not play the whole deal
    before = cached.match.moves[: cached.deal_starts[deal]]
    # Not the seed of the shuffles: the estimate must not depend on the dealt cards.
    rng = Random(f"luck {table.rng} {deal}")
    start = Match(cached.match.format, seed=table.seed)
    return luck_of_deal(start, before, rng, LUCK_PLAYOUTS)


def replays_of(
    table: Table, deal: int, on_poll: Callable[[], None] = host.stop_if_draining
) -> list[Comparison]:
    """Replay the deal (from 0) with each of the `replay_bots` in the seats of the people.

    `on_poll` is called often, to renew the lease.
    """
    cached = CachedMatch(table)
    cached.append(moves_of(table))
    first, end = cached.first_table_move(deal), cached.deal_starts[deal + 1]
    moves = cached.match.moves
    before, own = moves[:first], moves[first:end]
    seats = seats_of(table)
    rows = _record_continuation(table, deal, before, own)
    deadline = time.monotonic() + DEAL_SECONDS

    def stop_if_late() -> None:
        on_poll()
        if time.monotonic() > deadline:
            raise DealTooSlow(f"Deal {deal} of table {table.key} takes too long.")

    try:
        for bot in strength.replay_bots(cached.match.format):
            rows.append(_replay(table, seats, deal, before, own, bot, stop_if_late))
    except DealTooSlow as error:
        log.info("%s", error)
    return rows


def _record_continuation(
    table: Table, deal: int, before: list[str], own: list[str]
) -> list[Comparison]:
    """A row with the rest of the table's first deal in the continued record; none if the record
    ends before the deal."""
    if table.source is None or deal != table.deals_given or not table.source["moves"]:
        return []
    match = _match_after(table, before)
    moves = table.source["moves"]
    for move in moves:
        match.play(move)
    return [_comparison_row(table, deal, "", match, before, own)]


def _replay(
    table: Table,
    seats: list[TableSeat],
    deal: int,
    before: list[str],
    own: list[str],
    bot: str,
    on_poll: Callable[[], None],
) -> Comparison:
    fmt = Format.parse(table.format)
    match = _match_after(table, before)
    replacement = SeatedBot(bot, house.load(bot.removeprefix(HOUSE)))
    bots = {seat.index: _player(seat, replacement) for seat in seats}
    table_seats = TableSeats(match, names_of(fmt, seats), bots, table.rng)
    table_seats.on_poll = on_poll
    with keeper.count_memory(table_seats):
        try:
            table_seats.open(host.sandbox_for(table), parallel=keeper.free_seats())
            while match.turn is not None and len(match.deals_since(deal)) == 0:
                on_poll()
                keeper.make_room(table_seats)
                table_seats.decide()
                if len(match.moves) - len(before) > MAX_MOVES:
                    raise RefereeError(f"Deal {deal} of table {table.key} does not end.")
        finally:
            table_seats.close()
    return _comparison_row(table, deal, bot, match, before, own)


def _match_after(table: Table, moves: list[str]) -> Match:
    match = Match(Format.parse(table.format), seed=table.seed)
    for move in moves:
        match.play(move)
    return match


def _comparison_row(
    table: Table, deal: int, bot: str, match: Match, before: list[str], own: list[str]
) -> Comparison:
    """The row of a deal as replayed in `match`."""
    moves = match.moves[len(before) :]
    deal_end = match.deals_since(deal)[0]
    difference = _first_difference(own, moves)
    return Comparison(
        table=table,
        deal=deal,
        bot=bot,
        moves=moves,
        first=len(before),
        parted=None if difference is None else len(before) + difference,
        sheet=deal_end["sheet"],
        scores=match.scores,
    )


def _first_difference(own: list[str], other: list[str]) -> int | None:
    """The number of the first move that differs, or None."""
    for number, (own_move, other_move) in enumerate(zip(own, other, strict=False)):
        if own_move != other_move:
            return number
    return None if len(own) == len(other) else min(len(own), len(other))


def _player(seat: TableSeat, replacement: SeatedBot) -> SeatedBot:
    """The seat's bot, or `replacement` for a seat that is or was a person's."""
    if seat.kind == TableSeat.Kind.BOT and not seat.handle:
        return SeatedBot(seat.bot, host.package_of(seat))
    return replacement
