"""The measurement of forecast chances, at small size."""

from __future__ import annotations

from engine import Format
from tests.strength.outlook import group_by_tenths, measure


def test_forecasts_have_a_chance_and_a_result() -> None:
    fmt = Format.parse("cassino/standard/1v1?deals=1")
    forecasts = list(measure(fmt, "house:random", 3, 8))
    assert {number for number, *_ in forecasts} == {0, 1, 2}
    assert all(0 <= chance <= 1 and result in (0, 0.5, 1) for _, chance, result in forecasts)
    assert sum(int(row.split("|")[2]) for row in group_by_tenths(forecasts)) == len(forecasts)


def test_the_error_counts_matches_not_decisions() -> None:
    ten_matches = [(number, 0.95, 1.0) for number in range(9)] + [(9, 1.0, 0.0)]
    assert group_by_tenths(ten_matches) == ["| 90 to 100 % | 10 | 96% | 90% ± 19 |"]
    two_matches = [(number // 5, 0.0, float(number // 5)) for number in range(10)]
    assert group_by_tenths(two_matches) == ["| 0 to 10 % | 10 | 0% | 50% ± 69 |"]
