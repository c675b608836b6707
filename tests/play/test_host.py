"""The host: bots' turns, leases, seated bots, faults and failures."""

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
from cardroom_tables import host, host_task_names, keeper, match_cache
from cardroom_tables.actions import hosting, moves, seats
from cardroom_tables.finished_tables import record_of
from cardroom_tables.models import Table, TableMove
from cardroom_tables.overdue_work import overdue_keys
from cardroom_tables.reading import seats_of, state_for
from engine import Record
from tests.bots.scripted import Reply, until
from tests.play.hall import SHORT, Bots, Visitor, guest, new_table, play_bots, play_out

pytestmark = pytest.mark.django_db


def table_with_bot_to_move(**fields: Any) -> Table:
    """A table at which the person has moved, so that the bot is to move."""
    table = new_table(**fields)
    return play_persons_move(table)


def play_persons_move(table: Table) -> Table:
    table.refresh_from_db()
    match = match_cache.position_of(table)
    return moves.play_move(table, guest(), table.moves, match.legal_moves()[0])


def test_a_match_is_played_to_its_end_and_its_record_verifies(bots: Bots) -> None:
    visitor = Visitor()
    visitor.create("cassino/standard/2v2?deals=2")
    state = play_out([visitor], Random(1))
    assert state["chip"]["kind"] == "finished"
    table = Table.objects.get()
    record = Record.from_json(visitor.get("record/").json())
    assert record.verify().result == table.result == state["result"]
    assert record.players[0] == {"name": "guest", "person": True}
    assert record.notes["1"] == "So it is."
    assert len(visitor.get("frames/").json()["frames"]) == state["frames_total"]


def test_bots_get_the_messages_of_a_referee(bots: Bots) -> None:
    table = table_with_bot_to_move()
    assert play_bots() == 1
    play_persons_move(table)
    assert play_bots() == 1
    [seat] = bots.seats
    start, first, second = seat.heard
    assert start["players"] == ["guest", "Dabbler"]
    assert start["seat"] == 1
    assert start["clock"] == {"move_ms": 2000, "bank_ms": 20000}
    assert (first["n"], second["n"]) == (1, 3)
    match = match_cache.position_of(Table.objects.get())
    events = first["events"] + second["events"]
    assert events == match.events(1)[: len(events)]
    assert not seat.closed
    assert seat.paused, "the bot computes while a person thinks"


def test_bots_are_seated_again_from_the_moves(bots: Bots) -> None:
    table = table_with_bot_to_move()
    play_bots()
    host.close()
    assert bots.open_seats == 0
    play_persons_move(table)
    assert play_bots() == 1
    _, second = bots.seats
    [start, question] = second.heard
    assert start == bots.seats[0].heard[0], "the randomness differs"
    match = match_cache.position_of(Table.objects.get())
    assert question["events"] == match.events(1)[: len(question["events"])]
    assert question["n"] == 3


def test_every_message_reaches_the_hosts(settings: Any) -> None:
    tasks = {value for name, value in vars(host_task_names).items() if name.endswith("_TASK")}
    routes = settings.CELERY_TASK_ROUTES
    assert {task for task in routes if routes[task]["queue"] == host_task_names.QUEUE} == tasks


def test_a_superfluous_message_does_nothing(bots: Bots) -> None:
    table = table_with_bot_to_move()
    assert host.play_bots(table.pk) == 1
    assert host.play_bots(table.pk) == 0
    assert host.play_bots(table.pk + 1) == 0
    table.refresh_from_db()
    assert (table.worker, table.lease_until) == ("", None), "it is leased while a person thinks"


def test_one_host_plays_a_table_at_a_time(bots: Bots) -> None:
    table = table_with_bot_to_move()
    leased = hosting.take(table.pk, "one")
    assert leased is not None
    assert hosting.take(table.pk, "other") is None
    assert host.play_bots(table.pk) == 0
    assert hosting.waiting_tables() == []
    Table.objects.update(lease_until=Now(-1))
    assert not hosting.renew(leased, "one"), "an expired lease was renewed"
    assert host.play_bots(table.pk) == 1


