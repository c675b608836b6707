"""`times` prints the cost of a refit; here it runs, with a million results at full size."""

import os

import pytest

from tests.tournaments.ratings.times import CASES, Refit, refit, times_table

FULL = os.environ.get("CARDROOM_FULL") == "1"


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_every_case_is_fitted(name: str) -> None:
    results = 1_000_000 if FULL else 10_000
    measurement = refit(CASES[name], results)
    assert measurement.results >= results
    assert measurement.parameters >= 64


def test_the_table_shows_every_case() -> None:
    table = times_table({"1v1": Refit(1_000_000, 8000, 66, 0.5, 0.4)})
    assert [list(column.cells) for column in table.columns][1:3] == [["1,000,000"], ["8,000"]]
