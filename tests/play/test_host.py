"""The host: bots' turns, leases, what stays seated, what happens when things go wrong."""

from __future__ import annotations

import json
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from bots.referee.outcome import RefereeError
from bots.referee.table_seats import TableSeats
from bots.sandbox import Exit, SandboxUnavailable, SeatClosed, SeatTimeout
from cardroom_base.core import drain
from cardroom_base.db.db_time import Now
from cardroom_tables import host, keeper, match_cache, messages
from cardroom_tables.actions import hosting, moves, seats
from cardroom_tables.finished_tables import record_of
from cardroom_tables.models import Table, TableMove
from cardroom_tables.overdue_work import overdue_keys
from engine import Record
from tests.bots.scripted import Reply, until
from tests.play.hall import SHORT, Bots, Visitor, guest, play_bots, played_out, table

pytestmark = pytest.mark.django_db


def bots_first(**more: Any) -> Table:
    """A table where the bot at the other seat is to move, since the person has played."""
    made = table(**more)
    return person_moves(made)


def person_moves(made: Table) -> Table:
    made.refresh_from_db()
    match = match_cache.position_of(made)
    return moves.play_move(made, guest(), made.moves, match.legal_moves()[0])


def test_a_match_is_played_to_its_end_and_its_record_verifies(bots: Bots) -> None:
    visitor = Visitor()
    visitor.create("cassino/standard/2v2?deals=2")
    state = played_out([visitor], Random(1))
    assert state["chip"]["kind"] == "finished"
    table = Table.objects.get()
    record = Record.from_json(visitor.get("record/").json())
    assert record.verify().result == table.result == state["result"]
    assert record.players[0] == {"name": "guest", "person": True}
    assert record.notes["1"] == "So it is."
    assert len(visitor.get("frames/").json()["frames"]) == state["frames_total"]


def test_bots_are_told_what_a_referee_tells_them(bots: Bots) -> None:
    made = bots_first()
    assert play_bots() == 1
    person_moves(made)
    assert play_bots() == 1
    [seat] = bots.seats
    start, first, second = seat.heard
    assert start["players"] == ["guest", "Dabbler"]
    assert start["seat"] == 1
    assert start["clock"] == {"move_ms": 2000, "bank_ms": 20000}
    assert (first["n"], second["n"]) == (1, 3)
    match = match_cache.position_of(Table.objects.get())
    told = first["events"] + second["events"]
    assert told == match.events(1)[: len(told)]
    assert not seat.closed
    assert seat.paused, "nobody computes while people think"


def test_bots_are_seated_anew_from_the_moves(bots: Bots) -> None:
    made = bots_first()
    play_bots()
    host.close()
    assert bots.open_seats == 0
    person_moves(made)
    assert play_bots() == 1
    _, second = bots.seats
    [start, question] = second.heard
    assert start == bots.seats[0].heard[0], "the same randomness, whenever it is seated"
    match = match_cache.position_of(Table.objects.get())
    assert question["events"] == match.events(1)[: len(question["events"])]
    assert question["n"] == 3


def test_every_message_reaches_the_hosts(settings: Any) -> None:
    sent = {value for name, value in vars(messages).items() if name.endswith("_TASK")}
    routes = settings.CELERY_TASK_ROUTES
    assert {task for task in routes if routes[task]["queue"] == messages.QUEUE} == sent


def test_a_message_too_many_does_nothing(bots: Bots) -> None:
    made = bots_first()
    assert host.play_bots(made.pk) == 1
    assert host.play_bots(made.pk) == 0
    assert host.play_bots(made.pk + 1) == 0
    made.refresh_from_db()
    assert (made.worker, made.lease_until) == ("", None), (
        "nobody waits for it while a person thinks"
    )


def test_one_host_at_a_time(bots: Bots) -> None:
    made = bots_first()
    taken = hosting.take(made.pk, "one")
    assert taken is not None
    assert hosting.take(made.pk, "other") is None
    assert host.play_bots(made.pk) == 0
    assert hosting.waiting_tables() == []
    Table.objects.update(lease_until=Now(-1))
    assert not hosting.renew(taken, "one"), "a lease that has run out is not renewed"
    assert host.play_bots(made.pk) == 1


def test_what_a_host_says_too_late_is_not_stored(bots: Bots, monkeypatch: Any) -> None:
    """It was frozen, its lease ran out, and another has played."""
    made = bots_first()
    decide = TableSeats.decide

    def late(self: Any) -> Any:
        played = decide(self)
        monkeypatch.setattr(TableSeats, "decide", decide)
        Table.objects.update(lease_until=Now(-1))
        assert host.play_bots(made.pk) == 1
        return played

    monkeypatch.setattr(TableSeats, "decide", late)
    assert host.play_bots(made.pk) == 0
    assert TableMove.objects.count() == 2
    person_moves(made)
    assert play_bots() == 1, "whoever stays seated knows what was stored"


def test_a_lost_message_is_made_good_by_the_sweep(bots: Bots) -> None:
    made = bots_first()
    assert hosting.waiting_tables() == [], "a message may still be on its way"
    Table.objects.update(moved=Now() - timedelta(seconds=10))
    assert overdue_keys()["table"] == [made.pk]
    assert play_bots() == 1
    assert overdue_keys()["table"] == []


