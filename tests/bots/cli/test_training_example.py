"""`examples/train`: a short training learns, and its bot passes the check and plays."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from .conftest import Run

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "train"
FORMAT = "cassino/standard/1v1"


def train(folder: Path, matches: int, seed: int) -> Path:
    """Train a bot in a copy of the example; return its folder."""
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("weights.npz", "__pycache__"))
    subprocess.run(
        [sys.executable, "train.py", f"--matches={matches}", f"--seed={seed}"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "platform")])},
        check=True,
    )
    return folder / "learner"


@pytest.fixture(scope="module")
def learner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bot trained by 150 matches, which take seven seconds.

    Untrained nets lose to random play, because they capture nothing.
    """
    return train(tmp_path_factory.mktemp("example") / "train", 150, 2)


def test_the_example_has_at_most_200_lines() -> None:
    assert sum(len(path.read_text().splitlines()) for path in EXAMPLE.rglob("*.py")) <= 200


def test_a_short_run_learns_to_beat_random_play(run: Run, learner: Path) -> None:
    arguments = ("play", f"{FORMAT}?deals=1", str(learner), "house:random")
    result = run(*arguments, "--matches", "20", "--seed", "x", "--inprocess", "--json", "--totals")
    net, random = result.json["totals"]
    assert net["won"] > random["won"]
    assert net["score"] > random["score"] + 1


def test_its_bot_passes_the_check_and_plays_a_match(run: Run, learner: Path) -> None:
    checked = run("check", str(learner), sandboxed=True)
    assert checked.status == 0, checked.out
    assert f"It plays {FORMAT}" in checked.out
    result = run("play", FORMAT, str(learner), "house:greedy", "--json", sandboxed=True)
    assert result.status == 0, result.out
    assert result.json[0]["record"]["faults"] == []


def test_it_refuses_weights_for_another_encoding(run: Run, learner: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(learner, tmp_path / "old")
    with np.load(copy / "weights.npz") as file:
        weights = {name: file[name] for name in file.files if name != "version"}
    np.savez(copy / "weights.npz", version=np.int64(0), **weights)
    checked = run("check", str(copy), sandboxed=True)
    assert checked.status == 1
    assert "trained with version 0 of the game's encoding" in checked.out


def test_a_seed_decides_the_weights(tmp_path: Path) -> None:
    weights = [
        (train(tmp_path / name, 3, seed) / "weights.npz").read_bytes()
        for name, seed in (("one", 5), ("same", 5), ("other", 6))
    ]
    assert weights[0] == weights[1] != weights[2]
