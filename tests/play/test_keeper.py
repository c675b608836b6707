"""The memory budget for a host's seats: the oldest are closed first, and no move is lost."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from django.test import override_settings

from bots.sandbox.process_stats import machine_kib
from cardroom_tables import host, match_cache
from cardroom_tables.actions import moves
from cardroom_tables.keeper import SEAT_KIB, budget_kib, keeper
from cardroom_tables.models import Table, TableMove
from tests.bots.scripted import ScriptedSeat
from tests.play.hall import Bots, Visitor, guest, new_table, play_bots, play_out

pytestmark = pytest.mark.django_db
FOUR = "cassino/standard/2v2?deals=1"


class Hungry(Bots):
    """Bots that use this number of megabytes each."""

    def __init__(self, mib: int) -> None:
        super().__init__()
        self.mib = mib

    def open(self, program: Any, *, name: str) -> ScriptedSeat:
        seat = super().open(program, name=name)
        seat.holds_kib = self.mib << 10
        return seat

    @property
    def used_mib(self) -> int:
        return sum(seat.held_kib() for seat in self.seats) >> 10


@pytest.fixture
def hungry(monkeypatch: pytest.MonkeyPatch) -> Hungry:
    fake = Hungry(120)
    monkeypatch.setattr(host, "shared_sandbox", lambda: fake)
    return fake


def table_with_bots_to_move(name: str, text: str = FOUR) -> Table:
    """A table at which the maker has moved; bots have the other seats."""
    table = new_table(text, guest(name))
    return moves.play_move(table, guest(name), 0, match_cache.position_of(table).legal_moves()[0])


def test_the_budget_is_a_quarter_of_the_machine_unless_it_is_set() -> None:
    assert budget_kib() == machine_kib() // 4 > 0
    with override_settings(TABLE_MEMORY_MB=700):
        assert budget_kib() == 700 << 10


@override_settings(TABLE_MEMORY_MB=800)
def test_the_oldest_seats_are_closed_first(hungry: Hungry) -> None:
    first, second, third = [table_with_bots_to_move(name) for name in ("ada", "bob", "eve")]
    for table in (first, second):
        assert host.play_bots(table.pk) == 3
    assert (hungry.used_mib, len(keeper)) == (720, 2)
    assert host.play_bots(third.pk) == 3
    assert (hungry.used_mib, len(keeper)) == (720, 2)
    assert [seat.closed for seat in hungry.seats[:6]] == [1, 1, 1, 0, 0, 0]
    moves.play_move(
        first,
        guest("ada"),
        4,
        match_cache.position_of(Table.objects.get(pk=first.pk)).legal_moves()[0],
    )
    assert play_bots() == 3, "the bots are not seated again"
    assert TableMove.objects.filter(table=first).count() == 8


@override_settings(TABLE_MEMORY_MB=200)
def test_a_table_may_exceed_the_budget(hungry: Hungry) -> None:
    visitor = Visitor()
    visitor.create(FOUR)
    state = play_out([visitor], Random(1))
    assert state["result"] is not None
    assert Table.objects.get().faults == []
    assert max(len(seat.heard) for seat in hungry.seats) >= 2


@override_settings(TABLE_MEMORY_MB=64)
def test_bots_start_one_by_one_when_memory_is_short(hungry: Hungry) -> None:
    peak = 0
    open_seat = hungry.open

    def open_and_measure(program: Any, *, name: str) -> ScriptedSeat:
        nonlocal peak
        seat = open_seat(program, name=name)
        peak = max(peak, hungry.used_mib)
        return seat

    hungry.open = open_and_measure  # type: ignore[method-assign]  # a fake
    table = table_with_bots_to_move("ada", "zwicker/grupp/ffa8?deals=1")
    assert host.play_bots(table.pk) == 7
    assert peak <= 2 * 120, "more than the current and the previous bot were open"


@override_settings(TABLE_MEMORY_MB=4 * (SEAT_KIB >> 10))
def test_free_seats_are_counted_by_maximum_sizes(hungry: Hungry) -> None:
    assert keeper.free_seats() == 4
    host.play_bots(table_with_bots_to_move("ada").pk)
    assert keeper.free_seats() == 2, "360 MB are not counted"
