"""Counts of move sequences: a change of rules cannot pass unseen."""

from typing import Any

import pytest

from tests.engine.sequences import advanced_match, count

COUNTS: dict[str, tuple[int, ...]] = {  # by format, seed, and moves played before
    "spoon-eye/basic/1v1 a 0": (40, 1299),
    "spoon-eye/basic/1v1 b 12": (4, 57, 836),
    "spoon-eye/basic/1v1 c 31": (4, 75, 2317),
    "spoon-eye/basic/ffa3 a 0": (60,),
    "spoon-eye/basic/ffa3 b 12": (34, 820),
    "spoon-eye/basic/ffa3 c 31": (33, 486),
    "spoon-eye/basic/ffa4 a 0": (80,),
    "spoon-eye/basic/ffa4 b 12": (35, 1197),
    "spoon-eye/basic/ffa4 c 31": (26, 257, 1524),
    "spoon-eye/basic/2v2 a 0": (80,),
    "spoon-eye/basic/2v2 b 12": (19, 712),
    "spoon-eye/basic/2v2 c 31": (17, 200, 2654),
    "spoon-eye/standard/1v1 a 0": (13, 259),
    "spoon-eye/standard/1v1 b 12": (4, 25, 135, 1619),
    "spoon-eye/standard/1v1 c 31": (4, 29, 269, 2284),
    "spoon-eye/standard/ffa3 a 0": (13, 329),
    "spoon-eye/standard/ffa3 b 12": (4, 111, 3206),
    "spoon-eye/standard/ffa3 c 31": (14, 73, 353, 2777),
    "spoon-eye/standard/ffa4 a 0": (13, 399),
    "spoon-eye/standard/ffa4 b 12": (35, 194, 1778),
    "spoon-eye/standard/ffa4 c 31": (14, 418),
    "spoon-eye/standard/2v2 a 0": (13, 399),
    "spoon-eye/standard/2v2 b 12": (35, 194, 1793),
    "spoon-eye/standard/2v2 c 31": (2, 83, 1632),
}


@pytest.mark.parametrize("name", COUNTS)
def test_perft(name: Any) -> None:
    fmt, seed, moves = name.split()
    match = advanced_match(fmt, seed, int(moves))
    counts = COUNTS[name]
    assert tuple(count(match, depth + 1) for depth in range(len(counts))) == counts
