"""A host whose bots and whose expert think until it ends; what it has begun, it notes in var/.

Imported by a host that runs with `slow_settings`. `prepare` makes one piece of each kind of work.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings

BEGUN = "begun-*"


def think_for_ever(look: Any) -> NoReturn:
    """As a bot does that is asked, while its host looks now and then."""
    Path(settings.VAR_DIR, f"begun-{threading.get_ident()}").touch()
    while True:
        look()
        time.sleep(0.2)


def decide(self: Any) -> NoReturn:
    """In place of `TableSeats.decide`."""
    think_for_ever(self.on_poll)


def judge(*_: Any, stop: Any, **__: Any) -> NoReturn:
    """In place of the expert."""
    think_for_ever(stop)


def slow_down() -> None:
    """Have this host never come to an end."""
    from bots.referee.table_seats import TableSeats
    from cardroom_tables import judging

    TableSeats.decide = decide  # type: ignore[method-assign]  # what this module is for
    judging.judge = judge  # type: ignore[attr-defined, assignment]  # as above


def prepare() -> None:
    """A table whose bot is to move, a hint, a deal to compare, an opinion: each for another
    person, so that a host with four threads begins them all."""
    from cardroom_tables import match_cache
    from cardroom_tables.actions import hints, moves
    from tests.play import hall
    from tests.site.test_interrupted import add_opinion

    turn = hall.table(hall.SHORT, hall.guest("ada"))
    moves.play_move(turn, hall.guest("ada"), 0, match_cache.position_of(turn).legal_moves()[0])
    hints.request_hint(hall.table(hall.SHORT, hall.guest("bob")), hall.guest("bob"), 0)
    hall.finished(hall.guest("eve"))
    add_opinion()


if settings.configured and getattr(settings, "SLOW_HOST", False):
    slow_down()