def test_a_late_move_of_a_host_is_not_stored(bots: Bots, monkeypatch: Any) -> None:
    """It froze, its lease expired, and another host played."""
    table = table_with_bot_to_move()
    decide = TableSeats.decide

    def decide_late(self: Any) -> Any:
        bot_move = decide(self)
        monkeypatch.setattr(TableSeats, "decide", decide)
        Table.objects.update(lease_until=Now(-1))
        assert host.play_bots(table.pk) == 1
        return bot_move

    monkeypatch.setattr(TableSeats, "decide", decide_late)
    assert host.play_bots(table.pk) == 0
    assert TableMove.objects.count() == 2
    play_persons_move(table)
    assert play_bots() == 1, "the seated bots do not know the stored moves"


def test_the_sweep_finds_tables_with_lost_messages(bots: Bots) -> None:
    table = table_with_bot_to_move()
    assert hosting.waiting_tables() == [], "its message may still arrive"
    Table.objects.update(moved=Now() - timedelta(seconds=10))
    assert overdue_keys()["table"] == [table.pk]
    assert play_bots() == 1
    assert overdue_keys()["table"] == []


def bots_that_fail(answer: bytes | Exception, after: int = 1) -> Bots:
    def reply() -> Reply:
        return until(after, answer)

    return Bots(reply)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (SeatClosed("gone"), "crash"),
        (b"what?", "garbage"),
        (b'{"move":"ZZ"}', "illegal"),
    ],
)
def test_first_legal_moves_replace_a_bot_with_a_fault(
    answer: Any, kind: str, monkeypatch: Any
) -> None:
    monkeypatch.setattr(host, "shared_sandbox", lambda: bots_that_fail(answer))
    visitor = Visitor()
    visitor.create(SHORT)
    state = play_out([visitor], Random(2))
    [fault] = Table.objects.get().faults
    assert (fault["kind"], fault["seat"], fault["move"]) == (kind, 1, 3)
    assert "from move 4 on, the first legal move is played for it" in state["seats"][1]["fault"]
    assert state["result"]["winners"] == [0], "a faulted side must rank last, as in matches"
    record_of(Table.objects.get()).verify()


def test_first_legal_moves_replace_a_bot_that_does_not_start(monkeypatch: Any) -> None:
    monkeypatch.setattr(host, "shared_sandbox", lambda: Bots(lambda: lambda _: SeatClosed("gone")))
    table_with_bot_to_move()
    assert play_bots() == 1
    table = Table.objects.get()
    assert [fault["kind"] for fault in table.faults] == ["start"]
    assert table.to_act == 0
    host.close()
    play_persons_move(table)
    assert play_bots() == 1, "it was started again"


def test_the_bot_that_replaces_a_faulty_one_plays_itself(bots: Bots) -> None:
    table = table_with_bot_to_move()
    Table.objects.update(faults=[{"seat": 1, "kind": "crash", "move": 1}])
    assert play_bots() == 1
    assert not bots.seats, "the platform plays for the faulty bot"
    host.close()
    table.seats.filter(index=1).update(since=2)  # as after a quarantine
    table = play_persons_move(table)
    assert play_bots() == 1
    assert len(bots.seats) == 1
    assert state_for(table, seats_of(table), 0)["seats"][1]["fault"] == ""


def test_a_fault_does_not_reveal_the_bots_message(monkeypatch: Any) -> None:
    monkeypatch.setattr(host, "shared_sandbox", lambda: bots_that_fail(b"my hand is KC", 0))
    visitor = Visitor()
    visitor.create(SHORT, you="1")
    play_bots()
    assert Table.objects.get().faults[0]["received"] == "my hand is KC"
    assert "my hand" not in visitor.get("state/", after=0).content.decode()


class Broken(Bots):
    """A machine without a working sandbox."""

    def open(self, program: Any, *, name: str) -> Any:
        raise SandboxUnavailable("no room")


