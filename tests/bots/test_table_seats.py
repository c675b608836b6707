"""Bots at a table of people: seated at any move, stopped between turns."""

from __future__ import annotations

from typing import Any

import pytest

from bots.referee.live_seat import LateAnswerError, LiveSeat
from bots.referee.outcome import RefereeError
from bots.referee.table_seats import TableSeats, keys_to_free
from bots.sandbox import SandboxUnavailable, SeatClosed
from engine import IllegalMove, Match

from .scripted import Reply, ScriptedSandbox, first_legal, players, until

TWO = "cassino/standard/1v1?deals=2"


def new_table(
    *replies: Reply, moves: int = 0, person: int | None = 0
) -> tuple[TableSeats, ScriptedSandbox]:
    match = Match(TWO, seed="s")
    for _ in range(moves):
        match.play(match.legal_moves()[0])
    bots = {seat: player for seat, player in enumerate(players(2)) if seat != person}
    table = TableSeats(match, ["Ada", "bot 1"], bots, "secret")
    sandbox = ScriptedSandbox(replies or [first_legal])
    table.open(sandbox)
    return table, sandbox


def test_a_bot_seated_late_receives_all_events() -> None:
    table, sandbox = new_table(moves=50)
    turn = table.decide()
    assert (turn.seat, turn.fault) == (1, None)
    kinds = [message["type"] for message in sandbox.seats[0].heard]
    assert kinds == ["start", "deal", "move"], "the first deal's score sheet, then the question"
    question = sandbox.seats[0].heard[-1]
    assert question["n"] == 50
    assert question["events"] == table.match.events(1)[: len(question["events"])]
    assert len(question["events"]) > 49


def test_seats_follow_peoples_moves() -> None:
    table, sandbox = new_table(moves=1)
    table.decide()
    person = table.match.legal_moves()[0]
    table.follow([person])
    assert table.played == 3
    table.decide()
    assert [message["n"] for message in sandbox.seats[0].heard if message["type"] == "move"] == [
        1,
        3,
    ]
    with pytest.raises(IllegalMove):
        table.follow(["nothing"])


def test_bots_are_paused_between_turns() -> None:
    table, sandbox = new_table(moves=1)
    table.decide()
    table.pause_all()
    assert sandbox.seats[0].paused
    table.follow([table.match.legal_moves()[0]])
    table.decide()  # which resumes it: the scripted seat asserts that
    table.close()
    table.close()
    assert sandbox.seats[0].closed == 1


def test_bots_do_not_move_on_a_persons_turn() -> None:
    table, _ = new_table()
    with pytest.raises(ValueError, match="no bot's turn"):
        table.decide()


def test_the_bank_is_refilled_with_each_deal() -> None:
    table, _ = new_table(first_legal, first_legal, person=None)
    table.live_seats[0].clock.bank_ns = 5
    while not table.match.deals:
        table.decide()
    table.decide()
    assert all(live.clock.bank_ms == 20_000 for live in table.live_seats)


def test_a_fault_is_reported_once_and_play_continues() -> None:
    table, _ = new_table(until(0, SeatClosed("gone")), moves=1)
    turn = table.decide()
    assert turn.fault is not None
    assert (turn.fault.kind, turn.move) == ("crash", table.match.moves[-1])
    table.follow([table.match.legal_moves()[0]])
    assert table.decide().fault is None


def test_a_failed_start_closes_all_seats() -> None:
    class Half(ScriptedSandbox):
        def open(self, program: object, *, name: str) -> object:  # type: ignore[override]  # a test's own
            if self.opened:
                raise SandboxUnavailable("no room")
            return super().open(program, name=name)  # type: ignore[arg-type]  # as above

    match = Match(TWO, seed="s")
    table = TableSeats(match, ["a", "b"], dict(enumerate(players(2))), "secret")
    sandbox = Half([first_legal, first_legal])
    with pytest.raises(SandboxUnavailable):
        table.open(sandbox)  # type: ignore[arg-type]  # as above
    assert sandbox.seats[0].closed


def test_errors_of_the_referee_are_no_faults() -> None:
    table, sandbox = new_table(moves=1)

    def broken(_: bytes) -> None:
        raise OSError("broken pipe")

    sandbox.seats[0].send = broken  # type: ignore[assignment, method-assign]  # a test's own
    with pytest.raises(RefereeError):
        table.decide()
    assert table.faults == []


# --- a round of bots, and its time ---------------------------------------------------------------

FOUR = "cassino/standard/2v2?deals=2"
SECOND_NS = 1_000_000_000


