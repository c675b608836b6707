"""`rerun`, `ask`, `position FILE#move-N`, `play --from`: trying something from a position."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bots.referee.rehearsal import case_of
from engine import Match, Record

from .conftest import Run

FIRST = "def choose(view, legal):\n    return {'move': legal[0], 'note': 'the first'}\n"
LAST = "def choose(view, legal):\n    return legal[-1]\n"
FEW = ("--playouts", "4")


@pytest.fixture
def game(run: Run) -> Record:
    """A match of the first legal moves in g.json; bots that play the first and the last."""
    match = Match("cassino/standard/1v1?deals=1", seed="v")
    while match.turn is not None:
        match.play(match.legal_moves()[0])
    record = Record.of(match, [{"name": "Ann"}, {"name": "Bob"}])
    Path("g.json").write_text(record.dumps())
    Path("first.py").write_text(FIRST)
    Path("last.py").write_text(LAST)
    return record


def test_a_place_is_the_address_of_the_replay(run: Run, game: Record) -> None:
    assert run("position", "g.json#move-7").json == run("position", "g.json", "7").json
    ran = run("position", "g.json")
    assert (ran.status, ran.err) == (
        2,
        "Say which move: g.json#move-60, or the number behind it.\n",
    )


def test_rerun_judges_where_the_bot_parts(run: Run, game: Record) -> None:
    same = run("rerun", "g.json", "first.py", "--seat", "1", *FEW, sandboxed=True)
    own = len(game.moves) // 2
    assert same.out == f"Seat 1: {own} decisions, {own} the same, 0 different.\n"
    found = run("rerun", "g.json", "last.py", "--seat", "1", *FEW, "--json", sandboxed=True).json
    parted = [each for each in found["decisions"] if each["move"] != each["played"]]
    assert parted
    for each in found["decisions"]:
        assert (each["expert"] is not None) == (each["move"] != each["played"])
    for each in parted:
        assert each["expert"]["record"]["played"] == each["played"]
        assert each["expert"]["bot"]["played"] == each["move"]
    text = run("rerun", "g.json", "last.py", "--seat", "1", *FEW, sandboxed=True).out
    assert f"{own} decisions, {own - len(parted)} the same, {len(parted)} different" in text
    assert "points to the expert" in text


def test_a_case_is_put_to_a_bot_and_to_the_expert(run: Run, game: Record) -> None:
    Path("case.json").write_text(run("position", "g.json#move-9").out)
    ran = run("ask", "first.py", "case.json", *FEW, sandboxed=True)
    assert ran.status == 0, ran.err
    assert f"first plays {game.moves[9]} (" in ran.out
    assert "“the first”" in ran.out
    assert "The expert: " in ran.out
    found = run("ask", "last.py", "case.json", *FEW, "--json", sandboxed=True).json
    assert (found["played"], found["legal"]) == (game.moves[9], True)
    assert found["expert"]["played"] == found["move"]
    plain = run("ask", "last.py", "case.json", "--no-expert", "--json", sandboxed=True).json
    assert plain["expert"] is None


def test_a_wrong_answer_to_a_case_fails(run: Run, game: Record) -> None:
    Path("case.json").write_text(run("position", "g.json#move-9").out)
    Path("wrong.py").write_text("def choose(view, legal):\n    return 'XX'\n")
    ran = run("ask", "wrong.py", "case.json", *FEW, sandboxed=True)
    assert ran.status == 1
    assert "wrong plays XX (illegal)" in ran.out
    Path("wrong.py").write_text("def choose(view, legal):\n    return legal[0], print('oh')\n")
    broken = run("ask", "wrong.py", "case.json", *FEW, sandboxed=True)
    assert broken.status == 1
    assert "The bot failed: crash at move 9" in broken.out


@pytest.mark.parametrize("content", ["[]", "{}", '{"start": {}, "question": {}}', "{", ""])
def test_what_is_no_case_is_refused(run: Run, content: str) -> None:
    Path("first.py").write_text(FIRST)
    Path("case.json").write_text(content)
    ran = run("ask", "first.py", "case.json", sandboxed=True)
    assert ran.status == 2
    assert "case.json is no case of `cardroom position`" in ran.err


WRONG: list[tuple[tuple[str, ...], object, str]] = [
    (("start", "seat"), True, "start.seat must be a whole number, not True"),
    (("start", "format"), None, "start.format must be text"),
    (("start", "clock"), [], "start.clock must be an object"),
    (("start", "clock", "move_ms"), 0, "start.clock: The free time of a move must be"),
    (("question", "view"), [], "question.view must be an object"),
    (("question", "legal"), [], "question.legal must be a list of length >= 1"),
    (("question", "legal"), ["6C", 7], r"question.legal\[1\] must be text, not 7"),
    (("question", "n"), 1.5, "question.n must be a whole number"),
    (("question", "events"), [1], r"question.events\[0\] must be an object"),
    (("question", "truncated"), 0, "question.truncated must be true or false"),
    (("played",), {}, "played must be text"),
]


def test_each_part_of_a_case_is_looked_at(run: Run, game: Record) -> None:
    whole = run("position", "g.json#move-9").json
    assert case_of(whole).played == game.moves[9]
    for path, value, words in WRONG:
        wrong = json.loads(json.dumps(whole))
        place = wrong
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        with pytest.raises(ValueError, match=words):
            case_of(wrong)


def test_a_match_is_played_on_from_a_position(run: Run, game: Record) -> None:
    words = ("play", "--from", "g.json#move-20", "first.py", "last.py")
    ran = run(*words, "--record", "h.json", sandboxed=True)
    assert ran.status == 0, ran.err
    made = Record.from_json(Path("h.json").read_text())
    made.verify()
    assert made.moves[:20] == game.moves[:20]
    assert made.moves != game.moves
    assert (made.seed, [player["name"] for player in made.players]) == (
        game.seed,
        ["first", "last"],
    )
    assert "From move 20 on: " in ran.out
    assert run(*words, "--json", sandboxed=True).json["record"]["moves"] == made.moves


def test_the_same_bots_play_the_same_end(run: Run, game: Record) -> None:
    ran = run("play", "--from", "g.json#move-20", "first.py", "--json", sandboxed=True)
    assert ran.json["record"]["moves"] == game.moves


@pytest.mark.parametrize(
    "words",
    [
        ("--from", "g.json", "first.py"),
        ("--from", "g.json#move-4800", "first.py"),
        ("--from", "g.json#move-20", "--matches", "2", "first.py"),
        ("--from", "g.json#move-20", "first.py", "first.py", "first.py"),
        ("cassino/standard/1v1",),
    ],
)
def test_what_cannot_be_played_on_is_refused(
    run: Run, game: Record, words: tuple[str, ...]
) -> None:
    assert run("play", *words, sandboxed=True).status == 2
