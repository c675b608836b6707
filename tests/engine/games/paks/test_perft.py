"""Numbers of move sequences to a small depth: no change of rules can pass unseen."""

from typing import Any

import pytest

from engine import Match
from tests.engine.sequences import count

COUNTS: list[tuple[str, str, list[int]]] = [
    ("1v1", "perft 1", [14, 29, 95, 271, 793]),
    ("1v1", "perft 2", [9, 16, 97, 328, 1057]),
    ("1v1", "perft 3", [5, 8, 20, 46, 109]),
    ("ffa3", "perft 1", [4, 63, 197, 693, 2082]),
    ("ffa3", "perft 2", [9, 13, 54, 166, 517]),
    ("ffa3", "perft 3", [4, 5, 9, 24, 54]),
    ("2v2", "perft 1", [5, 32, 82, 269, 803]),
    ("2v2", "perft 2", [6, 11, 35, 92, 258]),
    ("2v2", "perft 3", [8, 15, 55, 125, 440]),
    ("3v3", "perft 1", [7, 17, 29, 69, 107]),
    ("3v3", "perft 2", [6, 23, 175, 728, 1947]),
    ("3v3", "perft 3", [9, 13, 44, 142, 382]),
]


@pytest.mark.parametrize(("table", "seed", "counts"), COUNTS)
def test_counts(table: Any, seed: Any, counts: Any) -> None:
    match = Match(f"paks/standard/{table}", seed=seed)
    assert [count(match, depth) for depth in range(1, len(counts) + 1)] == counts
