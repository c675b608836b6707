"""Cross tables."""

from tournaments.deal_groups import MatchResult
from tournaments.standings import cross_table

from .test_rows import GROUPS


def test_cross_table() -> None:
    table = cross_table("abc", GROUPS)
    assert list(table) == ["a", "b", "c"]
    assert (table["a"]["b"].points, table["b"]["a"].points) == (1, 0)
    assert (table["a"]["c"].points, table["a"]["c"].difference) == (0.5, 10)
    assert (table["b"]["c"].points, table["b"]["c"].difference) == (0.5, 13)
    assert "a" not in table["a"]


def test_many_sides_are_compared_pair_by_pair() -> None:
    match = MatchResult(("a", "b", "c"), (9, 9, 4), (1, 1, 3))
    table = cross_table("abc", [[match, match]])
    assert table["a"]["b"].points == 0.5
    assert table["a"]["c"].points == 1
    assert table["a"]["c"].difference == 10


def test_partners_have_no_cell() -> None:
    match = MatchResult((("a", "b"), ("c", "d")), (9, 4), (1, 2))
    table = cross_table("abcd", [[match]])
    assert list(table["a"]) == ["c", "d"]
    assert table["b"]["d"].points == 1
    assert table["d"]["a"].difference == -5
