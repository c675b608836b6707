"""Read measurements of how much a match of each pool reveals about strength.

`python -m tests.strength.variance --write` measures this, and writes `noise.json`.
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
    """One match of a deal group reveals as much as this many matches with independent cards."""
    without_luck: float
    """The same, for a match whose card luck has been subtracted."""


@cache
def noise_by_pool() -> dict[str, Noise]:
    """The measurements by pool."""
    return {pool: Noise(**values) for pool, values in json.loads(FILE.read_text()).items()}
