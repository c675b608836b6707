"""How much a match says about who is better, by form of game: measured, and kept in a file.

`python -m tests.strength.variance --write` measures it.
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
    """Of one pool such as ``cassino/standard/1v1``, from deal groups between two house bots."""

    groups: int
    """Deal groups that were played to measure it."""
    in_groups: float
    """So many matches with cards of their own say as much as one match of a deal group."""
    without_luck: float
    """So many say as much as one from which the luck of its cards is taken out."""


@cache
def noise() -> dict[str, Noise]:
    """What was measured, by pool."""
    return {pool: Noise(**each) for pool, each in json.loads(FILE.read_text()).items()}
