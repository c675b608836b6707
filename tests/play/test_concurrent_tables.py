"""Concurrent actions at one table, which SQLite serializes and PostgreSQL runs in parallel."""

from __future__ import annotations

from typing import Any

import pytest

from cardroom_base.core.errors import ActionError
from cardroom_tables import comparing, host, match_cache, reading
from cardroom_tables.actions import moves, seats
from cardroom_tables.actions.moves import StaleRequest
from cardroom_tables.guests import invitation
from cardroom_tables.models import Comparison, Table, TableMove
from tests.play.hall import SHORT, Bots, finished_table, guest, new_table
from tests.site.test_concurrency import THREADS, in_threads

pytestmark = pytest.mark.django_db(transaction=True)


def legal_moves(table: Table) -> list[str]:
    table.refresh_from_db()
    return match_cache.position_of(table).legal_moves()


def test_many_hosts_play_a_turn_once(bots: Bots) -> None:
    table = new_table()
    for number in range(3):
        moves.play_move(table, guest(), 2 * number, legal_moves(table)[0])
        assert sum(in_threads(lambda _: host.play_bots(table.pk))) == 1
    assert list(TableMove.objects.values_list("n", "seat")) == [(n, n % 2) for n in range(6)]


def test_one_move_from_many_tabs_is_played_once(bots: Bots) -> None:
    table = new_table()
    move = legal_moves(table)[0]
    move_counts = in_threads(lambda _: moves.play_move(table, guest(), 0, move).moves)
    assert move_counts == [1] * THREADS
    assert TableMove.objects.count() == 1


def test_one_of_many_concurrent_moves_is_played(bots: Bots) -> None:
    table = new_table()
    choices = legal_moves(table)

    def try_to_move(number: int) -> bool:
        try:
            moves.play_move(table, guest(), 0, choices[number % len(choices)])
        except StaleRequest:
            return False
        return True

    results = in_threads(try_to_move)
    assert any(results)
    assert TableMove.objects.count() == 1
    row = TableMove.objects.get()
    assert results == [choices[n % len(choices)] == row.move for n in range(THREADS)]


def test_one_of_many_friends_takes_a_seat(bots: Bots) -> None:
    table = new_table("cassino/standard/2v2?deals=1", friends=1)
    token = invitation(table, 1)

    def try_to_sit(number: int) -> bool:
        try:
            seats.sit(table, guest(f"friend {number}"), token)
        except ActionError:
            return False
        return True

    assert sum(in_threads(try_to_sit)) == 1
    table.refresh_from_db()
    assert table.state == Table.State.PLAYING


def test_readers_at_all_places_see_consistent_states(bots: Bots) -> None:
    """All threads of a web server share the cached match."""
    table = new_table()

    def read_states(number: int) -> list[int]:
        counts = []
        for _ in range(10):
            current = Table.objects.get()
            seat: Any = [0, 1, None][number % 3]
            state = reading.state_for(current, reading.seats_of(current), seat, 0)
            numbers = [frame["n"] for frame in state["frames"]]
            assert numbers == [None, *range(state["n"])][: len(numbers)]
            counts.append(state["n"])
            if number == 0:
                moves.play_move(table, guest(), current.moves, legal_moves(table)[0])
                host.play_bots(table.pk)
        return counts

    for counts in in_threads(read_states):
        assert counts == sorted(counts)


def test_a_deal_is_compared_once(bots: Bots) -> None:
    table = finished_table()
    in_threads(lambda _: comparing.compare_next(table.pk), threads=3)
    assert Table.objects.get().compared == 1
    assert Comparison.objects.count() == len({row.bot for row in Comparison.objects.all()}) == 3
    assert table.format == SHORT
