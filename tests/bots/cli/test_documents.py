"""Run every command in the examples of docs/02-bots.md that needs no site."""

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
    """The arguments of each `cardroom …` line in the document's blocks, in order."""
    lines = []
    for language, text in FENCED.findall(DOCUMENT):
        for line in text.replace("\\\n", " ").splitlines() if not language else ():
            if line.startswith("cardroom "):
                for default, smaller in SMALLER.items():
                    line = re.sub(rf"(?<!\S){default}(?!\S)", smaller, line)
                lines.append(shlex.split(re.sub(r"\s#.*", "", line))[1:])
    return lines


def test_the_examples_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CARDROOM_TOKEN", raising=False)
    source = next(text for language, text in FENCED.findall(DOCUMENT) if language == "python")
    Path("bot.py").write_text(source)
    names = set()
    for arguments in commands():
        names.add(arguments[0])
        if arguments[0] == "measure":  # tests/tournaments/measure runs it against an endpoint
            continue
        target = Path(arguments[arguments.index(">") + 1]) if ">" in arguments else None
        arguments = arguments[: arguments.index(">")] if target else arguments
        starts_bots = arguments[0] in SANDBOXED
        if arguments[0] == "check":
            arguments = [*arguments, "--format", "cassino/standard/1v1"]
        result = CliRunner().invoke(cli.app, [*arguments, *(TRUST if starts_bots else [])])
        if "--server" in arguments:  # it stops at the missing token
            assert "Set CARDROOM_TOKEN" in result.stderr, arguments
        else:
            assert result.exit_code == 0, (arguments, result.output)
        if target:
            target.write_text(result.stdout)
            compile(result.stdout, str(target), "exec")
    assert names >= {"check", "play", "replay", "new", "submit", "enter", "test", "tournament"}


def test_every_command_with_results_has_json() -> None:
    text = (Path(bots.__path__[0]).parent / "docs" / "18-assistants.md").read_text("utf-8")
    missing = set()
    for command in typer.main.get_command(cli.app).commands.values():  # type: ignore[attr-defined]  # a group
        options = {option for param in command.params for option in param.opts}
        if "--json" in options:
            assert f"`{command.name}`" in text[text.index("| command |") :], command.name
        else:
            missing.add(command.name)
    assert missing == {"up", "manage"}


def test_the_examples_for_assistants_run(run: Run) -> None:
    text = (Path(bots.__path__[0]).parent / "docs" / "18-assistants.md").read_text("utf-8")
    names = []
    for line in re.findall(r"`cardroom ([^`]+)`", text.replace("\n", " ")):
        line = line.replace("--matches 200", "--matches 2 --record game.json")
        if line.startswith("check"):
            line += " --format cassino/standard/1v1"
        if line.startswith("analyse"):
            line += " --playouts 2"
        parts = shlex.split(line)
        ran = run(*parts, sandboxed=parts[0] in SANDBOXED)
        assert ran.status == 0, (line, ran.err)
        names.append(parts[0])
        if parts[0] == "check":
            assert {"ok", "summary", "plays", "steps", "log"} <= set(ran.json)
        if parts[0] == "play":
            assert {"totals", "matches", "lead"} <= set(ran.json)
    assert names == ["new", "rules", "rules", "check", "play", "analyse", "replay"]


def test_documented_commands_and_options_exist() -> None:
    options_by_command: dict[str, str] = {}
    for command in cli.app.registered_commands:
        assert command.callback is not None
        name = command.callback.__name__
        options_by_command[name] = (
            CliRunner().invoke(cli.app, [name, "--help"], env={"COLUMNS": "400"}).stdout
        )
    table = DOCUMENT[DOCUMENT.index("## The command line") :]
    names_seen = set()
    for row in re.findall(r"^\| `.*\|$", table, re.MULTILINE):
        cell, _, options_cell = row[2:].partition(" | ")
        names = [text.split()[0] for text in re.findall(r"`([^`]+)`", cell)]
        names_seen |= set(names)
        for option in re.findall(r"--[a-z-]+", options_cell):
            assert any(option in options_by_command[name] for name in names), (names, option)
    assert names_seen == set(options_by_command)
    summaries = CliRunner().invoke(cli.app, ["--help"], env={"COLUMNS": "80"}).stdout
    assert "..." not in summaries[summaries.index("Commands:") :]  # Click shortens long sentences
