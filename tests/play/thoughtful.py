"""A table with a bot that thinks long enough to stop a host meanwhile.

`keeper` calls `create_table`, which also plays the person's first move, and `play_move`, which
plays the next.
"""

from __future__ import annotations

from typing import Final

THINKING_S: Final = 1.5
_BOT: Final = f"""
import time
time.sleep({THINKING_S})
def choose(view, legal):
    time.sleep({THINKING_S})
    return legal[0]
"""


def create_table() -> None:
    """Seat the bot against its author, and play the author's first move."""
    from cardroom_tables.actions import tables
    from cardroom_tables.actions.tables import SeatChoice
    from tests import factories
    from tests.play import hall

    author = factories.user("ada")
    bot = factories.bot(author, "Thoughtful", content=_BOT.encode())
    choices = [SeatChoice("you"), SeatChoice("bot", bot.slug)]
    tables.create_table(hall.account(author), hall.SHORT, choices)
    play_move()


def play_move() -> None:
    """Play the person's next move."""
    from django.contrib.auth.models import User

    from cardroom_tables import match_cache
    from cardroom_tables.actions import moves
    from cardroom_tables.models import Table
    from tests.play import hall

    table = Table.objects.get()
    legal = match_cache.position_of(table).legal_moves()
    moves.play_move(table, hall.account(User.objects.get()), table.moves, legal[0])