def failing(then: bytes | Exception, after: int = 1) -> Bots:
    def reply() -> Reply:
        return until(after, then)

    return Bots(reply)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (SeatClosed("gone"), "crash"),
        (b"what?", "garbage"),
        (b'{"move":"ZZ"}', "illegal"),
    ],
)
def test_a_bot_with_a_fault_is_played_on(said: Any, kind: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(host, "shared_sandbox", lambda: failing(said))
    visitor = Visitor()
    visitor.create(SHORT)
    state = played_out([visitor], Random(2))
    [fault] = Table.objects.get().faults
    assert (fault["kind"], fault["seat"], fault["move"]) == (kind, 1, 3)
    assert "since move 4 the first legal move is played for it" in state["seats"][1]["fault"]
    assert state["result"]["winners"] == [0], "as in matches: who fails is last"
    record_of(Table.objects.get()).verify()


def test_a_bot_that_does_not_start_is_played_on(monkeypatch: Any) -> None:
    monkeypatch.setattr(host, "shared_sandbox", lambda: Bots(lambda: lambda _: SeatClosed("gone")))
    bots_first()
    assert play_bots() == 1
    table = Table.objects.get()
    assert [fault["kind"] for fault in table.faults] == ["start"]
    assert table.to_act == 0
    host.close()
    person_moves(table)
    assert play_bots() == 1, "and is not started again"


def test_a_fault_tells_nothing_of_what_the_bot_sent(monkeypatch: Any) -> None:
    monkeypatch.setattr(host, "shared_sandbox", lambda: failing(b"my hand is KC", 0))
    visitor = Visitor()
    visitor.create(SHORT, you="1")
    play_bots()
    assert Table.objects.get().faults[0]["received"] == "my hand is KC"
    assert "my hand" not in visitor.get("state/", after=0).content.decode()


class Broken(Bots):
    """A machine that has no sandbox now."""

    def open(self, program: Any, *, name: str) -> Any:
        raise SandboxUnavailable("no room")


def test_failures_of_the_platform_are_said_and_tried_again(monkeypatch: Any) -> None:
    monkeypatch.setattr(host, "shared_sandbox", Broken)
    bots_first()
    assert play_bots() == 0
    table = Table.objects.get()
    assert "retries" in table.trouble
    assert table.lease_until is None
    assert TableMove.objects.count() == 1
    monkeypatch.setattr(host, "shared_sandbox", Bots)
    assert play_bots() == 1
    table.refresh_from_db()
    assert (table.trouble, table.faults) == ("", [])


def test_what_the_machine_takes_away_once_is_nobodys_fault(monkeypatch: Any) -> None:
    """And the second time it is the bot's."""

    def taken_away() -> Bots:
        made = failing(SeatClosed("gone"), 0)
        opened = made.open

        def open_(program: Any, *, name: str) -> Any:
            seat = opened(program, name=name)
            seat.ending = Exit(None, 9, "outside", "Something outside ended it.")
            return seat

        made.open = open_  # type: ignore[method-assign]  # a test's own
        return made

    monkeypatch.setattr(host, "shared_sandbox", taken_away)
    bots_first()
    assert play_bots() == 0
    table = Table.objects.get()
    assert (table.unlucky, table.faults) == ([1], [])
    assert play_bots() == 1
    table.refresh_from_db()
    assert [fault["kind"] for fault in table.faults] == ["crash"]


def test_a_host_that_is_to_end_gives_back_what_a_bot_thinks_about(monkeypatch: Any) -> None:
    class Slow(Bots):
        def open(self, program: Any, *, name: str) -> Any:
            seat = super().open(program, name=name)

            def receive(timeout_s: float, ready: list[int] = []) -> bytes:  # noqa: B006 - its memory
                if not ready:
                    ready.append(1)
                    return b'{"type":"ready"}'
                drain.begin(0)
                raise SeatTimeout

            seat.receive = receive  # type: ignore[method-assign]  # a test's own
            return seat

    monkeypatch.setattr(host, "shared_sandbox", Slow)
    bots_first()
    try:
        assert play_bots() == 0
        assert play_bots() == 0, "and begins nothing"
    finally:
        drain.resume()
    table = Table.objects.get()
    assert (table.lease_until, table.moves, table.faults) == (None, 1, [])


def test_few_tables_stay_seated_and_not_for_long(bots: Bots, monkeypatch: Any) -> None:
    people = [guest(f"guest {n}") for n in range(keeper.MAX_IDLE_TABLES + 3)]
    made = [table(person=person) for person in people]
    for each, person in zip(made, people, strict=True):
        moves.play_move(each, person, 0, match_cache.position_of(each).legal_moves()[0])
    play_bots()
    assert len(keeper.keeper) == keeper.MAX_IDLE_TABLES == bots.open_seats
    keeper.keeper.close_idle(seconds=60.0)
    assert bots.open_seats == keeper.MAX_IDLE_TABLES, "they were asked just now"
    keeper.keeper.close_idle()
    assert bots.open_seats == len(keeper.keeper) == 0
    assert keeper.keeper._timer is None, "an idle host has no timer"


def test_the_house_takes_over_while_bots_think(bots: Bots) -> None:
    """Whoever plays the bots looks again who sits there."""
    maker, friend = guest(), guest("friend")
    made = table("cassino/standard/2v2?deals=1", maker, friends=1)
    from cardroom_tables.guests import invitation

    seats.sit(made, friend, invitation(made, 1))
    person_moves(made)
    seats.leave(made, friend)
    made.refresh_from_db()
    assert (made.to_act, made.bots_turn) == (1, False)
    seats.give_seat_to_house(made, 1, maker)
    assert play_bots() == 3
    told = [json.dumps(seat.heard[0]["players"]) for seat in bots.seats]
    assert len(set(told)) == 1


def test_platform_errors_of_a_seat_leave_no_process(monkeypatch: Any, bots: Bots) -> None:
    def broken(_: Any) -> Any:
        raise RefereeError("This machine is too busy.")

    bots_first()
    monkeypatch.setattr(TableSeats, "decide", broken)
    assert play_bots() == 0
    assert bots.open_seats == 0
    assert "too busy" in Table.objects.get().trouble
