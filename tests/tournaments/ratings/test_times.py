"""A million results are fitted in seconds."""

import os

import pytest

from tests.tournaments.ratings.times import CASES, Refit, refit, shown

FULL = os.environ.get("CARDROOM_FULL") == "1"


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_refit_takes_seconds(name: str) -> None:
    """Full: the aim is a quarter of it; busy processors count more. Small: a hundredth of them."""
    results = 1_000_000 if FULL else 10_000
    found = refit(CASES[name], results)
    assert found.results >= results
    assert found.parameters >= 64
    assert found.counting + found.fitting < (60 if FULL else 15)


def test_the_table_shows_every_case() -> None:
    table = shown({"1v1": Refit(1_000_000, 8000, 66, 0.5, 0.4)})
    assert [list(column.cells) for column in table.columns][1:3] == [["1,000,000"], ["8,000"]]
