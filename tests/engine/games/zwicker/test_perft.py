"""Numbers of move sequences, so that a change of the rules cannot pass unseen."""

from typing import Any

import pytest

from engine import Match
from tests.engine.sequences import count

SEEDS = ("one", "two")
COUNTS = {  # three moves deep in grupp, two in christiansen
    "grupp/1v1": [10285, 2558],
    "grupp/ffa3": [22868, 4694],
    "grupp/ffa4": [8174, 8547],
    "grupp/ffa5": [8482, 26316],
    "grupp/ffa6": [5059, 2257],
    "grupp/ffa7": [28087, 116776],
    "grupp/ffa8": [17601, 4658],
    "christiansen/1v1": [32102, 11854],
    "christiansen/ffa3": [15671, 5493],
    "christiansen/ffa4": [9314, 2423],
}


@pytest.mark.parametrize("name", COUNTS)
def test_sequences_of_moves(name: Any) -> None:
    depth = 3 if name.startswith("grupp") else 2
    counts = [count(Match(f"zwicker/{name}", seed=seed), depth) for seed in SEEDS]
    assert counts == COUNTS[name]
