"""Conformance of every format, and of options that change what happens."""

import os
from typing import Any

import pytest

from engine import all_formats
from engine.testing import check_game

SEEDS = tuple(f"seed {n}" for n in range(20 if os.environ.get("CARDROOM_FULL") else 1))
FORMATS = [str(fmt) for fmt in all_formats() if fmt.game == "cassino"]
OPTIONS = [
    "cassino/standard/ffa3?end=count",
    "cassino/spade/1v1?end=count&spade_plus=true",
    "cassino/standard/2v2?end=declare",
    "cassino/royal/ffa3?ace_high=true&end=declare",
    "cassino/standard/1v1?face_pairs=false",
    "cassino/royal/2v2?face_pairs=false",
    "cassino/royal/1v1?ace_high=true",
    "cassino/royal-spade/2v2?ace_high=true&tie=draw",
    "cassino/standard/1v1?settle=stakes&target=11",
    "cassino/standard/ffa3?sweeps=false",
    "cassino/standard/1v1?deals=2&target=0",
    "cassino/standard/2v2?deals=1",
]


@pytest.mark.parametrize("name", FORMATS + OPTIONS)
def test_conformance(name: Any) -> None:
    assert check_game(name, seeds=SEEDS, every=17) > 0
