"""Matches at home on several cores: the same results, nothing lost, nothing doubled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

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


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "tournaments", *words]


def ran(*words: str, status: int = 0) -> str:
    done = subprocess.run(command(*words), capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout


def matches_of(text: str) -> Any:
    """Records without what differs from run to run."""
    found = json.loads(text)
    records = [match["record"] for match in found["matches"]]
    for record in records:
        del record["clock_ms"]
    return records, found["totals"], found.get("lead")


def test_results_do_not_depend_on_the_number_of_processes() -> None:
    words: tuple[str, ...] = (
        "play",
        ONE_DEAL,
        "hashed.py",
        "house:greedy",
        "--matches",
        "6",
        "--seed",
        "s",
    )
    words = (*words, "--json", "--totals", "--trusted")
    one = matches_of(ran(*words, "--jobs", "1"))
    assert matches_of(ran(*words, "--jobs", "3")) == one
    assert matches_of(ran(*words, "--jobs", "1", "--inprocess")) == one


def test_a_sequential_test_stops_at_the_same_group() -> None:
    words: tuple[str, ...] = (
        "play",
        ONE_DEAL,
        "house:greedy",
        "house:random",
        "--seed",
        "s",
        "--json",
        "--totals",
    )
    words = (*words, "--sprt", "0,300", "--inprocess")
    one = matches_of(ran(*words, "--jobs", "1", "--record", "one.json"))
    assert matches_of(ran(*words, "--jobs", "3", "--record", "three.json")) == one
    lead = one[2]
    assert lead["sprt"]["verdict"] == "better"
    assert 16 <= lead["groups"] == len(one[0]) / 2 < 100
    for name in ("one", "three"):
        assert len(list(Path().glob(f"{name}-*.json"))) == len(one[0])


def test_ctrl_c_ends_all_and_keeps_what_was_played() -> None:
    before = running_descendants()
    words = command("play", ONE_DEAL, "slow.py", "slow.py", "--matches", "40", "--seed", "s")
    words += ["--record", "g.json", "--jobs", "2", "--trusted", "--json"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert eventually(lambda: list(Path().glob("g-*.json")), 300)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        out, err = process.communicate(timeout=300)
    assert process.returncode == 2, err
    kept = {path.name for path in Path().glob("g-*.json")}
    assert len(json.loads(out)) == len(kept) < 40
    assert f"Stopped after {len(kept)} of 40 matches." in err
    assert "Traceback" not in err
    assert remaining_descendants(before) == {}


def test_the_rest_is_played_later_and_nothing_twice() -> None:
    words: tuple[str, ...] = (
        "play",
        ONE_DEAL,
        "house:greedy",
        "house:random",
        "--matches",
        "6",
        "--seed",
        "s",
    )
    words = (*words, "--json", "--totals", "--inprocess", "--jobs", "2")
    whole = matches_of(ran(*words))
    ran(*words, "--record", "g.json")
    stays = Path("g-2.json").stat()
    for number in (1, 4, 6):
        Path(f"g-{number}.json").unlink()
    assert matches_of(ran(*words, "--record", "g.json", "--resume")) == whole
    assert len(list(Path().glob("g-*.json"))) == 6
    assert json.loads(Path("g-2.json").read_text())["seed"] == "s-1"
    assert Path("g-2.json").stat().st_ino == stays.st_ino
    ran(*words, "--seed", "t", "--record", "g.json", "--resume", status=2)
    ran(*words, "--resume", status=2)


def test_every_pairing_has_begun_before_any_goes_on() -> None:
    records = Path("records")
    bots = ("house:random", "house:greedy", "hashed.py")
    words = ("tournament", ONE_DEAL, *bots, "--groups", "4", "--seed", "s", "--inprocess")
    whole = json.loads(ran(*words, "--json", "--jobs", "1", "--records", str(records)))
    assert len(whole["matches"]) == 24
    written = sorted(records.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    first = [json.loads(path.read_text()) for path in written[:6]]
    names = [tuple(sorted(player["name"] for player in record["players"])) for record in first]
    assert len(set(names)) == 3
    assert json.loads(ran(*words, "--json", "--jobs", "2")) == whole


def test_a_bot_that_takes_its_process_along_is_explained() -> None:
    words = ("play", ONE_DEAL, "leaving.py", "house:random", "--inprocess")
    done = subprocess.run(command(*words), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "A process that played matches has ended" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--sprt", "20"), "--sprt takes two numbers"),
        (("--sprt", "20,0"), "a smaller and a larger number"),
        (("--sprt", "0,x"), "--sprt takes two numbers"),
        (("--resume",), "--resume needs"),
    ],
)
def test_wrong_usage_is_a_sentence(words: tuple[str, ...], sentence: str) -> None:
    both = ("house:random", "house:random")
    done = subprocess.run(
        command("play", ONE_DEAL, *both, *words), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert sentence in " ".join(done.stderr.split())
