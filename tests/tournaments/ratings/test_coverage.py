"""Intervals hold the truth in pools that mix formats, lengths, games and styles."""

import os

import numpy as np
import pytest

from tests.tournaments.ratings.coverage import LINES, Covered, coverage

FULL = os.environ.get("CARDROOM_FULL") == "1"


@pytest.mark.slow
@pytest.mark.parametrize("name", LINES)
def test_intervals_hold_the_truth(name: str) -> None:
    """Small: five standard errors around what is asked, bots of a ladder counting two thirds."""
    line = LINES[name]
    each = coverage(line, 600 if FULL else 8)
    slack = 0.0 if FULL else 5 * np.sqrt(0.95 * 0.05 * 1.5 / (line.bots * each.ladders))
    low = 0.92 if line.styles else 0.93
    assert each.share >= low - slack
    # Of two bots far apart mostly one never loses, and one bound holds more often.
    assert each.share <= (0.99 if line.bots == 2 or line.styles else 0.97) + slack


def test_shares_are_of_all_bots_and_of_the_worst() -> None:
    both = Covered(np.array([8, 10]), 10) + Covered(np.array([10, 10]), 10)
    assert (both.share, both.lowest) == (0.95, 0.9)
