"""Intervals contain the truth as often as stated, in every table form and with all partners."""

import os

import numpy as np
import pytest

from tests.tournaments.ratings.ladders import LADDERS, table
from tests.tournaments.ratings.simulate import Coverage, coverage

FULL = os.environ.get("CARDROOM_FULL") == "1"

DEFAULT_LADDERS = ("ffa4, copies", "2v2, rotating", "2v2v2, rotating", "3v2-rest, fixed teams")
"""Together with those of `test_fit`, each kind of table once."""


@pytest.mark.slow
@pytest.mark.parametrize("name", LADDERS if FULL else DEFAULT_LADDERS)
def test_intervals_contain_the_truth_in_every_table_form(name: str) -> None:
    """Default size: five standard errors around the aim (rare false alarms)."""
    ladder = LADDERS[name]
    result = coverage(ladder, 600 if FULL else 15)
    # Entrants of one ladder are correlated: their number counts two thirds. Teams share
    # members, too.
    slack = 0.0 if FULL else 5 * np.sqrt(0.95 * 0.05 * 1.5 / result.total)
    low, high = 0.93 - slack, 0.97 + slack
    if ladder.partners == "rotating":
        high += 0.01  # the spread of bonds is estimated from few groups
    if ladder.partners == "fixed":
        high = 1.0  # members that always play together have the prior's intervals
    assert low <= result.held / result.total <= min(high, 1.0), result
    assert result.teams_held >= (low - 0.02) * result.teams, result


def test_the_table_shows_every_kind() -> None:
    output = table({"1v1": Coverage(19, 20), "2v2": Coverage(19, 20, 90, 100)})
    assert list(output.columns[3].cells) == ["–", "90.0 %"]
