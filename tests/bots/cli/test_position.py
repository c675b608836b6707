"""`position`: what a seat was asked, as JSON and as a test."""

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


def test_a_position_is_what_the_bot_was_asked(run: Run, game: Record) -> None:
    number = len(game.moves) - 3
    found = run("position", "g.json", str(number), "--move-ms", "50").json
    match = game.start()
    for move in game.moves[:number]:
        match.play(move)
    seat = match.turn
    question = found["question"]
    assert (found["seat"], found["played"]) == (seat, game.moves[number])
    assert (question["n"], question["view"]) == (number, match.view(seat))
    assert question["legal"] == match.legal_moves()
    assert question["events"] == match.events(seat)
    assert found["start"]["clock"] == {"move_ms": 50, "bank_ms": 20_000}


@pytest.mark.parametrize("source", [FUNCTION, CLASS])
def test_a_position_as_a_test_of_a_bot(run: Run, game: Record, source: str) -> None:
    text = run("position", "g.json", "7", "--test").out
    Path("bot.py").write_text(source)
    Path("test_it.py").write_text(text)
    command = [sys.executable, "-c", "import test_it; test_it.test_move_7()"]
    assert subprocess.run(command, check=False).returncode == 0


def test_what_is_no_position_is_refused(run: Run, game: Record) -> None:
    last = len(game.moves) - 1
    assert run("position", "g.json", str(last)).status == 0
    ran = run("position", "g.json", str(last + 1))
    assert (ran.status, ran.err) == (2, f"g.json has moves 0 to {last}.\n")
    assert run("position", "g.json", "1", "--test", "--json").status == 2
    game.moves[5] = "XX"
    Path("g.json").write_text(game.dumps())
    assert run("position", "g.json", "7").status == 1
