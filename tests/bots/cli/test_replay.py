"""`replay`: as a transcript, and by steps on a real (pseudo) terminal."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from pathlib import Path

import pytest

from bots.cli import keys
from engine import Format, Match, Record

from .conftest import Run

COMMAND = "from bots.cli import app; app()"


@pytest.fixture
def game(run: Run) -> Record:
    """A finished match in g.json, with names that contain markup."""
    match = Match(Format.parse("cassino/standard/1v1?deals=1"), seed="v")
    while match.turn is not None:
        match.play(match.legal_moves()[0])
    record = Record.of(match, [{"name": "[bold]Ann"}, {"name": "Bob[/]"}])
    record.notes = {"0": "a [red]note"}
    Path("g.json").write_text(record.dumps())
    return record


def test_a_transcript_has_every_move_verbatim(run: Run, game: Record) -> None:
    ran = run("replay", "g.json")
    assert ran.status == 0
    assert "   0  [bold]Ann  " in ran.out
    assert "“a [red]note”" in ran.out
    assert f"  {len(game.moves) - 1}  Bob[/]  " in ran.out
    assert not set("♠♥♦♣") & set(ran.out)
    for number, move in enumerate(game.moves):
        assert f"{number:>4}  {'[bold]Ann' if number % 2 == 0 else 'Bob[/]'}  {move}  " in ran.out
    assert "ended by deals" in ran.out
    assert len(run("replay", "g.json", "--json").json) == len(list(game.frames()))


def test_a_record_with_an_illegal_move_is_an_error(run: Run, game: Record) -> None:
    game.moves[5] = "XX"
    Path("g.json").write_text(game.dumps())
    ran = run("replay", "g.json")
    assert ran.status == 1
    assert "Move 6 (moves[5]) does not follow" in ran.err


def test_keys_step_through_the_match_on_a_terminal(run: Run, game: Record) -> None:
    last_frame = len(list(game.frames())) - 1
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm", COLUMNS="100", LINES="40")
        os.execv(sys.executable, [sys.executable, "-c", COMMAND, "replay", "g.json"])
    try:
        assert _appears(terminal, f"frame 0 of {last_frame}")
        for key, text in [
            (b"\x1b[C", f"frame 1 of {last_frame}"),
            (b"\x1b[6~", f"frame 11 of {last_frame}"),
            (b"\x1b[D", f"frame 10 of {last_frame}"),
            (b"\x1b[F", f"frame {last_frame} of {last_frame}"),
            (b"\x1b[C", f"frame {last_frame} of {last_frame}"),
            (b"\x1b[H", f"frame 0 of {last_frame}"),
        ]:
            os.write(terminal, key)
            assert _appears(terminal, text), key
        os.write(terminal, b"q")
        _appears(terminal, "no such text", 1.0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        os.close(terminal)


def _appears(terminal: int, text: str, seconds: float = 20.0) -> bool:
    """Whether the text appears on the terminal within a time."""
    output = b""
    until = time.monotonic() + seconds
    while text.encode() not in output:
        if not select.select([terminal], [], [], max(0.0, until - time.monotonic()))[0]:
            return False
        try:
            output += os.read(terminal, 65_536)
        except OSError:  # the command has ended
            return False
    return True


def test_keys_have_names() -> None:
    assert [keys.name(pressed) for pressed in (b"\x1b[C", b"n", b"\x1b", b"")] == [
        "right",
        "n",
        "escape",
        "",
    ]
