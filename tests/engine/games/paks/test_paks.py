"""Conformance of every format, and of options that change what happens."""

import os
from typing import Any

import pytest

from engine import all_formats
from engine.testing import check_game

SEEDS = tuple(f"seed {n}" for n in range(20 if os.environ.get("CARDROOM_FULL") else 1))
FORMATS = [f"{fmt}?target=100" for fmt in all_formats() if fmt.game == "paks"]
OPTIONS = ["paks/standard/1v1", "paks/standard/2v2?deals=1", "paks/standard/ffa3?deals=2"]


@pytest.mark.parametrize("name", FORMATS + OPTIONS)
def test_conformance(name: Any) -> None:
    assert check_game(name, seeds=SEEDS, every=29) > 0


def test_all_table_forms_exist() -> None:
    """PAK-1."""
    assert [name.split("/")[2].split("?")[0] for name in FORMATS] == ["1v1", "ffa3", "2v2", "3v3"]
