"""Intervals contain the truth in pools that mix formats, lengths, games and styles."""

import os

import numpy as np
import pytest

from tests.tournaments.ratings.coverage import LINES, Covered, coverage

FULL = os.environ.get("CARDROOM_FULL") == "1"


@pytest.mark.slow
@pytest.mark.parametrize("name", LINES)
def test_intervals_contain_the_truth(name: str) -> None:
    """Default size: five standard errors around the aim; bots of a ladder count two thirds."""
    line = LINES[name]
    result = coverage(line, 600 if FULL else 8)
    slack = 0.0 if FULL else 5 * np.sqrt(0.95 * 0.05 * 1.5 / (line.bots * result.ladders))
    lower_limit = 0.92 if line.styles else 0.93
    assert result.share >= lower_limit - slack
    # Of two distant bots one mostly never loses, and one bound holds more often.
    assert result.share <= (0.99 if line.bots == 2 or line.styles else 0.97) + slack


def test_shares_of_all_bots_and_of_the_worst_bot() -> None:
    total = Covered(np.array([8, 10]), 10) + Covered(np.array([10, 10]), 10)
    assert (total.share, total.lowest) == (0.95, 0.9)
