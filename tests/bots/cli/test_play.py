"""`play`: seating, results, records, errors."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bots.cli.common import UsageError
from bots.cli.play import pair
from engine import Format, Record

from .conftest import Run

BAD = "def choose(view, legal):\n    print('hm')\n    return 'no'\n"


def test_a_match_shows_ranks_and_writes_a_record_that_verifies(run: Run) -> None:
    words = ("play", "cassino/royal/2v2", "house:random", "house:random")
    ran = run(*words, "--deals", "1", "--seed", "x", "--record", "g.json", sandboxed=True)
    assert ran.status == 0, ran.err
    assert "cassino/royal/2v2?deals=1, seed x" in ran.out
    record = Record.from_json(Path("g.json").read_text())
    record.verify()
    assert [player["name"] for player in record.players] == [
        "house:random #1",
        "house:random #2",
        "house:random #1",
        "house:random #2",
    ]
    again = run(*words, "--deals", "1", "--seed", "x", "--json", sandboxed=True).json
    assert again[0]["record"]["moves"] == record.moves


def test_a_secret_for_the_seats_changes_their_play_and_repeats_it(run: Run) -> None:
    words = ("play", "cassino/standard/1v1", "house:random", "house:random", "--deals", "1")
    games = [
        run(*words, "--seed", "x", *more, "--json", sandboxed=True).json[0]["record"]
        for more in ((), ("--rng", "a"), ("--rng", "a"), ("--rng", "x"))
    ]
    assert [game.get("rng") for game in games] == [None, "a", "a", "x"]
    assert games[1]["moves"] == games[2]["moves"] != games[0]["moves"] == games[3]["moves"]


def test_a_bot_that_breaks_down_is_shown_with_its_log(run: Run) -> None:
    Path("[bold].py").write_text(BAD)
    ran = run("play", "cassino/standard/1v1", "[bold].py", "house:random", sandboxed=True)
    assert ran.status == 1
    assert "[bold]" in ran.out
    assert "failed at move 0: illegal" in ran.out
    assert "hm" in ran.out


def test_several_matches_give_a_table_and_several_records(run: Run) -> None:
    words = ("cassino/standard/1v1", "house:random", "house:random", "--deals", "1")
    ran = run("play", *words, "--matches", "4", "--record", "g.json", sandboxed=True)
    assert ran.status == 0, ran.err
    assert "4 matches" in ran.out
    records = [Record.from_json(Path(f"g-{number}.json").read_text()) for number in range(1, 5)]
    assert records[0].seed == records[1].seed != records[2].seed == records[3].seed
    assert records[0].players == records[1].players[::-1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("cassino/royal/2v2", "house:x"), "No house bot is called 'x'"),
        (("cassino/royal/2v2", "nothing"), "There is no 'nothing'"),
        (("cassino/royal/2v2", *["house:random"] * 3), "2 (one a side) or 4 (one a seat)"),
        (("cassino/royal/9v9", "house:random"), "No table form is called 9v9"),
        (("cassino/royal/2v2?x=1", "house:random"), "No option is called x"),
        (("cassino/royal/2v2", "house:random", "--deals", "999"), "--deals 999 is not possible"),
        (("cassino/royal/2v2", "house:random", "--move-ms", "0"), "Invalid value for '--move-ms'"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(run: Run, words: tuple[str, ...], message: str) -> None:
    ran = run("play", *words, sandboxed=True)
    assert ran.status == 2
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


def test_pairings_rotate_the_sides_over_the_same_shuffle() -> None:
    fmt = Format.parse("cassino/standard/ffa3")
    pairings = pair(fmt, 3, "s", 6)
    assert [pairing.seed for pairing in pairings] == ["s-1"] * 3 + ["s-2"] * 3
    for place in range(3):
        assert Counter(pairing.entries[place] for pairing in pairings) == {0: 2, 1: 2, 2: 2}


def test_one_bot_a_seat_keeps_partners_together() -> None:
    fmt = Format.parse("cassino/standard/2v2")
    pairings = pair(fmt, 4, "s", 2)
    assert [pairing.entries for pairing in pairings] == [(0, 1, 2, 3), (1, 0, 3, 2)]
    assert [pairing.seed for pairing in pairings] == ["s", "s"]
    assert pair(fmt, 1, "s", 1)[0].entries == (0, 0, 0, 0)
    with pytest.raises(UsageError):
        pair(fmt, 5, "s", 1)
