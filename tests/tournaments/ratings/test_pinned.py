"""No change of the arithmetic moves a rating, or how sure it is, by a hundredth of an Elo point."""

import json
from typing import Any

import pytest

from tests.tournaments.ratings.pinned import FILE, pinned

BEFORE: dict[str, Any] = json.loads(FILE.read_text())


@pytest.fixture(scope="module")
def now() -> dict[str, Any]:
    return pinned()


def test_every_ladder_is_there(now: dict[str, Any]) -> None:
    assert set(now) == set(BEFORE)


@pytest.mark.parametrize("name", BEFORE)
def test_the_fit_is_the_one_it_was(now: dict[str, Any], name: str) -> None:
    before, after = BEFORE[name], now[name]
    assert after["draw"] == before["draw"], "numpy draws other results: write the file anew"
    assert after["dispersion"] == pytest.approx(before["dispersion"], abs=1e-3)
    for column in ("ratings", "teams", "effects"):
        assert len(after[column]) == len(before[column])
        for value, wanted in zip(after[column], before[column], strict=True):
            assert value == pytest.approx(wanted, abs=0.01)
