"""The examples of docs/02-bots.md: every command of it is run, as far as it needs no site."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import bots
import tournaments.home.cli  # noqa: F401 - adds the command `tournament`
from tournaments.home import cli

from .conftest import TRUST, Run

DOCUMENT = (Path(bots.__path__[0]).parent / "docs" / "02-bots.md").read_text("utf-8")
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SMALLER = {
    "SEED": "x",
    "RNG": "y",
    "--matches 200": "--matches 2",
    "--groups 50": "--groups 1",
    "--jobs 2": "--playouts 2",
    "--sprt 0,20": "--matches 2",
}
SANDBOXED = {"check", "play", "test", "tournament"}


def commands() -> list[list[str]]:
    """The words of each `cardroom …` line in the document's blocks, in order."""
    found = []
    for language, text in FENCED.findall(DOCUMENT):
        for line in text.replace("\\\n", " ").splitlines() if not language else ():
            if line.startswith("cardroom "):
                for long, short in SMALLER.items():
                    line = re.sub(rf"(?<!\S){long}(?!\S)", short, line)
                found.append(shlex.split(re.sub(r"\s#.*", "", line))[1:])
    return found


def test_the_examples_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CARDROOM_TOKEN", raising=False)
    source = next(text for language, text in FENCED.findall(DOCUMENT) if language == "python")
    Path("bot.py").write_text(source)
    seen = set()
    for words in commands():
        seen.add(words[0])
        if words[0] == "measure":  # tests/tournaments/measure runs it against an endpoint
            continue
        target = Path(words[words.index(">") + 1]) if ">" in words else None
        words = words[: words.index(">")] if target else words
        boxed = words[0] in SANDBOXED
        if words[0] == "check":
            words = [*words, "--format", "cassino/standard/1v1"]
        result = CliRunner().invoke(cli.app, [*words, *(TRUST if boxed else [])])
        if "--server" in words:  # it gets as far as the token
            assert "Set CARDROOM_TOKEN" in result.stderr, words
        else:
            assert result.exit_code == 0, (words, result.output)
        if target:
            target.write_text(result.stdout)
            compile(result.stdout, str(target), "exec")
    assert seen >= {"check", "play", "replay", "new", "submit", "enter", "test", "tournament"}


def test_every_command_that_prints_results_prints_them_as_json() -> None:
    text = (Path(bots.__path__[0]).parent / "docs" / "18-assistants.md").read_text("utf-8")
    without = set()
    for command in typer.main.get_command(cli.app).commands.values():  # type: ignore[attr-defined]  # a group
        options = {option for param in command.params for option in param.opts}
        if "--json" in options:
            assert f"`{command.name}`" in text[text.index("| command |") :], command.name
        else:
            without.add(command.name)
    assert without == {"up", "manage"}


def test_the_examples_for_assistants_run(run: Run) -> None:
    text = (Path(bots.__path__[0]).parent / "docs" / "18-assistants.md").read_text("utf-8")
    seen = []
    for words in re.findall(r"`cardroom ([^`]+)`", text.replace("\n", " ")):
        words = words.replace("--matches 200", "--matches 2 --record game.json")
        if words.startswith("check"):
            words += " --format cassino/standard/1v1"
        if words.startswith("analyse"):
            words += " --playouts 2"
        parts = shlex.split(words)
        ran = run(*parts, sandboxed=parts[0] in SANDBOXED)
        assert ran.status == 0, (words, ran.err)
        seen.append(parts[0])
        if parts[0] == "check":
            assert {"ok", "summary", "plays", "steps", "log"} <= set(ran.json)
        if parts[0] == "play":
            assert {"totals", "matches", "lead"} <= set(ran.json)
    assert seen == ["new", "rules", "rules", "check", "play", "analyse", "replay"]


def test_every_command_and_option_that_is_named_is_there() -> None:
    there: dict[str, str] = {}
    for command in cli.app.registered_commands:
        assert command.callback is not None
        name = command.callback.__name__
        there[name] = CliRunner().invoke(cli.app, [name, "--help"], env={"COLUMNS": "400"}).stdout
    table = DOCUMENT[DOCUMENT.index("## The command line") :]
    named = set()
    for row in re.findall(r"^\| `.*\|$", table, re.MULTILINE):
        cell, _, rest = row[2:].partition(" | ")
        names = [words.split()[0] for words in re.findall(r"`([^`]+)`", cell)]
        named |= set(names)
        for option in re.findall(r"--[a-z-]+", rest):
            assert any(option in there[name] for name in names), (names, option)
    assert named == set(there)
