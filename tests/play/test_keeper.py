"""Memory of a host's seats: a budget, the oldest closed first, and no move lost."""

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
from tests.play.hall import Bots, Visitor, guest, play_bots, played_out, table

pytestmark = pytest.mark.django_db
FOUR = "cassino/standard/2v2?deals=1"


class Hungry(Bots):
    """Bots that hold so many megabytes each."""

    def __init__(self, mib: int) -> None:
        super().__init__()
        self.mib = mib

    def open(self, program: Any, *, name: str) -> ScriptedSeat:
        seat = super().open(program, name=name)
        seat.holds_kib = self.mib << 10
        return seat

    @property
    def held_mib(self) -> int:
        return sum(seat.held_kib() for seat in self.seats) >> 10


@pytest.fixture
def hungry(monkeypatch: pytest.MonkeyPatch) -> Hungry:
    made = Hungry(120)
    monkeypatch.setattr(host, "shared_sandbox", lambda: made)
    return made


def asked(name: str, text: str = FOUR) -> Table:
    """A table whose maker has just moved, with bots at the other seats."""
    made = table(text, guest(name))
    return moves.play_move(made, guest(name), 0, match_cache.position_of(made).legal_moves()[0])


def test_the_budget_is_a_quarter_of_the_machine_unless_it_is_set() -> None:
    assert budget_kib() == machine_kib() // 4 > 0
    with override_settings(TABLE_MEMORY_MB=700):
        assert budget_kib() == 700 << 10


@override_settings(TABLE_MEMORY_MB=800)
def test_the_oldest_seats_are_closed_first(hungry: Hungry) -> None:
    first, second, third = [asked(name) for name in ("ada", "bob", "eve")]
    for each in (first, second):
        assert host.play_bots(each.pk) == 3
    assert (hungry.held_mib, len(keeper)) == (720, 2)
    assert host.play_bots(third.pk) == 3
    assert (hungry.held_mib, len(keeper)) == (720, 2)
    assert [seat.closed for seat in hungry.seats[:6]] == [1, 1, 1, 0, 0, 0]
    moves.play_move(
        first,
        guest("ada"),
        4,
        match_cache.position_of(Table.objects.get(pk=first.pk)).legal_moves()[0],
    )
    assert play_bots() == 3, "seated anew"
    assert TableMove.objects.filter(table=first).count() == 8


@override_settings(TABLE_MEMORY_MB=200)
def test_one_table_may_be_more_than_fits(hungry: Hungry) -> None:
    visitor = Visitor()
    visitor.create(FOUR)
    state = played_out([visitor], Random(1))
    assert state["result"] is not None
    assert Table.objects.get().faults == []
    assert max(len(seat.heard) for seat in hungry.seats) >= 2


@override_settings(TABLE_MEMORY_MB=64)
def test_bots_are_started_one_by_one_where_memory_is_short(hungry: Hungry) -> None:
    most = 0
    opened = hungry.open

    def open_(program: Any, *, name: str) -> ScriptedSeat:
        nonlocal most
        seat = opened(program, name=name)
        most = max(most, hungry.held_mib)
        return seat

    hungry.open = open_  # type: ignore[method-assign]  # a test's own
    made = asked("ada", "zwicker/grupp/ffa8?deals=1")
    assert host.play_bots(made.pk) == 7
    assert most <= 2 * 120, "the one that is asked, and the one before it"


@override_settings(TABLE_MEMORY_MB=4 * (SEAT_KIB >> 10))
def test_room_is_counted_by_what_a_seat_may_grow_to(hungry: Hungry) -> None:
    assert keeper.free_seats() == 4
    host.play_bots(asked("ada").pk)
    assert keeper.free_seats() == 2, "360 MB are taken"