def test_failures_of_the_platform_are_shown_and_retried(monkeypatch: Any) -> None:
    monkeypatch.setattr(host, "shared_sandbox", Broken)
    table_with_bot_to_move()
    assert play_bots() == 0
    table = Table.objects.get()
    assert "retries" in table.trouble
    assert table.lease_until is None
    assert TableMove.objects.count() == 1
    monkeypatch.setattr(host, "shared_sandbox", Bots)
    assert play_bots() == 1
    table.refresh_from_db()
    assert (table.trouble, table.faults) == ("", [])


def test_a_bot_killed_from_outside_once_has_no_fault(monkeypatch: Any) -> None:
    """The second time it is the bot's fault."""

    def bots_killed_from_outside() -> Bots:
        fake = bots_that_fail(SeatClosed("gone"), 0)
        open_seat = fake.open

        def open_and_kill(program: Any, *, name: str) -> Any:
            seat = open_seat(program, name=name)
            seat.ending = Exit(None, 9, "outside", "Something outside ended it.")
            return seat

        fake.open = open_and_kill  # type: ignore[method-assign]  # a fake
        return fake

    monkeypatch.setattr(host, "shared_sandbox", bots_killed_from_outside)
    table_with_bot_to_move()
    assert play_bots() == 0
    table = Table.objects.get()
    assert (table.unlucky, table.faults) == ([1], [])
    assert play_bots() == 1
    table.refresh_from_db()
    assert [fault["kind"] for fault in table.faults] == ["crash"]


def test_a_stopping_host_gives_back_its_table(monkeypatch: Any) -> None:
    class Slow(Bots):
        def open(self, program: Any, *, name: str) -> Any:
            seat = super().open(program, name=name)

            def receive(timeout_s: float, ready: list[int] = []) -> bytes:  # noqa: B006 - stores the state
                if not ready:
                    ready.append(1)
                    return b'{"type":"ready"}'
                drain.begin(0)
                raise SeatTimeout

            seat.receive = receive  # type: ignore[method-assign]  # a fake
            return seat

    monkeypatch.setattr(host, "shared_sandbox", Slow)
    table_with_bot_to_move()
    try:
        assert play_bots() == 0
        assert play_bots() == 0, "it began a turn"
    finally:
        drain.resume()
    table = Table.objects.get()
    assert (table.lease_until, table.moves, table.faults) == (None, 1, [])


def test_few_idle_tables_stay_seated_and_only_briefly(bots: Bots, monkeypatch: Any) -> None:
    people = [guest(f"guest {n}") for n in range(keeper.MAX_IDLE_TABLES + 3)]
    tables = [new_table(person=person) for person in people]
    for table, person in zip(tables, people, strict=True):
        moves.play_move(table, person, 0, match_cache.position_of(table).legal_moves()[0])
    play_bots()
    assert len(keeper.keeper) == keeper.MAX_IDLE_TABLES == bots.open_seats
    keeper.keeper.close_idle(seconds=60.0)
    assert bots.open_seats == keeper.MAX_IDLE_TABLES, "recently used seats were closed"
    keeper.keeper.close_idle()
    assert bots.open_seats == len(keeper.keeper) == 0
    assert keeper.keeper._timer is None, "an idle host has a timer"


def test_the_house_takes_over_while_bots_think(bots: Bots) -> None:
    """The host reads the seats again."""
    maker, friend = guest(), guest("friend")
    table = new_table("cassino/standard/2v2?deals=1", maker, friends=1)
    from cardroom_tables.guests import invitation

    seats.sit(table, friend, invitation(table, 1))
    play_persons_move(table)
    seats.leave(table, friend)
    table.refresh_from_db()
    assert (table.to_act, table.bots_turn) == (1, False)
    seats.give_seat_to_house(table, 1, maker)
    assert play_bots() == 3
    players = [json.dumps(seat.heard[0]["players"]) for seat in bots.seats]
    assert len(set(players)) == 1


def test_platform_errors_of_a_seat_leave_no_process(monkeypatch: Any, bots: Bots) -> None:
    def fail(_: Any) -> Any:
        raise RefereeError("This machine is too busy.")

    table_with_bot_to_move()
    monkeypatch.setattr(TableSeats, "decide", fail)
    assert play_bots() == 0
    assert bots.open_seats == 0
    assert "too busy" in Table.objects.get().trouble
