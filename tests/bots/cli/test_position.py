"""`replay --move`: a request to a seat, for people, as JSON and as a test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine import Format, Match, Record

from .conftest import Run

FUNCTION = "def choose(view, legal):\n    return legal[0]\n"
CLASS = """
class Bot:
    clock = None
    def start(self, info):
        self.heard = [info["seat"]]
    def event(self, event):
        self.heard.append(event)
    def choose(self, view, legal):
        assert len(self.heard) > 1
        return {"move": legal[-1], "note": str(self.clock["bank_ms"])}
"""


@pytest.fixture
def game(run: Run) -> Record:
    """A finished match of two deals in g.json."""
    match = Match(Format.parse("cassino/standard/1v1?deals=2"), seed="v")
    while match.turn is not None:
        match.play(match.legal_moves()[0])
    record = Record.of(match, [{"name": "Ann"}, {"name": "Bob\x1b[1m'''"}])
    Path("g.json").write_text(record.dumps())
    return record


def test_a_position_equals_the_bots_request(run: Run, game: Record) -> None:
    number = len(game.moves) - 3
    position = run("replay", "g.json", "--move", str(number), "--move-ms", "50", "--json").json
    match = game.start()
    for move in game.moves[:number]:
        match.play(move)
    seat = match.turn
    question = position["question"]
    assert (position["seat"], position["played"]) == (seat, game.moves[number])
    assert (question["n"], question["view"]) == (number, match.view(seat))
    assert question["legal"] == match.legal_moves()
    assert question["events"] == match.events(seat)
    assert position["start"]["clock"] == {"move_ms": 50, "bank_ms": 20_000}


@pytest.mark.parametrize("source", [FUNCTION, CLASS])
def test_a_position_as_a_test_of_a_bot(run: Run, game: Record, source: str) -> None:
    text = run("replay", "g.json", "--move", "7", "--pytest").out
    Path("bot.py").write_text(source)
    Path("test_it.py").write_text(text)
    command = [sys.executable, "-c", "import test_it; test_it.test_move_7()"]
    assert subprocess.run(command, check=False).returncode == 0


def test_a_position_for_people(run: Run, game: Record) -> None:
    number = len(game.moves) - 3
    match = game.after(number)
    assert match.turn is not None
    lines = run("replay", f"g.json#move-{number}").out.splitlines()
    assert lines[0].endswith(f", move {number}")
    hand = lines[1 + match.turn]
    assert hand.startswith(f"▸ {match.turn} ")
    assert "cards" not in hand
    legal = match.legal_moves()
    assert lines[-len(legal) :] == [
        f"{'▸' if move == game.moves[number] else ' '} {move}" for move in legal
    ]


def test_the_view_of_another_seat(run: Run, game: Record) -> None:
    match = game.after(7)
    assert match.turn is not None
    other = 1 - match.turn
    data = run("replay", "g.json#move-7", "--seat", str(other), "--json").json
    assert (data["seat"], data["question"]["legal"]) == (other, [])
    assert data["question"]["view"] == match.view(other)
    assert data["question"]["events"] == match.events(other)
    assert data["start"]["seat"] == other
    lines = run("replay", "g.json#move-7", "--seat", str(other)).out.splitlines()
    assert "cards" in lines[1 + match.turn]
    assert "cards" not in lines[1 + other]


def test_an_invalid_position_is_refused(run: Run, game: Record) -> None:
    last_move = len(game.moves) - 1
    assert run("replay", "g.json", "--move", str(last_move)).status == 0
    ran = run("replay", "g.json", "--move", str(last_move + 1))
    assert (ran.status, ran.err) == (2, f"g.json has moves 0 to {last_move}.\n")
    ran = run("replay", "g.json", "--move", "1", "--seat", "2")
    assert (ran.status, ran.err) == (2, "g.json has seats 0 to 1.\n")
    assert run("replay", "g.json", "--move", "1", "--pytest", "--json").status == 2
    for arguments in (("--pytest",), ("--seat", "0")):
        ran = run("replay", "g.json", *arguments)
        assert (ran.status, ran.err) == (2, "Choose a move: g.json#move-60, or --move 60.\n")
    game.moves[5] = "XX"
    Path("g.json").write_text(game.dumps())
    assert run("replay", "g.json", "--move", "7").status == 1
