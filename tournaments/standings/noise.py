"""How much information a match gives about strength, measured by pool.

`python -m tests.strength.variance --write` measures it and writes `noise.json`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).with_suffix(".json")


@dataclass(frozen=True, slots=True)
class Noise:
    """Measurements in one pool, such as ``cassino/standard/1v1``, between two house bots."""

    groups: int
    """Deal groups played."""
    in_groups: float
    """Matches with independent cards that are worth one match of a deal group."""
    without_luck: float
    """Matches with independent cards that are worth one match without its card luck."""


@cache
def noise() -> dict[str, Noise]:
    """The measurements by pool."""
    return {pool: Noise(**values) for pool, values in json.loads(FILE.read_text()).items()}
