"""The measurement of the gap to a player that sees all cards, at small size."""

from __future__ import annotations

import math

import pytest

from tests.strength.gap import leads, share


def test_the_share_is_the_ratio_of_the_leads() -> None:
    assert share([1.0, 1.0, 1.0], [2.0, 2.0, 2.0]) == (0.5, 0.0)
    part, error = share([0.0, 2.0], [4.0, 4.0])
    assert part == 0.25
    assert error == pytest.approx(math.sqrt(0.5 * 2 * 0.25**2))


def test_without_a_gap_the_share_is_refused() -> None:
    with pytest.raises(ValueError, match="not ahead"):
        share([1.0, 2.0], [0.0, -1.0])


def test_each_group_has_a_lead() -> None:
    fmt = "cassino/standard/1v1?deals=1"
    assert len(leads(fmt, "expert:8,seeing", "house:random", 2, 1)) == 2
