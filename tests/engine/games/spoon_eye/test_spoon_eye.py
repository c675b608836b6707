"""Conformance of every format, and of options that change what happens."""

import os
from typing import Any

import pytest

from engine import Format
from engine.games.spoon_eye import GAME
from engine.testing import check_game
from tests.engine.documents import cited, clauses_of

SEEDS = tuple(f"seed {n}" for n in range(20 if os.environ.get("CARDROOM_FULL") else 1))
FORMATS = [f"spoon-eye/{v.name}/{table}" for v in GAME.variants for table in v.tables]
SHORT = {
    name: f"{name}?deals=3" if "standard" in name and len(SEEDS) == 1 else name for name in FORMATS
}
OPTIONS = [
    "spoon-eye/basic/1v1?nest=true&run=1",
    "spoon-eye/basic/ffa4?nest=true&opening=true&run=9",
    "spoon-eye/basic/2v2?sevens=true",
    "spoon-eye/basic/ffa3?bonus=true&deals=2&double=true",
    "spoon-eye/standard/1v1?deals=2&target=0",
    "spoon-eye/standard/ffa3?opening=false&target=20",
    "spoon-eye/standard/2v2?nest=false&target=30",
    "spoon-eye/basic/1v1?deals=3&target=40",
]


def test_the_formats() -> None:
    # SPO-1, SPO-52, SPO-56
    assert len(FORMATS) == 8
    assert Format.parse("spoon-eye/standard/1v1").options["deals"] == 50  # SPO-51
    with pytest.raises(ValueError, match="a whole number from 1 to 9"):
        Format.parse("spoon-eye/standard/1v1?run=0")
    with pytest.raises(ValueError, match="a whole number from 0 to 1000"):
        Format.parse("spoon-eye/standard/1v1?target=1001")
    with pytest.raises(ValueError, match="true"):
        Format.parse("spoon-eye/basic/1v1?nest=yes")


@pytest.mark.parametrize("name", [*SHORT.values(), *OPTIONS])
def test_conformance(name: Any) -> None:
    assert check_game(Format.parse(name), seeds=SEEDS, every=17) > 0


@pytest.mark.parametrize("folder", ["engine/games/spoon_eye", "tests/engine/games/spoon_eye"])
def test_clauses_are_cited(folder: Any) -> None:
    clauses = clauses_of("spoon-eye.md", "SPO")
    assert clauses == set(range(1, 59))
    assert sorted(clauses - cited(folder, "SPO")) == []
