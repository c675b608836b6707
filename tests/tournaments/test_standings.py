"""Standings and cross tables from deal groups."""

import random

import pytest

from tournaments.deal_groups import MatchResult
from tournaments.standings import Row, cross_table, standings


def game(a: str, b: str, score_a: int, score_b: int, *faults: int) -> MatchResult:
    ranks = (1 + (score_b > score_a), 1 + (score_a > score_b))
    return MatchResult((a, b), (score_a, score_b), ranks, faults)


GROUPS = [
    [game("a", "b", 21, 10), game("b", "a", 15, 22)],  # a wins both
    [game("a", "c", 21, 10), game("c", "a", 21, 20)],  # split
    [game("b", "c", 21, 10, 0), game("c", "b", 8, 21)],  # b's fault loses the first
]


def test_rows() -> None:
    assert standings("abc", GROUPS) == [
        Row(1, "a", 1.5, 2, won=1, drawn=1, lost=0, matches=4, difference=14.0, faults=0),
        Row(2, "c", 1.0, 2, won=0, drawn=2, lost=0, matches=4, difference=-11.5, faults=0),
        Row(3, "b", 0.5, 2, won=0, drawn=1, lost=1, matches=4, difference=-2.5, faults=1),
    ]


def test_cross_table() -> None:
    table = cross_table("abc", GROUPS)
    assert list(table) == ["a", "b", "c"]
    assert (table["a"]["b"].points, table["b"]["a"].points) == (1, 0)
    assert (table["a"]["c"].points, table["a"]["c"].difference) == (0.5, 10)
    assert (table["b"]["c"].points, table["b"]["c"].difference) == (0.5, 13)
    assert "a" not in table["a"]


def test_nothing_depends_on_the_order_of_results() -> None:
    rng = random.Random(5)
    groups = []
    for _ in range(60):
        x, y, z = rng.sample("abcde", 3)
        scores = [rng.randrange(30) / 7 for _ in range(3)]
        ranks = tuple(1 + sum(other > own for other in scores) for own in scores)
        groups.append([MatchResult((x, y, z), tuple(scores), ranks)] * rng.choice([1, 3]))
    rows, table = standings("abcde", groups), cross_table("abcde", groups)
    for _ in range(5):
        rng.shuffle(groups)
        assert standings("abcde", groups) == rows
        assert cross_table("abcde", groups) == table


def test_running_tournaments_have_rows_for_all() -> None:
    rows = standings(["a", "b", "c"], [[game("b", "a", 21, 3)], []])
    assert [(row.place, row.entrant, row.groups) for row in rows] == [
        (1, "b", 1),
        (2, "c", 0),
        (3, "a", 1),
    ]
    assert rows[0].share == 1
    assert rows[1].share == 0
    assert [row.place for row in standings("xyz", [])] == [1, 1, 1]


def test_equals_share_a_place() -> None:
    rows = standings("abcd", [[game("a", "b", 5, 1)], [game("c", "d", 5, 1)]])
    assert [(row.place, row.entrant) for row in rows] == [(1, "a"), (1, "c"), (3, "b"), (3, "d")]


def test_many_sides_are_compared_pair_by_pair() -> None:
    match = MatchResult(("a", "b", "c"), (9, 9, 4), (1, 1, 3))
    table = cross_table("abc", [[match, match]])
    assert table["a"]["b"].points == 0.5
    assert table["a"]["c"].points == 1
    assert table["a"]["c"].difference == 10
    rows = standings("abc", [[match]])
    assert [row.points for row in rows] == [0.75, 0.75, 0]
    assert [(row.won, row.drawn, row.lost) for row in rows] == [(0, 1, 0), (0, 1, 0), (0, 0, 1)]


def test_results_of_strangers_are_refused() -> None:
    with pytest.raises(ValueError, match="'z', who has not entered"):
        standings("ab", [[game("a", "z", 1, 0)]])
