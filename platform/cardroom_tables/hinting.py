"""Have a house bot decide in a person's place, for a hint. It sees only the seat's view."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from django.db.models import F

from bots.referee import house
from bots.referee.clock import ClockSettings
from bots.referee.outcome import RefereeError, SeatedBot
from bots.referee.table_seats import TableSeats
from bots.sandbox import SandboxUnavailable
from cardroom_base.core.names import HOUSE
from cardroom_tables import host
from cardroom_tables.keeper import keeper
from cardroom_tables.match_cache import position_of
from cardroom_tables.models import Hint
from cardroom_tables.reading import names_of, seats_of
from engine import Format

log = logging.getLogger(__name__)

CLOCK: Final = ClockSettings(move_ms=1_500, bank_ms=1_500)
"""The bot's clock for a hint; short, because a person is waiting."""


def answer_hint(pk: int) -> bool:
    """Have the hint's bot decide; return whether it answered."""
    hint = Hint.objects.select_related("table").filter(table__moves=F("n")).take(pk=pk)
    if hint is None:
        return False
    with host.hold_job(hint) as on_poll:
        return _decide(hint, on_poll)


def _decide(hint: Hint, on_poll: Callable[[], None]) -> bool:
    seats = seats_of(hint.table)
    bot = SeatedBot(hint.bot, house.load(hint.bot.removeprefix(HOUSE)))
    names = names_of(Format.parse(hint.table.format), seats)
    bot_seats = TableSeats(
        position_of(hint.table), names, {hint.seat: bot}, hint.table.rng, settings=CLOCK
    )
    bot_seats.on_poll = on_poll
    try:
        with keeper.count_memory(bot_seats):
            bot_seats.open(host.shared_sandbox())
            keeper.make_room(bot_seats)
            bot_move = bot_seats.decide()
    except (RefereeError, SandboxUnavailable) as error:
        log.warning("A hint cannot be given: %s", error)
        hint.fail("The house bot cannot answer now; try again.")
        return False
    finally:
        bot_seats.close()
    if bot_move.fault is not None:
        log.error("%s committed a fault when it was asked for a hint: %s", hint.bot, bot_move.fault)
        hint.fail("The house bot has no advice.")
        return False
    return hint.finish(move=bot_move.move, why=bot_move.note[:500])