def three_bots(**settings: int) -> tuple[TableSeats, ScriptedSandbox]:
    """A table with a person at the first seat, who has moved, and bots at the others."""
    match = Match(FOUR, seed="s")
    match.play(match.legal_moves()[0])
    bots = {seat: player for seat, player in enumerate(players(4)) if seat}
    table = TableSeats(match, ["Ada", "b", "c", "d"], bots, "secret")
    sandbox = ScriptedSandbox([first_legal] * 9)
    table.open(sandbox, **settings)
    return table, sandbox


def questions(sandbox: ScriptedSandbox) -> list[dict[str, Any]]:
    return [
        message for seat in sandbox.seats for message in seat.heard if message["type"] == "move"
    ]


def test_all_bots_of_a_round_share_one_bank() -> None:
    table, sandbox = three_bots()
    table.decide()
    table.live_seats[0].clock.charge(14 * SECOND_NS)  # 2 s of the move, 12 of the bank
    table.decide()
    assert questions(sandbox)[-1]["clock"]["bank_ms"] == 8_000, "the question gives its bank"
    table.live_seats[1].clock.charge(30 * SECOND_NS)
    table.decide()
    assert questions(sandbox)[-1]["clock"]["bank_ms"] == 0
    assert table.live_seats[2].clock.budget_ns == 2 * SECOND_NS, "each move has its own free time"
    table.follow([table.match.legal_moves()[0]])
    table.decide()
    assert questions(sandbox)[1]["clock"]["bank_ms"] == 8_000, (
        "in a new round it has the rest of its own bank"
    )
    assert table.live_seats[2].clock.budget_ns == 22 * SECOND_NS


def test_each_bot_has_its_own_bank_where_nobody_waits() -> None:
    table, _ = new_table(first_legal, first_legal, person=None)
    table.live_seats[0].clock.charge(14 * SECOND_NS)
    assert [live.clock.bank_ms for live in table.live_seats] == [8_000, 20_000]


def test_a_bot_that_loses_on_time_uses_the_rounds_bank(monkeypatch: Any) -> None:
    def late(live: LiveSeat, *_: object) -> None:
        raise LateAnswerError

    table, _ = three_bots()
    monkeypatch.setattr(LiveSeat, "wait", late)
    turn = table.decide()
    assert turn.fault is not None
    assert turn.fault.kind == "time"
    assert table.live_seats[1].clock.budget_ns == 2 * SECOND_NS


# --- seats closed for their memory ----------------------------------------------------------------


def test_the_fewest_seats_are_closed() -> None:
    sizes = {"a": 3, "b": 5, "c": 1}
    assert keys_to_free(sizes, 0) == keys_to_free(sizes, -4) == []
    assert keys_to_free(sizes, 3) == ["a"]
    assert keys_to_free(sizes, 4) == ["a", "b"]
    assert keys_to_free(sizes, 99) == ["a", "b", "c"]


def test_a_closed_seat_is_reopened_with_all_events() -> None:
    table, sandbox = three_bots()
    while not table.match.deals_since(0):
        if table.match.turn:
            table.decide()
        else:
            table.follow([table.match.legal_moves()[0]])
    if not table.match.turn:
        table.follow([table.match.legal_moves()[0]])
    table.decide()
    assert table.held_kib() == 30 << 10
    table.free_memory((20 << 10) - 1)
    assert table.held_kib() == 10 << 10
    assert [seat.closed for seat in sandbox.seats].count(1) == 2
    while sandbox.opened == 3:
        if table.match.turn:
            table.decide()
        else:
            table.follow([table.match.legal_moves()[0]])
    anew = sandbox.seats[3].heard
    assert [message["type"] for message in anew] == ["start", "deal", "move"]
    assert anew[2]["events"] == table.match.events(anew[0]["seat"])[: len(anew[2]["events"])]
    assert table.faults == []


def test_the_least_recently_used_seats_are_closed_first() -> None:
    table, sandbox = three_bots()
    table.decide()
    table.free_memory(20 << 10)
    assert [seat.closed for seat in sandbox.seats[:3]] == [0, 1, 1]
    table.free_memory(1)
    assert table.held_kib() == 0
    assert table.decide().fault is None


def test_starts_are_limited_and_ordered_by_turn() -> None:
    table, sandbox = three_bots(parallel=1)
    assert [seat.heard[0]["seat"] for seat in sandbox.seats[: sandbox.opened]] == [1]
    table.decide()
    table.decide()
    assert [seat.heard[0]["seat"] for seat in sandbox.seats[: sandbox.opened]] == [1, 2]
