"""`test` and `play --from`: a bot plays in a record or at one of its positions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bots.referee.rehearsal import parse_case
from engine import Match, Record

from .conftest import Run

FIRST = "def choose(view, legal):\n    return {'move': legal[0], 'note': 'the first'}\n"
LAST = "def choose(view, legal):\n    return legal[-1]\n"
FEW = ("--playouts", "4")


@pytest.fixture
def game(run: Run) -> Record:
    """A match of first legal moves in g.json, with bots that play the first or the last move."""
    match = Match("cassino/standard/1v1?deals=1", seed="v")
    while match.turn is not None:
        match.play(match.legal_moves()[0])
    record = Record.of(match, [{"name": "Ann"}, {"name": "Bob"}])
    Path("g.json").write_text(record.dumps())
    Path("first.py").write_text(FIRST)
    Path("last.py").write_text(LAST)
    return record


def test_a_position_may_be_the_address_of_a_replay(run: Run, game: Record) -> None:
    one = run("replay", "g.json#move-7", "--json").json
    assert one == run("replay", "g.json", "--move", "7", "--json").json


def test_a_bot_at_a_seat_of_a_record(run: Run, game: Record) -> None:
    Path("broken.py").write_text("def choose(view, legal):\n    return legal[-1], print(legal)\n")
    decisions = len(game.moves) // 2
    result = run("test", "first.py", "g.json", "--seat", "1", sandboxed=True)
    assert result.status == 0, result.err
    assert result.out == f"Seat 1: {decisions} decisions, {decisions} the same, 0 different.\n"
    for arguments in ((), ("--seat", "2"), ("--seat", "-1")):
        wrong = run("test", "first.py", "g.json", *arguments, sandboxed=True)
        assert (wrong.status, "--seat 0 to 1" in wrong.err) == (2, True)
    broken = run("test", "broken.py", "g.json", "--seat", "1", *FEW, sandboxed=True)
    assert broken.status == 1
    assert "The bot failed: crash at move 1" in broken.out
    assert "-- move 1 --" in broken.out


def test_differing_moves_are_listed(run: Run, game: Record) -> None:
    arguments = ("test", "last.py", "g.json", "--seat", "0", "--no-expert")
    comparison = run(*arguments, "--json", sandboxed=True).json
    match = game.start()
    expected = []
    for number, move in enumerate(game.moves):
        if match.turn == 0:
            expected.append((number, move, match.legal_moves()[-1], True))
        match.play(move)
    rows = [
        (decision["number"], decision["played"], decision["move"], decision["legal"])
        for decision in comparison["decisions"]
    ]
    assert rows == expected
    assert (comparison["seat"], comparison["fault"]) == (0, None)
    text = run(*arguments, sandboxed=True).out
    for number, move, other, _ in expected:
        assert (f"{number:>4}  {move}  last plays {other}\n" in text) == (move != other)
    Path("wrong.py").write_text("def choose(view, legal):\n    return 'XX'\n")
    result = run("test", "wrong.py", "g.json", "--seat", "0", *FEW, sandboxed=True)
    assert (result.status, result.out.count("XX (illegal)")) == (1, len(expected))


def test_the_expert_judges_differing_moves(run: Run, game: Record) -> None:
    arguments = ("test", "last.py", "g.json", "--seat", "1", *FEW)
    decisions = len(game.moves) // 2
    comparison = run(*arguments, "--json", sandboxed=True).json
    differences = [
        decision for decision in comparison["decisions"] if decision["move"] != decision["played"]
    ]
    assert differences
    for decision in comparison["decisions"]:
        moves = (
            [] if decision["move"] == decision["played"] else [decision["played"], decision["move"]]
        )
        assert [move["played"] for move in decision["expert"]] == moves
    text = run(*arguments, sandboxed=True).out
    same = decisions - len(differences)
    counts = f"{decisions} decisions, {same} the same, {len(differences)} different"
    assert counts in text
    assert "points to the expert" in text


def test_bot_and_expert_judge_a_position(run: Run, game: Record) -> None:
    Path("case.json").write_text(run("replay", "g.json#move-9", "--json").out)
    for place in (("case.json",), ("g.json#move-9",), ("g.json", "--move", "9", "--seat", "1")):
        ran = run("test", "first.py", *place, *FEW, sandboxed=True)
        assert ran.status == 0, ran.err
        assert ran.out.startswith(f"   9  {game.moves[9]} (")
        assert f"first plays {game.moves[9]} (" in ran.out
        assert "“the first”" in ran.out
        assert f"        {game.moves[9]}: " in ran.out
    ((judgement),) = run("test", "last.py", "case.json", *FEW, "--json", sandboxed=True).json[
        "decisions"
    ]
    assert (judgement["played"], judgement["legal"]) == (game.moves[9], True)
    assert [move["played"] for move in judgement["expert"]] == [game.moves[9], judgement["move"]]
    without_expert = run(
        "test", "last.py", "case.json", "--no-expert", "--json", sandboxed=True
    ).json
    assert without_expert["decisions"][0]["expert"] == []
    ran = run("test", "last.py", "g.json#move-9", "--seat", "0", sandboxed=True)
    assert (ran.status, ran.err) == (2, "In this position seat 1 must move, not seat 0.\n")


def test_a_wrong_answer_at_a_position_fails(run: Run, game: Record) -> None:
    Path("wrong.py").write_text("def choose(view, legal):\n    return 'XX'\n")
    ran = run("test", "wrong.py", "g.json#move-9", *FEW, sandboxed=True)
    assert ran.status == 1
    assert "wrong plays XX (illegal)" in ran.out
    Path("wrong.py").write_text("def choose(view, legal):\n    return legal[0], print('oh')\n")
    broken = run("test", "wrong.py", "g.json#move-9", *FEW, sandboxed=True)
    assert broken.status == 1
    assert "The bot failed: crash at move 9" in broken.out


@pytest.mark.parametrize(
    ("content", "status", "error"),
    [
        (
            '{"question": {}}',
            2,
            "case.json is not a position of `cardroom replay`: question.view is",
        ),
        ('{"start": {}, "question": {}}', 2, "case.json is not a position of `cardroom replay`:"),
        ("{", 2, "case.json is not a record"),
        ("", 2, "case.json is not a record"),
        ("[]", 2, "case.json contains no match"),
        ("{}", 1, ""),
        ("[7]", 1, "A record is a JSON object"),
    ],
)
def test_an_invalid_position_is_refused(run: Run, content: str, status: int, error: str) -> None:
    Path("first.py").write_text(FIRST)
    Path("case.json").write_text(content)
    ran = run("test", "first.py", "case.json", sandboxed=True)
    assert (ran.status, error in ran.err) == (status, True), ran.err


def test_a_view_that_the_expert_cannot_read_is_an_error(run: Run, game: Record) -> None:
    case = run("replay", "g.json#move-9", "--json").json
    case["question"]["view"] = {}
    Path("case.json").write_text(json.dumps(case))
    Path("blind.py").write_text(f"def choose(view, legal):\n    return {game.moves[9]!r}\n")
    ran = run("test", "blind.py", "case.json", sandboxed=True)
    assert (ran.status, "The expert cannot judge this position" in ran.err) == (2, True)
    assert run("test", "blind.py", "case.json", "--no-expert", sandboxed=True).status == 0


@pytest.mark.parametrize(
    ("arguments", "replacement"),
    [
        (("ask", "first.py", "case.json"), "cardroom test BOT FILE`"),
        (("position", "g.json", "7"), "cardroom replay FILE#move-N --json`"),
        (("rerun", "g.json", "first.py", "--seat", "0"), "cardroom test BOT FILE --seat N`"),
        (("replay", "g.json", "--bot=first.py"), "cardroom test BOT FILE --seat N --no-expert`"),
        (("replay", "g.json", "--bot", "first.py"), "cardroom test BOT FILE --seat N --no-expert`"),
    ],
)
def test_removed_commands_name_their_replacements(
    run: Run, arguments: tuple[str, ...], replacement: str
) -> None:
    ran = run(*arguments)
    assert (ran.status, replacement in ran.err) == (2, True), ran.err


CHANGES: list[tuple[tuple[str, ...], object, str]] = [
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


def test_each_part_of_a_case_is_validated(run: Run, game: Record) -> None:
    case = run("replay", "g.json#move-9", "--json").json
    assert parse_case(case).played == game.moves[9]
    for path, value, error in CHANGES:
        changed = json.loads(json.dumps(case))
        place = changed
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        with pytest.raises(ValueError, match=error):
            parse_case(changed)


def test_a_match_continues_from_a_position(run: Run, game: Record) -> None:
    arguments = ("play", "--from", "g.json#move-20", "first.py", "last.py")
    ran = run(*arguments, "--record", "h.json", sandboxed=True)
    assert ran.status == 0, ran.err
    record = Record.from_json(Path("h.json").read_text())
    record.verify()
    assert record.moves[:20] == game.moves[:20]
    assert record.moves != game.moves
    assert (record.seed, [player["name"] for player in record.players]) == (
        game.seed,
        ["first", "last"],
    )
    assert "From move 20 on: " in ran.out
    assert run(*arguments, "--json", sandboxed=True).json["record"]["moves"] == record.moves


def test_the_same_bots_continue_in_the_same_way(run: Run, game: Record) -> None:
    ran = run("play", "--from", "g.json#move-20", "first.py", "--json", sandboxed=True)
    assert ran.json["record"]["moves"] == game.moves


@pytest.mark.parametrize(
    "arguments",
    [
        ("--from", "g.json", "first.py"),
        ("--from", "g.json#move-4800", "first.py"),
        ("--from", "g.json#move-20", "--matches", "2", "first.py"),
        ("--from", "g.json#move-20", "first.py", "first.py", "first.py"),
        ("cassino/standard/1v1",),
    ],
)
def test_a_position_that_cannot_be_continued_is_refused(
    run: Run, game: Record, arguments: tuple[str, ...]
) -> None:
    assert run("play", *arguments, sandboxed=True).status == 2
