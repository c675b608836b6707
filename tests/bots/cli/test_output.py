"""Output that cannot be written, closed streams, and errors of options as JSON."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine import Match, Record
from tournaments.home import cli

from .conftest import Run

COMMAND = (sys.executable, "-m", "tournaments")
ONE_DEAL = "cassino/standard/1v1?deals=1"
RANDOM = ("house:random", "house:random", "--inprocess", "--seed", "s")
SHOWING = [
    ("--version",),
    ("formats",),
    ("formats", "--json"),
    ("rules", "cassino"),
    ("rules", "cassino", "--for-bots"),
    ("schema",),
    ("schema", "move"),
    ("new", "wren"),
    ("play", ONE_DEAL, *RANDOM),
    ("play", ONE_DEAL, *RANDOM, "--matches", "2", "--json"),
    ("tournament", ONE_DEAL, *RANDOM, "--groups", "1"),
    ("table", "g.json"),
    ("verify", "g.json"),
    ("replay", "g.json"),
    ("replay", "g.json#move-1", "--json"),
    ("replay", "g.json#move-1", "--pytest"),
    ("analyse", "g.json", "--playouts", "2"),
    ("formats", "--no-such-option", "--json"),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CARDROOM_JOBS", "1")
    match = Match(ONE_DEAL, seed="s")
    while match.turn is not None:
        match.play(match.legal_moves()[0])
    Path("g.json").write_text(Record.of(match).dumps())


@pytest.mark.parametrize("arguments", SHOWING, ids=" ".join)
def test_a_full_disk_is_explained(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as ended:
            cli.app(list(arguments), prog_name="cardroom")
        monkeypatch.undo()
    assert ended.value.code == 2
    errors = capfd.readouterr().err
    assert "The output cannot be written: No space left on device." in " ".join(errors.split())


def start(*arguments: str, redirection: str) -> subprocess.CompletedProcess[str]:
    """Run `cardroom` in a shell with a redirection."""
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", *COMMAND, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "status"),
    [(("formats",), 2), (("formats", "--help"), 2), (("doctor",), 1), (("manage", "help"), 1)],
)
def test_the_interpreter_adds_nothing_to_the_explanation(
    arguments: tuple[str, ...], status: int
) -> None:
    process = start(*arguments, redirection="> /dev/full")
    assert process.returncode == status
    assert process.stderr == "The output cannot be written: No space left on device.\n"


def test_a_full_disk_for_errors_does_not_change_the_result() -> None:
    process = start("play", ONE_DEAL, *RANDOM, redirection="2> /dev/full")
    assert process.returncode == 0
    assert "ended by" in process.stdout


@pytest.mark.parametrize("arguments", [("formats",), ("doctor",)], ids=" ".join)
def test_a_closed_output_is_an_empty_one(arguments: tuple[str, ...]) -> None:
    process = start(*arguments, redirection=">&-")
    assert process.returncode in {0, 1}  # `doctor` fails on a host that lacks something
    assert "Traceback" not in process.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("formats", "--nothing", "--json"), "No such option: --nothing"),
        (("play", "--json"), "Missing argument 'FORMAT'"),
        (("play", ONE_DEAL, "x", "--matches", "0", "--json"), "--matches"),
        (("nothing", "--json"), "No such command 'nothing'"),
        (("ask", "--json"), "`cardroom ask` is now `cardroom test BOT FILE`."),
    ],
)
def test_errors_of_options_are_json_if_json_is_asked_for(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    ran = run(*arguments)
    assert ran.status == 2
    assert ran.json["ok"] is False
    assert message in ran.json["error"]
    assert ran.err == ""
    texts = run(*(word for word in arguments if word != "--json"))
    assert (texts.status, texts.out) == (2, "")
    assert message in " ".join(texts.err.split())


def test_json_after_two_dashes_is_no_option(run: Run) -> None:
    ran = run("formats", "--nothing", "--", "--json")
    assert (ran.status, ran.out) == (2, "")
