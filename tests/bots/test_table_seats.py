"""Bots at a table of people: seated at any move, stopped between turns."""

from __future__ import annotations

import pytest

from bots.outcome import RefereeError
from bots.sandbox import SandboxUnavailable, SeatClosed
from bots.table_seats import TableSeats
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
    table.rest()
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
