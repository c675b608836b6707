"""Conformance of every format, and of options that change what happens."""

import os
from typing import Any

import pytest

from engine.games.canasta import GAME
from engine.testing import check_game

FULL = bool(os.environ.get("CARDROOM_FULL"))
SEEDS = tuple(f"seed {n}" for n in range(20 if FULL else 1))
FORMATS = [
    f"canasta/{variant.name}/{table}?deals=2"
    for variant in GAME.variants
    for table in variant.tables
]
OPTIONS = [
    "classic/2v2?deals=2&direction=ccw",
    "classic/1v2?deals=2&endstock=chain&tworank=true",
    "classic/1v1?canastas=2&deals=2&red3discard=true",
    "classic/ffa3?deals=2&draw=2&pair=always",
    "classic/1v2?deals=2&nocanasta=true&red3discard=true",
    "classic/2v2?deals=2&lay=false",
    "classic/2v2?deals=2&hand=1&last3=meld",
    "classic/1v1?deals=2&hand=5&red3draw=false",
    "classic/3v3?deals=2&last3=normal&packs=2",
    "classic/ffa3?deals=2&last3=untabled",
    "classic/1v1?deals=2&red3minus=true&topcounts=false",
    "classic/2v2?packs=3&target=400",
    "classic/2v2?deals=2&startfrozen=false&tworank=true",
    "classic/1v1?deals=2&last3=meld",
    "us-official/1v1?deals=2&hand=3&wildblack3=true",
    "pre-1951/1v1?deals=2&hand=2&red3draw=false",
]


@pytest.mark.parametrize("name", [*FORMATS, *("canasta/" + text for text in OPTIONS)])
def test_conformance(name: Any) -> None:
    assert check_game(name, seeds=SEEDS, every=7 if FULL else 23) > 0
