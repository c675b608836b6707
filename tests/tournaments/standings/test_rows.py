"""Standings from deal groups."""

import random

import pytest

from engine.results import ranks, with_faults
from tournaments.deal_groups import MatchResult
from tournaments.standings import TIE_BREAKS, Row, SitOuts, cross_table, standings


def game(a: str, b: str, score_a: int, score_b: int, *faults: int) -> MatchResult:
    result = {"ranks": ranks([score_a, score_b]), "reason": ""}
    final = with_faults(result, [score_a, score_b], faults)["ranks"]
    return MatchResult((a, b), (score_a, score_b), tuple(final), faults)


GROUPS = [
    [game("a", "b", 21, 10), game("b", "a", 15, 22)],  # a wins both
    [game("a", "c", 21, 10), game("c", "a", 21, 20)],  # split
    [game("b", "c", 21, 10, 0), game("c", "b", 8, 21)],  # b's fault loses the first
]


def test_rows() -> None:
    assert standings("abc", GROUPS) == [
        Row(1, "a", 1.5, 2, 1, 1, 0, 4, difference=14.0, faults=0, tie_breaks=(14.0, 1)),
        Row(2, "c", 1.0, 2, 0, 2, 0, 4, difference=-11.5, faults=0, tie_breaks=(-11.5, 0)),
        Row(3, "b", 0.5, 2, 0, 1, 1, 4, difference=-2.5, faults=1, tie_breaks=(-2.5, 0)),
    ]


def test_nothing_depends_on_the_order_of_results() -> None:
    rng = random.Random(5)
    groups = []
    for _ in range(60):
        x, y, z = rng.sample("abcde", 3)
        scores = [rng.randrange(30) / 7 for _ in range(3)]
        order = tuple(1 + sum(other > score for other in scores) for score in scores)
        groups.append([MatchResult((x, y, z), tuple(scores), order)] * rng.choice([1, 3]))
    rows = standings("abcde", groups, list(TIE_BREAKS))
    table = cross_table("abcde", groups)
    for _ in range(5):
        rng.shuffle(groups)
        assert standings("abcde", groups, list(TIE_BREAKS)) == rows
        assert cross_table("abcde", groups) == table


def test_running_tournaments_have_rows_for_all_entrants() -> None:
    rows = standings(["a", "b", "c"], [[game("b", "a", 21, 3)], []])
    assert [(row.place, row.entrant, row.groups) for row in rows] == [
        (1, "b", 1),
        (2, "c", 0),
        (3, "a", 1),
    ]
    assert rows[0].share == 1
    assert rows[1].share == 0
    assert [row.place for row in standings("xyz", [])] == [1, 1, 1]


def test_equal_entrants_share_a_place() -> None:
    rows = standings("abcd", [[game("a", "b", 5, 1)], [game("c", "d", 5, 1)]])
    assert [(row.place, row.entrant) for row in rows] == [(1, "a"), (1, "c"), (3, "b"), (3, "d")]


def test_many_sides() -> None:
    match = MatchResult(("a", "b", "c"), (9, 9, 4), (1, 1, 3))
    rows = standings("abc", [[match]])
    assert [row.points for row in rows] == [0.75, 0.75, 0]
    assert [(row.won, row.drawn, row.lost) for row in rows] == [(0, 1, 0), (0, 1, 0), (0, 0, 1)]


def test_results_of_strangers_are_refused() -> None:
    with pytest.raises(ValueError, match="'z', who has not entered"):
        standings("ab", [[game("a", "z", 1, 0)]])


def test_byes_give_points_but_no_deal_groups() -> None:
    groups = [[game("a", "b", 5, 1)], [game("a", "b", 5, 1)]]
    rows = standings("abc", groups, sit_outs={"c": SitOuts(1, 2.0, 2)})
    assert [(row.place, row.entrant, row.points, row.byes) for row in rows] == [
        (1, "a", 2, 0),
        (2, "c", 2, 2),  # as many points, but no score difference
        (3, "b", 0, 0),
    ]
    assert (rows[0].share, rows[1].share) == (1, 0)


def test_unknown_tie_breaks_are_refused() -> None:
    with pytest.raises(ValueError, match="no tie-break luck; there are: direct, buchholz"):
        standings("ab", [], ["luck"])
