"""Matches at home on several cores: the same results, no losses, no duplicates."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bots.cli.common import write_record
from engine import Record
from tests.sites import eventually, remaining_descendants, running_descendants

ONE_DEAL = "cassino/standard/1v1?deals=1"
SEEDED = ("--seed", "s", "--json", "--totals")
SIX = ("--matches", "6", *SEEDED)
SLOW = "import time\ndef choose(view, legal):\n    time.sleep(0.02)\n    return legal[0]\n"
HASHED = "def choose(view, legal):\n    return next(iter(set(legal)))\n"
LEAVING = "import os\ndef choose(view, legal):\n    os._exit(1)\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, source in (("slow", SLOW), ("hashed", HASHED), ("leaving", LEAVING)):
        Path(f"{name}.py").write_text(source)
    return tmp_path


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tournaments", *arguments]


def output_of(*arguments: str, status: int = 0) -> str:
    process = subprocess.run(command(*arguments), capture_output=True, text=True, check=False)
    assert process.returncode == status, process.stderr
    return process.stdout


def matches_of(text: str) -> Any:
    """Records without parts that differ between runs."""
    matches = json.loads(text)
    records = [match["record"] for match in matches["matches"]]
    for record in records:
        del record["clock_ms"]
    return records, matches["totals"], matches.get("lead")


def test_results_do_not_depend_on_the_number_of_processes() -> None:
    arguments: tuple[str, ...] = (
        "play",
        ONE_DEAL,
        "hashed.py",
        "house:greedy",
        "--matches",
        "6",
        "--seed",
        "s",
    )
    arguments = (*arguments, "--json", "--totals", "--trusted")
    one = matches_of(output_of(*arguments, "--jobs", "1"))
    assert matches_of(output_of(*arguments, "--jobs", "3")) == one
    assert matches_of(output_of(*arguments, "--jobs", "1", "--inprocess")) == one


def test_a_sequential_test_stops_at_the_same_group() -> None:
    arguments: tuple[str, ...] = (
        "play",
        ONE_DEAL,
        "house:greedy",
        "house:random",
        "--seed",
        "s",
        "--json",
        "--totals",
    )
    arguments = (*arguments, "--sprt", "0,300", "--inprocess")
    one = matches_of(output_of(*arguments, "--jobs", "1", "--record", "one.json"))
    assert matches_of(output_of(*arguments, "--jobs", "3", "--record", "three.json")) == one
    lead = one[2]
    assert lead["sprt"]["verdict"] == "better"
    assert 16 <= lead["groups"] == len(one[0]) / 2 < 100
    for name in ("one", "three"):
        assert len(list(Path().glob(f"{name}-*.json"))) == len(one[0])


def test_ctrl_c_ends_all_processes_and_keeps_records() -> None:
    descendants = running_descendants()
    arguments = command("play", ONE_DEAL, "slow.py", "slow.py", "--matches", "40", "--seed", "s")
    arguments += ["--record", "g.json", "--jobs", "2", "--trusted", "--json"]
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert eventually(lambda: list(Path().glob("g-*.json")), 300)
        os.killpg(process.pid, signal.SIGINT)  # like a terminal
        output, errors = process.communicate(timeout=300)
    assert process.returncode == 2, errors
    names = {path.name for path in Path().glob("g-*.json")}
    assert len(json.loads(output)) == len(names) < 40
    assert f"Stopped after {len(names)} of 40 matches, seed s." in errors
    assert "Traceback" not in errors
    assert remaining_descendants(descendants) == {}


def test_resuming_plays_only_missing_matches() -> None:
    arguments: tuple[str, ...] = (
        "play",
        ONE_DEAL,
        "house:greedy",
        "house:random",
        "--matches",
        "6",
        "--seed",
        "s",
    )
    arguments = (*arguments, "--json", "--totals", "--inprocess", "--jobs", "2")
    expected = matches_of(output_of(*arguments))
    output_of(*arguments, "--record", "g.json")
    stays = Path("g-2.json").stat()
    for number in (1, 4, 6):
        Path(f"g-{number}.json").unlink()
    assert matches_of(output_of(*arguments, "--record", "g.json", "--resume")) == expected
    assert len(list(Path().glob("g-*.json"))) == 6
    assert json.loads(Path("g-2.json").read_text())["seed"] == "s-1"
    assert Path("g-2.json").stat().st_ino == stays.st_ino
    assert Path("g-2.json").stat().st_mtime_ns == stays.st_mtime_ns
    output_of(*arguments, "--seed", "t", "--record", "g.json", "--resume", status=2)
    output_of(*arguments, "--resume", status=2)


def test_a_killed_run_leaves_no_incomplete_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each record is in its file completely or not at all, even when it replaces an older one."""
    record = Record(ONE_DEAL, "s", [{"name": "a"}, {"name": "b"}], [])
    path = Path("new", "g.json")
    for content_before in (None, "older"):
        if content_before is not None:
            path.write_text(content_before)
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", _killed)
            patch.setattr(Path, "replace", _killed)
            with pytest.raises(KeyboardInterrupt):
                write_record(path, record)
            assert not list(Path("new").glob("*.part"))
        assert (path.read_text() if path.exists() else None) == content_before
        write_record(path, record)
        assert Record.from_json(path.read_text()) == record
    assert [path.name for path in Path("new").iterdir()] == ["g.json"]


