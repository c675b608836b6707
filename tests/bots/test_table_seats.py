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


def seated(
    *replies: Reply, moves: int = 0, person: int | None = 0
) -> tuple[TableSeats, ScriptedSandbox]:
    match = Match(TWO, seed="s")
    for _ in range(moves):
        match.play(match.legal_moves()[0])
    bots = {seat: player for seat, player in enumerate(players(2)) if seat != person}
    made = TableSeats(match, ["Ada", "bot 1"], bots, "secret")
    sandbox = ScriptedSandbox(replies or [first_legal])
    made.open(sandbox)
    return made, sandbox


def test_a_bot_that_is_seated_late_hears_all_that_happened() -> None:
    late, sandbox = seated(moves=50)
    played = late.decide()
    assert (played.seat, played.fault) == (1, None)
    kinds = [message["type"] for message in sandbox.seats[0].heard]
    assert kinds == ["start", "deal", "move"], "the sheet of the first deal, then the question"
    question = sandbox.seats[0].heard[-1]
    assert question["n"] == 50
    assert question["events"] == late.match.events(1)[: len(question["events"])]
    assert len(question["events"]) > 49


def test_it_follows_what_people_play() -> None:
    table, sandbox = seated(moves=1)
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


def test_nobody_computes_between_turns() -> None:
    table, sandbox = seated(moves=1)
    table.decide()
    table.freeze_all()
    assert sandbox.seats[0].paused
    table.follow([table.match.legal_moves()[0]])
    table.decide()  # which lets it go on: the scripted seat sees to that
    table.close()
    table.close()
    assert sandbox.seats[0].closed == 1


def test_a_persons_turn_is_nobody_elses() -> None:
    table, _ = seated()
    with pytest.raises(ValueError, match="no bot's turn"):
        table.decide()


def test_the_bank_is_filled_with_each_deal() -> None:
    table, _ = seated(first_legal, first_legal, person=None)
    table.live_seats[0].clock.bank_ns = 5
    while not table.match.deals:
        table.decide()
    table.decide()
    assert all(live.clock.bank_ms == 20_000 for live in table.live_seats)


def test_a_fault_is_told_once_and_played_on() -> None:
    table, _ = seated(until(0, SeatClosed("gone")), moves=1)
    played = table.decide()
    assert played.fault is not None
    assert (played.fault.kind, played.move) == ("crash", table.match.moves[-1])
    table.follow([table.match.legal_moves()[0]])
    assert table.decide().fault is None


def test_a_failure_to_sit_down_leaves_nobody_there() -> None:
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


def test_trouble_of_ours_is_no_fault() -> None:
    table, sandbox = seated(moves=1)

    def broken(_: bytes) -> None:
        raise OSError("broken pipe")

    sandbox.seats[0].send = broken  # type: ignore[assignment, method-assign]  # a test's own
    with pytest.raises(RefereeError):
        table.decide()
    assert table.faults == []


# --- a round of bots, and its time ---------------------------------------------------------------

FOUR = "cassino/standard/2v2?deals=2"
SECOND = 1_000_000_000


def three_bots(**more: int) -> tuple[TableSeats, ScriptedSandbox]:
    """A person at the first seat who has moved, bots at the others."""
    match = Match(FOUR, seed="s")
    match.play(match.legal_moves()[0])
    bots = {seat: player for seat, player in enumerate(players(4)) if seat}
    made = TableSeats(match, ["Ada", "b", "c", "d"], bots, "secret")
    sandbox = ScriptedSandbox([first_legal] * 9)
    made.open(sandbox, **more)
    return made, sandbox


def questions(sandbox: ScriptedSandbox) -> list[dict[str, Any]]:
    return [each for seat in sandbox.seats for each in seat.heard if each["type"] == "move"]


def test_all_bots_of_a_round_share_one_bank() -> None:
    table, sandbox = three_bots()
    table.decide()
    table.live_seats[0].clock.charge(14 * SECOND)  # 2 s of the move, 12 of the bank
    table.decide()
    assert questions(sandbox)[-1]["clock"]["bank_ms"] == 8_000, "it is told what it has"
    table.live_seats[1].clock.charge(30 * SECOND)
    table.decide()
    assert questions(sandbox)[-1]["clock"]["bank_ms"] == 0
    assert table.live_seats[2].clock.budget_ns == 2 * SECOND, "each move has its own time"
    table.follow([table.match.legal_moves()[0]])
    table.decide()
    assert questions(sandbox)[1]["clock"]["bank_ms"] == 8_000, (
        "a new round: what is left of its own"
    )
    assert table.live_seats[2].clock.budget_ns == 22 * SECOND


def test_a_bot_that_loses_on_time_has_drawn_from_the_round(monkeypatch: Any) -> None:
    def late(live: LiveSeat, *_: object) -> None:
        raise LateAnswerError

    table, _ = three_bots()
    monkeypatch.setattr(LiveSeat, "wait", late)
    played = table.decide()
    assert played.fault is not None
    assert played.fault.kind == "time"
    assert table.live_seats[1].clock.budget_ns == 2 * SECOND


# --- seats closed for their memory ----------------------------------------------------------------


def test_the_first_ones_that_are_enough() -> None:
    sizes = {"a": 3, "b": 5, "c": 1}
    assert keys_to_free(sizes, 0) == keys_to_free(sizes, -4) == []
    assert keys_to_free(sizes, 3) == ["a"]
    assert keys_to_free(sizes, 4) == ["a", "b"]
    assert keys_to_free(sizes, 99) == ["a", "b", "c"]


def test_a_seat_that_was_closed_is_seated_anew_and_told_everything() -> None:
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
    assert [each["type"] for each in anew] == ["start", "deal", "move"]
    assert anew[2]["events"] == table.match.events(anew[0]["seat"])[: len(anew[2]["events"])]
    assert table.faults == []


def test_those_asked_longest_ago_are_closed_first() -> None:
    table, sandbox = three_bots()
    table.decide()
    table.free_memory(20 << 10)
    assert [seat.closed for seat in sandbox.seats[:3]] == [0, 1, 1]
    table.free_memory(1)
    assert table.held_kib() == 0
    assert table.decide().fault is None


def test_only_so_many_are_started_at_once_whose_turn_it_is_first() -> None:
    table, sandbox = three_bots(parallel=1)
    assert [seat.heard[0]["seat"] for seat in sandbox.seats[: sandbox.opened]] == [1]
    table.decide()
    table.decide()
    assert [seat.heard[0]["seat"] for seat in sandbox.seats[: sandbox.opened]] == [1, 2]
