"""`formats`, `rules` and `schema`."""

from __future__ import annotations

import re

import pytest
from typer.testing import CliRunner

from bots.schemas.documents import names, schema
from bots.sheets.rule_sheets import rule_sheet
from engine import Match, all_formats
from engine.formats import games
from tournaments.home import cli

from .conftest import Run


@pytest.mark.parametrize(
    ("line", "completions"),
    [
        ("cardroom tour", ["tournament"]),
        ("cardroom play canasta/cl", ["canasta/classic/1v1", "canasta/classic/2v2"]),
        ("cardroom rules pa", ["paks"]),
        ("cardroom schema paks-s", ["paks-sheet"]),
        ("cardroom play cassino/royal/1v1 b --spr", ["--sprt"]),
    ],
)
def test_a_shell_completes_commands_formats_games_and_options(
    line: str, completions: list[str]
) -> None:
    environment = {
        "_CARDROOM_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
    }
    ran = CliRunner().invoke(cli.app, [], prog_name="cardroom", env=environment)
    assert set(completions) <= set(ran.stdout.split())
    prefix = line.rpartition(" ")[2]
    assert all(text.startswith(prefix) for text in ran.stdout.split())


def test_the_version_names_the_engine(run: Run) -> None:
    ran = run("--version")
    assert ran.status == 0
    assert re.fullmatch(r"Cardroom [\w.+]+, rules (compiled|interpreted \(.+\))\n", ran.out)


def test_formats_lists_every_format(run: Run) -> None:
    ran = run("formats")
    assert ran.status == 0
    for fmt in all_formats():
        assert str(fmt) in ran.out
    rows = run("formats", "cassino", "--json").json
    assert [entry["format"] for entry in rows] == [
        str(fmt) for fmt in all_formats() if fmt.game == "cassino"
    ]
    assert rows[2]["sides"] == [[0, 2], [1, 3]]
    assert rows[2]["options"]["target"] == 21


def test_rules_shows_the_options_with_their_clauses(run: Run) -> None:
    ran = run("rules", "cassino")
    assert ran.status == 0
    assert "face_pairs" in ran.out
    assert "CAS-13" in ran.out
    assert run("rules", "cassino", "--json").json["title"] == "Cassino"


def test_rules_print_every_word_of_the_sheet(run: Run) -> None:
    output = run("rules", "cassino").out
    sheet = rule_sheet("cassino") or ""
    for word in re.findall(r"[a-z]{3,}", sheet.replace("```cards", "")):
        assert word in output
    assert "every set of cards whose numbers add up to its number" in " ".join(output.split())
    assert "9♥ takes 9♣ and 5♦ 4♣" in output


def test_rules_in_another_language(run: Run) -> None:
    assert "カシノ" in run("rules", "cassino", "--language", "ja").out
    ran = run("rules", "cassino", "--language", "fr")
    assert ran.status == 2
    assert "The languages are en, ja." in ran.err


def test_an_unknown_game_is_wrong_usage(run: Run) -> None:
    for command in ("formats", "rules"):
        ran = run(command, "casino")
        assert ran.status == 2
        assert ran.err.startswith("No game is called 'casino'. Cardroom has cassino")
        assert run(command, "casino", "--json").json["ok"] is False


@pytest.mark.parametrize("game", [described["name"] for described in games()])
def test_the_reference_for_bots_names_every_key_of_a_view(run: Run, game: str) -> None:
    result = run("rules", game, "--for-bots")
    assert result.status == 0
    text = run("rules", game, "--for-bots", "--json").json["reference"]
    for fmt in all_formats():
        if fmt.game == game:
            for key in Match(fmt, "a test").view(0):
                assert f'"{key}"' in text or f"`{key}`" in text, key
    assert "| `hand_sizes` | list of numbers |" in text
    assert "<!--" not in text
    for expected in ("TD", "+", "card order"):
        assert expected in result.out


def test_schemas_are_listed_and_printed(run: Run) -> None:
    assert [row["name"] for row in run("schema", "--json").json] == names()
    assert "A bot's answer to a question." in run("schema").out
    assert run("schema", "zwicker-move").json == schema("zwicker-move")
    ran = run("schema", "whist-view")
    assert ran.status == 2
    assert ran.err.startswith("No schema is called 'whist-view'. There are start, ")
