"""Files that commands read: devices, pipes, empty lists, long names, names in errors."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from bots.cli.sources import split_move_number
from bots.package.files import open_plain, read_limited
from engine import Match, Record

from .conftest import Run

ONE_DEAL = "cassino/standard/1v1?deals=1"
PLAY = ("play", ONE_DEAL, "house:random", "house:random", "--inprocess", "--seed", "s")


def record() -> Record:
    match = Match(ONE_DEAL, seed="s")
    while match.turn is not None:
        match.play(match.legal_moves()[0])
    return Record.of(match, [{"name": "a"}, {"name": "b"}])


@pytest.mark.parametrize(
    "arguments",
    [
        ("verify", "/dev/zero"),
        ("table", "/dev/zero"),
        ("replay", "/dev/zero"),
        ("analyse", "/dev/zero"),
        ("test", "house:random", "/dev/zero"),
        ("play", "--from", "/dev/zero#move-1", "house:random"),
        (*PLAY, "--record", "/dev/zero", "--resume"),
        ("tournament", ONE_DEAL, "house:random", "house:greedy", "--stages", "/dev/zero"),
    ],
    ids=" ".join,
)
def test_devices_are_refused(run: Run, arguments: tuple[str, ...]) -> None:
    ran = run(*arguments)
    assert ran.status == 2
    assert "/dev/zero cannot be read: it is not a plain file." in ran.err


def pipe_with(content: bytes) -> Path:
    """A pipe that contains this text, like `<(command)` in a shell."""
    reader, writer = os.pipe()
    os.write(writer, content)
    os.close(writer)
    return Path(f"/dev/fd/{reader}")


def test_a_pipe_is_read_up_to_a_limit(run: Run) -> None:
    pipe = pipe_with(record().dumps().encode())
    assert f"{pipe}: agrees" in run("verify", str(pipe)).out
    for read in (open_plain, read_limited):
        with pytest.raises(OSError, match="longer than 10 bytes"):
            read(pipe_with(b"x" * 20), 10)
    os.mkfifo("pipe")
    assert "pipe is not a record" in run("verify", "pipe").err  # nobody writes


@pytest.mark.parametrize("command", ["verify", "table", "replay", "analyse"])
def test_a_file_without_a_match_is_an_error(run: Run, command: str) -> None:
    Path("none.json").write_text("[]")
    ran = run(command, "none.json")
    assert (ran.status, ran.out) == (2, "")
    assert "none.json contains no match" in ran.err
    Path("kept").mkdir()
    Path("kept/none.json").write_text("[]")
    assert "kept/none.json contains no match" in run("table", "kept").err


@pytest.mark.parametrize(
    "arguments",
    [
        ("table", "x" * 400),
        ("verify", "x" * 400),
        ("check", "x" * 400),
        ("play", ONE_DEAL, "x" * 400),
        (*PLAY, "--record", "x" * 400),
        (*PLAY, "--record", "x" * 400, "--resume"),
        ("tournament", ONE_DEAL, "house:random", "house:greedy", "--records", "x" * 400),
        ("tournament", ONE_DEAL, "house:random", "--stages", "x" * 400),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_long_name_is_explained(run: Run, arguments: tuple[str, ...]) -> None:
    ran = run(*arguments)
    assert ran.status == 2
    assert "File name too long" in ran.err
    ran = run(*arguments, "--json")
    assert (ran.status, ran.json["ok"]) == (2, False)


@pytest.mark.parametrize(
    "arguments",
    [
        ("play", ONE_DEAL, "house:random", "house:random"),
        ("play", ONE_DEAL, "house:random", "house:random", "--matches", "4"),
        ("tournament", ONE_DEAL, "house:random", "house:greedy"),
        ("analyse", "g.json"),
        ("measure", ONE_DEAL, "--model", "m", "--endpoint", "http://[::1]:9", "--records", "r"),
    ],
    ids=lambda arguments: arguments[0],
)
@pytest.mark.parametrize("seed", ["x" * 201, "\udcff"], ids=["long", "surrogate"])
def test_an_impossible_seed_is_explained(run: Run, arguments: tuple[str, ...], seed: str) -> None:
    ran = run(*arguments, "--seed", seed)
    assert (ran.status, ran.out) == (2, "")
    assert "--seed: A seed " in ran.err


def test_the_number_of_the_last_shuffle_counts(run: Run) -> None:
    """`--seed` is followed by `-2` in the second shuffle."""
    ran = run(*PLAY, "--matches", "4", "--seed", "x" * 199)
    assert ran.status == 2
    assert "--seed: A seed has at most 200 characters; this has 201." in ran.err


def test_a_number_of_a_move_may_follow_any_name() -> None:
    assert split_move_number("a\nb.json#move-7") == ("a\nb.json", 7)
    assert split_move_number("a.json#move-7\n") == ("a.json#move-7\n", None)


@pytest.mark.parametrize("command", ["replay", "analyse", "test", "play --from", "table"])
def test_errors_in_records_name_the_file(run: Run, command: str) -> None:
    broken = record().to_json()
    broken["moves"][0] = "nonsense"
    broken["result"]["ranks"] = []
    Path("broken.json").write_text(json.dumps(broken))
    arguments = {
        "test": ("test", "house:random", "broken.json", "--seat", "0"),
        "play --from": ("play", "--from", "broken.json#move-3", "house:random"),
    }.get(command, (command, "broken.json"))
    ran = run(*arguments)
    assert ran.status == 1
    assert ran.err.startswith("broken.json: ")
    Path("broken.json").write_text('{"cardroom": 7}')
    ran = run(*arguments)
    assert ran.status == 1
    assert ran.err.startswith("broken.json: A record starts with")


@pytest.mark.parametrize("command", ["play", "tournament", "test"])
def test_errors_in_packages_name_the_bot(run: Run, command: str) -> None:
    Path("g.json").write_text(record().dumps())
    for name, manifest in (("wren", ""), ("shrike", "name = 7")):
        Path(name).mkdir()
        Path(name, "bot.py").write_text("def choose(view, legal):\n    return legal[0]\n")
        Path(name, "cardroom.toml").write_text(manifest)
    bots = (
        ("shrike", "g.json", "--move", "0") if command == "test" else (ONE_DEAL, "wren", "shrike")
    )
    ran = run(command, *bots)
    assert ran.status == 2
    assert ran.err.startswith("'shrike': cardroom.toml: name must be a text")


@pytest.mark.parametrize("command", ["play", "tournament", "test", "play --inprocess"])
def test_a_missing_library_is_named_with_the_bot(
    run: Run, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CARDROOM_LIBRARIES", "")
    Path("g.json").write_text(record().dumps())
    Path("wren").mkdir()
    Path("wren/bot.py").write_text("def choose(view, legal):\n    return legal[0]\n")
    Path("wren/cardroom.toml").write_text('needs = ["numpy"]')
    words = command.split()
    bots = ("g.json", "--seat", "0") if command == "test" else ("house:random",)
    middle = ("wren",) if command == "test" else (ONE_DEAL, "wren")
    ran = run(words[0], *middle, *bots, *words[1:])
    assert ran.status == 2
    assert "wren needs numpy, which this machine does not offer to bots" in ran.err
    assert "Set CARDROOM_LIBRARIES to numpy, or do not set it." in ran.err
