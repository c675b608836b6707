"""Intervals hold the truth as often as they say, in every table form and with every partner."""

import os

import numpy as np
import pytest

from tests.tournaments.ratings.ladders import LADDERS, table
from tests.tournaments.ratings.simulate import Coverage, coverage

FULL = os.environ.get("CARDROOM_FULL") == "1"

SMALL = ("ffa4, copies", "2v2, rotating", "2v2v2, rotating", "3v2-rest, fixed teams")
"""With those of `test_fit` every kind of table once."""


@pytest.mark.slow
@pytest.mark.parametrize("name", LADDERS if FULL else SMALL)
def test_intervals_hold_the_truth_in_every_table_form(name: str) -> None:
    """Small: five standard errors around what is asked (one false alarm in millions)."""
    ladder = LADDERS[name]
    found = coverage(ladder, 600 if FULL else 15)
    # Entrants of one ladder hang together: their number counts as two thirds of it. Teams share
    # members, too.
    slack = 0.0 if FULL else 5 * np.sqrt(0.95 * 0.05 * 1.5 / found.total)
    low, high = 0.93 - slack, 0.97 + slack
    if ladder.partners == "rotating":
        high += 0.01  # how far bonds go is learnt from few groups
    if ladder.partners == "fixed":
        high = 1.0  # members who never play apart cannot be told apart: the prior's intervals
    assert low <= found.held / found.total <= min(high, 1.0), found
    assert found.teams_held >= (low - 0.02) * found.teams, found


def test_the_table_shows_every_kind() -> None:
    shown = table({"1v1": Coverage(19, 20), "2v2": Coverage(19, 20, 90, 100)})
    assert list(shown.columns[3].cells) == ["–", "90.0 %"]
