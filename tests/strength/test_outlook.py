"""Whether said chances come true, at small size."""

from __future__ import annotations

from engine import Format
from tests.strength.outlook import by_tenths, measure


def test_what_was_said_is_kept_beside_what_came() -> None:
    fmt = Format.parse("cassino/standard/1v1?deals=1")
    found = list(measure(fmt, "house:random", 3, 8))
    assert {number for number, *_ in found} == {0, 1, 2}
    assert all(0 <= chance <= 1 and came in (0, 0.5, 1) for _, chance, came in found)
    assert sum(int(row.split("|")[2]) for row in by_tenths(found)) == len(found)


def test_chances_go_into_tenths_and_matches_are_the_witnesses() -> None:
    sure = [(number, 0.95, 1.0) for number in range(9)] + [(9, 1.0, 0.0)]
    assert by_tenths(sure) == ["| 90 to 100 % | 10 | 96% | 90% ± 19 |"]
    same = [(number // 5, 0.0, float(number // 5)) for number in range(10)]
    assert by_tenths(same) == ["| 0 to 10 % | 10 | 0% | 50% ± 69 |"]
