"""`play`: seating, results, records, errors."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bots.cli.common import UsageError
from bots.referee.outcome import MatchOutcome
from bots.referee.referee import play_match
from engine import Format, Match, Record
from tournaments.home.play_command import seatings

from .conftest import Run

BAD = "def choose(view, legal):\n    print('hm')\n    return 'no'\n"


def test_a_match_shows_ranks_and_writes_a_record_that_verifies(run: Run) -> None:
    arguments = ("play", "cassino/royal/2v2", "house:random", "house:random")
    ran = run(*arguments, "--deals", "1", "--seed", "x", "--record", "g.json", sandboxed=True)
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
    second = run(*arguments, "--deals", "1", "--seed", "x", "--json", sandboxed=True).json
    assert second[0]["record"]["moves"] == record.moves


def test_a_secret_of_the_seats_determines_their_play(run: Run) -> None:
    arguments = ("play", "cassino/standard/1v1", "house:random", "house:random", "--deals", "1")
    games = [
        run(*arguments, "--seed", "x", *options, "--json", sandboxed=True).json[0]["record"]
        for options in ((), ("--rng", "a"), ("--rng", "a"), ("--rng", "x"))
    ]
    assert [game.get("rng") for game in games] == [None, "a", "a", "x"]
    assert games[1]["moves"] == games[2]["moves"] != games[0]["moves"] == games[3]["moves"]


def test_a_crashed_bot_is_shown_with_its_log(run: Run) -> None:
    Path("[bold].py").write_text(BAD)
    ran = run("play", "cassino/standard/1v1", "[bold].py", "house:random", sandboxed=True)
    assert ran.status == 1
    assert "[bold]" in ran.out
    assert "failed at move 0: illegal" in ran.out
    assert "hm" in ran.out


def test_a_folder_of_records_gives_a_table(run: Run) -> None:
    arguments = (
        "cassino/standard/1v1",
        "house:random",
        "house:random",
        "--deals",
        "1",
        "--inprocess",
    )
    assert run("play", *arguments, "--matches", "2", "--record", "kept").status == 0
    assert sorted(path.name for path in Path("kept").iterdir()) == ["1.json", "2.json"]
    assert run("play", *arguments, "--record", "kept").status == 0
    assert run("table", "kept").status == 0
    Path("file").touch()
    ran = run("play", *arguments, "--matches", "2", "--record", "file/kept")
    assert (ran.status, "cannot be written to file/kept/1.json" in ran.err) == (2, True)


def test_one_deal_group_is_in_the_singular(run: Run) -> None:
    arguments = ("cassino/standard/1v1?deals=1", "house:random", "house:greedy", "--inprocess")
    ran = run("play", *arguments, "--matches", "2", "--record", "kept")
    assert ("1 deal group:" in ran.out, "2 matches" in ran.out) == (True, True)
    (Path("kept") / "2.json").unlink()
    assert run("table", "kept").out.startswith("cassino/standard/1v1?deals=1, 1 match\n")
    ran = run("tournament", *arguments, "--groups", "1")
    assert ": 1 deal group, 2 matches" in ran.out


def test_several_matches_give_a_table_and_several_records(run: Run) -> None:
    arguments = ("cassino/standard/1v1", "house:random", "house:random", "--deals", "1")
    ran = run("play", *arguments, "--matches", "4", "--record", "g.json", sandboxed=True)
    assert ran.status == 0, ran.err
    assert "4 matches" in ran.out
    records = [Record.from_json(Path(f"g-{number}.json").read_text()) for number in range(1, 5)]
    assert records[0].seed == records[1].seed != records[2].seed == records[3].seed
    assert records[0].players == records[1].players[::-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cassino/royal/2v2", "house:x"), "No house bot is called 'x'"),
        (("cassino/royal/2v2", "nothing"), "There is no 'nothing'"),
        (("cassino/royal/2v2", *["house:random"] * 3), "2 (one per side) or 4 (one per seat)"),
        (("cassino/royal/9v9", "house:random"), "No table form is called 9v9"),
        (("cassino/royal/2v2?x=1", "house:random"), "No option is called x"),
        (("cassino/royal/2v2", "house:random", "--deals", "999"), "--deals 999 is not possible"),
        (
            ("cassino/royal/2v2", "house:random", "--move-ms", "0"),
            "The free time of a move must be",
        ),
    ],
)
def test_wrong_usage_is_explained_in_a_sentence(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    ran = run("play", *arguments, sandboxed=True)
    assert ran.status == 2
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


def test_seatings_rotate_the_sides_over_the_same_shuffle() -> None:
    fmt = Format.parse("cassino/standard/ffa3")
    planned = seatings(fmt, 3, "s", 6)
    assert [seating.seed for seating in planned] == ["s-1"] * 3 + ["s-2"] * 3
    for place in range(3):
        assert Counter(seating.seats[place] for seating in planned) == {0: 2, 1: 2, 2: 2}


def test_one_bot_for_each_seat_keeps_partners_together() -> None:
    fmt = Format.parse("cassino/standard/2v2")
    planned = seatings(fmt, 4, "s", 2)
    assert [seating.seats for seating in planned] == [(0, 1, 2, 3), (1, 0, 3, 2)]
    assert [seating.seed for seating in planned] == ["s", "s"]
    assert seatings(fmt, 1, "s", 1)[0].seats == (0, 0, 0, 0)
    with pytest.raises(UsageError):
        seatings(fmt, 5, "s", 1)


def test_totals_are_printed_beside_the_matches(run: Run) -> None:
    arguments = ("cassino/standard/1v1", "house:random", "house:greedy", "--deals", "1")
    options = ("--matches", "4", "--seed", "x", "--json")
    without_totals = run("play", *arguments, *options, sandboxed=True).json
    with_totals = run("play", *arguments, *options, "--totals", sandboxed=True).json
    assert [match["record"]["moves"] for match in with_totals["matches"]] == [
        match["record"]["moves"] for match in without_totals
    ]
    assert [row["bot"] for row in with_totals["totals"]] == ["house:random", "house:greedy"]
    for row in with_totals["totals"]:
        assert row["won"] + row["shared"] + row["lost"] == row["matches"] == 4
    scores = [match["record"]["result"]["scores"] for match in without_totals]
    assert sum(row["score"] for row in with_totals["totals"]) == sum(map(sum, scores)) / 4


def test_ctrl_c_keeps_finished_matches(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    matches = 0

    def until_the_third(*args: Any, **options: Any) -> MatchOutcome:
        nonlocal matches
        matches += 1
        if matches == 3:
            raise KeyboardInterrupt
        return play_match(*args, **options)

    monkeypatch.setattr("bots.referee.parallel.play_match", until_the_third)
    arguments = ("play", "cassino/standard/1v1", "house:random", "house:greedy", "--deals", "1")
    ran = run(*arguments, "--matches", "4", "--record", "g.json", sandboxed=True)
    assert ran.status == 2
    [seed] = {Record.from_json(Path(f"g-{n}.json").read_text()).seed[:-2] for n in (1, 2)}
    assert f"Stopped after 2 of 4 matches, seed {seed}." in ran.err
    assert f"with --seed {seed} --resume." in ran.err
    assert f"cassino/standard/1v1?deals=1, seed {seed}, 2 matches" in ran.out
    assert ran.out.splitlines()[2].split()[:2] == ["house:random", "2"]
    assert {path.name for path in Path().glob("*.json")} == {"g-1.json", "g-2.json"}
    assert run("table", ".").out.partition("\n")[2] in ran.out
    matches = 2
    ran = run(*arguments, "--seed", "x", sandboxed=True)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.endswith("Stopped after 0 of 1 match, seed x.\n")
    matches = 2
    error = run(*arguments, "--seed", "x", "--json", sandboxed=True).json
    assert error == {"ok": False, "error": "Stopped after 0 of 1 match, seed x."}


def test_a_bot_that_does_not_claim_the_format_is_named(run: Run) -> None:
    Path("wren").mkdir()
    Path("wren/bot.py").write_text("def choose(view, legal):\n    return legal[0]\n")
    Path("wren/cardroom.toml").write_text('formats = ["cassino/*/1v1", "paks/*/*"]')
    arguments = ("wren", "house:random", "--deals", "1")
    ran = run("play", "canasta/classic/1v1", *arguments, sandboxed=True)
    assert ran.status == 0
    warning = "wren claims cassino/*/1v1, paks/*/*, not canasta/classic/1v1; it is played anyway"
    assert warning in ran.err
    assert "claims" not in run("play", "cassino/royal/1v1", *arguments, sandboxed=True).err


def test_records_are_added_up(run: Run) -> None:
    arguments = (
        "house:random",
        "house:greedy",
        "--deals",
        "1",
        "--matches",
        "2",
        "--json",
        "--totals",
    )
    Path("kept").mkdir()
    totals = {}
    for game in ("cassino", "paks"):
        fmt = f"{game}/standard/1v1"
        options = ("--record", f"kept/{game}.json")
        result = run("play", fmt, *arguments, *options, sandboxed=True).json
        totals[result["format"]] = result["totals"]
    added = run("table", "kept", "--json").json
    assert {row["format"]: row["totals"] for row in added} == totals
    assert "paks/standard/1v1" in run("table", "kept/paks-1.json").out
    Path("empty").mkdir()
    Path("empty/measurement.json").write_text("{}")
    assert run("table", "empty").status == 2
    record = Record.from_json(Path("kept/paks-1.json").read_text())
    record.result = {"scores": [], "ranks": "x", "reason": "y"}
    Path("bad.json").write_text(record.dumps())
    ran = run("table", "kept", "bad.json")
    assert (ran.status, ran.err) == (
        1,
        "bad.json: The record's result does not fit its format.\n",
    )
    Path("kept/other.json").write_text("{}")
    assert run("table", "kept").err.startswith("kept/other.json: A record starts with")


def test_names_are_not_cut_on_a_narrow_screen(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["house:expert-5", "Magpie-with-a-beak"]
    match = Match("cassino/standard/1v1?deals=1", seed="s")
    while match.turn is not None:
        match.play(match.legal_moves()[0])
    record = Record.of(match, [{"name": name} for name in names])
    Path("kept.json").write_text(record.dumps())
    monkeypatch.setenv("COLUMNS", "40")
    lines = run("table", "kept.json").out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == names
    assert all(len(line.split()) == 7 for line in lines[1:])


def test_trusted_bots_get_only_the_named_variables(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_KEY", "given")
    monkeypatch.setenv("OTHER_KEY", "withheld")
    Path("keyed.py").write_text(
        "import os\n"
        "def choose(view, legal):\n"
        "    keys = os.environ.get('BOT_KEY'), os.environ.get('OTHER_KEY')\n"
        "    return {'move': legal[0], 'note': str(keys)}\n"
    )
    arguments = ("play", "cassino/standard/1v1?deals=1", "keyed.py", "--jobs", "1", "--json")
    [match] = run(*arguments, "--trusted", "--env", "BOT_KEY").json
    assert set(match["record"]["notes"].values()) == {"('given', None)"}
    for options in (("--env", "BOT_KEY"), ("--trusted", "--env", "NO_SUCH_KEY")):
        result = run(*arguments, *options)
        assert result.status == 2
        assert "--env" in result.json["error"]
        assert "NO_SUCH_KEY" not in result.json["error"]
