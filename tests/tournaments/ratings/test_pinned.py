"""No change of the arithmetic moves a rating or its interval by a hundredth of an Elo point."""

import json
from typing import Any

import pytest

from tests.tournaments.ratings.pinned import FILE, pinned

PINNED: dict[str, Any] = json.loads(FILE.read_text())


@pytest.fixture(scope="module")
def current() -> dict[str, Any]:
    return pinned()


def test_every_ladder_is_pinned(current: dict[str, Any]) -> None:
    assert set(current) == set(PINNED)


@pytest.mark.parametrize("name", PINNED)
def test_fits_have_not_changed(current: dict[str, Any], name: str) -> None:
    expected, actual = PINNED[name], current[name]
    assert actual["draw"] == expected["draw"], "numpy draws other results: write the file again"
    assert actual["dispersion"] == pytest.approx(expected["dispersion"], abs=1e-3)
    for column in ("ratings", "teams", "effects"):
        assert len(actual[column]) == len(expected[column])
        for value, expected_value in zip(actual[column], expected[column], strict=True):
            assert value == pytest.approx(expected_value, abs=0.01)
