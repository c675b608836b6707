"""A host with bots and an expert that think until it ends; marks begun work by files in var/.

A host with `slow_settings` imports this. `prepare` creates one piece of each kind of work.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings

BEGUN = "begun-*"


def think_forever(poll: Any) -> NoReturn:
    """Think without end, while the host polls."""
    Path(settings.VAR_DIR, f"begun-{threading.get_ident()}").touch()
    while True:
        poll()
        time.sleep(0.2)


def decide(self: Any) -> NoReturn:
    """Replaces `TableSeats.decide`."""
    think_forever(self.on_poll)


def judge(*_: Any, stop: Any, **__: Any) -> NoReturn:
    """Replaces the expert."""
    think_forever(stop)


def never_finish_work() -> None:
    """Let this host finish no work."""
    from bots.referee.table_seats import TableSeats
    from cardroom_tables import judging

    TableSeats.decide = decide  # type: ignore[method-assign]  # the purpose of this module
    judging.judge = judge  # type: ignore[attr-defined, assignment]  # as above


def prepare() -> None:
    """Create a table with a bot to move, a hint, a deal to compare and an opinion, each for a
    different person, so that a host with four threads begins them all."""
    from cardroom_tables import match_cache
    from cardroom_tables.actions import hints, moves
    from tests.play import hall
    from tests.site.test_interrupted import add_opinion

    table = hall.new_table(hall.SHORT, hall.guest("ada"))
    moves.play_move(table, hall.guest("ada"), 0, match_cache.position_of(table).legal_moves()[0])
    hints.request_hint(hall.new_table(hall.SHORT, hall.guest("bob")), hall.guest("bob"), 0)
    hall.finished_table(hall.guest("eve"))
    add_opinion()


if settings.configured and getattr(settings, "SLOW_HOST", False):
    never_finish_work()
