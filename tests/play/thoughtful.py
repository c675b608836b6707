"""A table whose bot takes its time, as long as a host may be stopped in the middle of it.

Called by `keeper`: `begin` makes the table and plays a person's first move, `go_on` the
next.
"""

from __future__ import annotations

from typing import Final

THINKS_S: Final = 1.5
_BOT: Final = f"""
import time
time.sleep({THINKS_S})
def choose(view, legal):
    time.sleep({THINKS_S})
    return legal[0]
"""


def begin() -> None:
    """Seat the bot against its author, who plays."""
    from cardroom_tables.actions import tables
    from cardroom_tables.actions.tables import SeatChoice
    from tests import factories
    from tests.play import hall

    author = factories.user("ada")
    bot = factories.bot(author, "Thoughtful", content=_BOT.encode())
    wanted = [SeatChoice("you"), SeatChoice("bot", bot.slug)]
    tables.create_table(hall.account(author), hall.SHORT, wanted)
    go_on()


def go_on() -> None:
    """Play the person's next move."""
    from django.contrib.auth.models import User

    from cardroom_tables import match_cache
    from cardroom_tables.actions import moves
    from cardroom_tables.models import Table
    from tests.play import hall

    table = Table.objects.get()
    legal = match_cache.position_of(table).legal_moves()
    moves.play_move(table, hall.account(User.objects.get()), table.moves, legal[0])
