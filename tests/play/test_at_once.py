"""Many at one table at the same time: on SQLite by turns, on PostgreSQL truly side by side."""

from __future__ import annotations

from typing import Any

import pytest

from cardroom_base.core.errors import ActionError
from cardroom_tables import comparing, host, match_cache, reading
from cardroom_tables.actions import moves, seats
from cardroom_tables.actions.moves import StaleRequest
from cardroom_tables.guests import invitation
from cardroom_tables.models import Comparison, Table, TableMove
from tests.play.hall import SHORT, Bots, finished, guest, table
from tests.site.test_concurrency import THREADS, in_threads

pytestmark = pytest.mark.django_db(transaction=True)


def legal(made: Table) -> list[str]:
    made.refresh_from_db()
    return match_cache.position_of(made).legal_moves()


def test_many_hosts_play_a_turn_once(bots: Bots) -> None:
    made = table()
    for number in range(3):
        moves.play_move(made, guest(), 2 * number, legal(made)[0])
        assert sum(in_threads(lambda _: host.play_bots(made.pk))) == 1
    assert list(TableMove.objects.values_list("n", "seat")) == [(n, n % 2) for n in range(6)]


def test_one_move_from_many_tabs_is_played_once(bots: Bots) -> None:
    made = table()
    move = legal(made)[0]
    played = in_threads(lambda _: moves.play_move(made, guest(), 0, move).moves)
    assert played == [1] * THREADS
    assert TableMove.objects.count() == 1


def test_of_many_moves_from_many_tabs_one_is_played(bots: Bots) -> None:
    made = table()
    listed = legal(made)

    def try_one(number: int) -> bool:
        try:
            moves.play_move(made, guest(), 0, listed[number % len(listed)])
        except StaleRequest:
            return False
        return True

    done = in_threads(try_one)
    assert any(done)
    assert TableMove.objects.count() == 1
    row = TableMove.objects.get()
    assert done == [listed[n % len(listed)] == row.move for n in range(THREADS)]


def test_a_seat_is_taken_by_one(bots: Bots) -> None:
    made = table("cassino/standard/2v2?deals=1", friends=1)
    token = invitation(made, 1)

    def try_to_sit(number: int) -> bool:
        try:
            seats.sit(made, guest(f"friend {number}"), token)
        except ActionError:
            return False
        return True

    assert sum(in_threads(try_to_sit)) == 1
    made.refresh_from_db()
    assert made.state == Table.State.PLAYING


def test_readers_of_many_places_read_the_same(bots: Bots) -> None:
    """What is kept of a course is shared by all threads of a web server."""
    made = table()

    def look(number: int) -> list[int]:
        seen = []
        for _ in range(10):
            table = Table.objects.get()
            seat: Any = [0, 1, None][number % 3]
            state = reading.state_for(table, reading.seats_of(table), seat, 0)
            own = [frame["n"] for frame in state["frames"]]
            assert own == [None, *range(state["n"])][: len(own)]
            seen.append(state["n"])
            if number == 0:
                moves.play_move(made, guest(), table.moves, legal(made)[0])
                host.play_bots(made.pk)
        return seen

    for seen in in_threads(look):
        assert seen == sorted(seen)


def test_a_deal_is_compared_once(bots: Bots) -> None:
    made = finished()
    in_threads(lambda _: comparing.compare_next(made.pk), threads=3)
    assert Table.objects.get().compared == 1
    assert Comparison.objects.count() == len({row.bot for row in Comparison.objects.all()}) == 3
    assert made.format == SHORT