def _killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_broken_record_is_named_when_resuming() -> None:
    arguments = ("play", ONE_DEAL, "house:random", "house:random", "--matches", "2", "--seed", "s")
    Path("kept").mkdir()
    Path("kept/1.json").touch()
    process = subprocess.run(
        command(*arguments, "--inprocess", "--record", "kept", "--resume"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    assert "kept/1.json is not a complete record: This is not JSON" in process.stderr
    assert ".." not in process.stderr


def test_records_go_to_a_pipe() -> None:
    arguments = ("play", ONE_DEAL, "house:random", "house:random", "--record", "/dev/stdout")
    assert '"cardroom":1' in output_of(*arguments, "--inprocess")


def test_each_pairing_plays_its_first_group_before_any_second() -> None:
    records = Path("records")
    bots = ("house:random", "house:greedy", "hashed.py")
    arguments = ("tournament", ONE_DEAL, *bots, "--groups", "4", "--seed", "s", "--inprocess")
    report = json.loads(output_of(*arguments, "--json", "--jobs", "1", "--records", str(records)))
    assert len(report["matches"]) == 24
    paths = sorted(records.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    first_records = [json.loads(path.read_text()) for path in paths[:6]]
    names = [
        tuple(sorted(player["name"] for player in record["players"])) for record in first_records
    ]
    assert len(set(names)) == 3
    assert json.loads(output_of(*arguments, "--json", "--jobs", "2")) == report


def test_a_bot_that_ends_its_process_is_explained() -> None:
    arguments = ("play", ONE_DEAL, "leaving.py", "house:random", "--inprocess")
    process = subprocess.run(command(*arguments), capture_output=True, text=True, check=False)
    assert process.returncode == 2
    assert "played matches of leaving and house:random died" in " ".join(process.stderr.split())
    assert "Traceback" not in process.stderr


def test_bytes_of_a_bot_do_not_reach_the_output() -> None:
    Path("loud.py").write_text(
        "import os\ndef choose(view, legal):\n    os.write(1, b'loud')\n    return legal[0]\n"
    )
    arguments = ("play", ONE_DEAL, "loud.py", "house:random", "--inprocess", "--json")
    [match] = json.loads(output_of(*arguments))
    assert match["record"]["result"] is not None


def test_a_full_disk_is_explained_with_the_way_to_continue(folder: Path) -> None:
    Path("kept").mkdir()
    Path("kept/3.json").mkdir()  # the third record cannot be written
    arguments = ("play", ONE_DEAL, "house:random", "house:greedy", "--matches", "6", "--inprocess")
    process = subprocess.run(
        command(*arguments, "--seed", "a b", "--record", "kept", "--jobs", "1"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    error = " ".join(process.stderr.split())
    assert "The record cannot be written to kept/3.json" in error
    assert "run the same command again with --seed 'a b' --resume." in error
    assert {path.name for path in Path("kept").iterdir()} == {"1.json", "2.json", "3.json"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--sprt", "20"), "--sprt takes two numbers"),
        (("--sprt", "20,0"), "a smaller and a larger number"),
        (("--sprt", "0,x"), "--sprt takes two numbers"),
        (("--resume",), "--resume needs"),
    ],
)
def test_wrong_usage_is_explained_in_a_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    bots = ("house:random", "house:random")
    process = subprocess.run(
        command("play", ONE_DEAL, *bots, *arguments), capture_output=True, text=True, check=False
    )
    assert process.returncode == 2
    assert sentence in " ".join(process.stderr.split())
