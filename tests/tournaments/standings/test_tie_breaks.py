"""Tie-breaks: examples by hand, and general properties."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.deal_groups import Entrant, MatchResult
from tournaments.standings import TIE_BREAKS, Row, SitOuts, standings


def game(a: str, b: str, result: float) -> list[MatchResult]:
    """A deal group of one match: 1 is a win of a."""
    ranks = {1: (1, 2), 0.5: (1, 1), 0: (2, 1)}[result]
    return [MatchResult((a, b), (result, 1 - result), ranks)]


# A Swiss of three rounds. Points: a 2½, b 2, c 2, d 1½, e 1, f 0.
SWISS = [
    *(game("a", "d", 0.5), game("b", "e", 1), game("c", "f", 1)),
    *(game("a", "c", 1), game("b", "d", 1), game("e", "f", 1)),
    *(game("a", "b", 1), game("c", "e", 1), game("d", "f", 1)),
]


def values(rows: list[Row], index: int = 0) -> dict[object, float | None]:
    return {row.entrant: row.tie_breaks[index] for row in rows}


def test_buchholz_is_the_sum_of_the_opponents_points() -> None:
    rows = standings("abcdef", SWISS, ["buchholz", "buchholz-cut-1"])
    assert values(rows) == {
        "a": 1.5 + 2 + 2,
        "b": 1 + 1.5 + 2.5,
        "c": 0 + 2.5 + 1,
        "d": 2.5 + 2 + 0,
        "e": 2 + 0 + 2,
        "f": 2 + 1 + 1.5,
    }
    assert values(rows, 1) == {"a": 4, "b": 4, "c": 3.5, "d": 4.5, "e": 4, "f": 3.5}
    assert [(row.place, row.entrant) for row in rows[1:3]] == [(2, "b"), (3, "c")]


def test_sonneborn_berger_weighs_opponents_by_results() -> None:
    rows = standings("abcdef", SWISS, ["sonneborn-berger"])
    assert values(rows) == {
        "a": 1.5 / 2 + 2 + 2,
        "b": 1 + 1.5,
        "c": 0 + 1,
        "d": 2.5 / 2 + 0,
        "e": 0,
        "f": 0,
    }


def test_a_meeting_counts_once_however_many_deal_groups_it_has() -> None:
    twice = [group for group in SWISS for _ in range(2)]
    rows = standings("abcdef", twice, ["buchholz", "sonneborn-berger"])
    once = standings("abcdef", SWISS, ["buchholz", "sonneborn-berger"])
    assert [row.entrant for row in rows] == [row.entrant for row in once]
    for index in range(2):  # points double, opponents stay
        assert values(rows, index) == {
            entrant: 2 * (value or 0) for entrant, value in values(once, index).items()
        }


def test_meetings_can_be_given() -> None:
    groups = [game("a", "b", 1), game("a", "b", 0)]
    one = standings("ab", groups, ["buchholz"])
    two = standings("ab", groups, ["buchholz"], meetings=[1, 2])
    assert (values(one)["a"], values(two)["a"]) == (1, 2)


def test_a_bye_counts_as_a_meeting_with_a_virtual_opponent() -> None:
    groups = [game("a", "b", 1), game("a", "c", 1), game("b", "c", 1)]
    byes: dict[Entrant, SitOuts] = {entrant: SitOuts(1, 1.0, 1) for entrant in "abc"}
    names = ["buchholz", "buchholz-cut-1", "sonneborn-berger"]
    rows = standings("abc", groups, names, sit_outs=byes)
    old_rows = standings("abc", groups, names, sit_outs=byes, scoring=1)
    assert list(old_rows[0].tie_breaks) == [2 + 1 + 3, 2 + 3, 2 + 1 + 3]  # by C.07 of 2024
    assert [(row.entrant, row.points, row.tie_breaks) for row in rows] == [
        # At most a draw for each round: 1½ (C.07 since March 2026, 16.4).
        ("a", 3, (2 + 1 + 1.5, 2 + 1.5, 2 + 1 + 1.5)),
        ("b", 2, (3 + 1 + 1.5, 3 + 1.5, 1 + 1.5)),
        ("c", 1, (3 + 2 + 1, 3 + 2, 1)),
    ]


def test_direct_encounter_parts_two() -> None:
    groups = [game("b", "a", 1), game("a", "c", 1), game("d", "b", 1), game("d", "c", 0)]
    rows = standings("abcd", groups, ["direct"])
    # All have a point, but a and d have not met: it does not apply to the four.
    assert [row.place for row in rows] == [1, 1, 1, 1]
    assert set(values(rows).values()) == {None}
    rows = standings("abcd", [*groups, game("a", "d", 0.5)], ["direct"])
    assert [(row.place, row.entrant) for row in rows] == [(1, "a"), (1, "d"), (3, "b"), (3, "c")]
    rows = standings("abcd", groups[:2], ["direct"])
    assert [(row.place, row.entrant) for row in rows] == [(1, "b"), (2, "a"), (3, "c"), (3, "d")]


def test_remaining_equals_are_compared_again_among_themselves() -> None:
    groups = [
        *(game("a", "b", 1), game("a", "c", 1), game("a", "d", 0.5)),
        *(game("b", "c", 1), game("b", "d", 0), game("c", "d", 1)),
        *(game("b", "x", 1), game("b", "x", 0.5), game("d", "x", 1)),
    ]
    groups += [game("c", "y", 1), game("c", "y", 0.5)]
    rows = standings("cbdaxy", groups, ["direct"])
    assert {row.points for row in rows[:4]} == {2.5}
    assert [(row.place, row.entrant, row.tie_breaks) for row in rows[:4]] == [
        (1, "a", (2.5,)),
        (2, "d", (1.5,)),
        (3, "b", (1,)),  # the same as c, which it has beaten
        (4, "c", (1,)),
    ]


def test_wide_tables_use_the_mean_of_opponents() -> None:
    match = MatchResult(("a", "b", "c"), (9, 6, 3), (1, 2, 3))
    rows = standings("abc", [[match]], ["buchholz", "sonneborn-berger", "direct"])
    assert [row.points for row in rows] == [1, 0.5, 0]
    assert [row.tie_breaks[:2] for row in rows] == [(0.25, 0.25), (0.5, 0), (0.75, 0)]


def test_partners_are_no_opponents() -> None:
    groups = [
        [MatchResult((("a", "b"), ("c", "d")), (9, 4), (1, 2))],
        [MatchResult((("a", "c"), ("b", "d")), (9, 4), (1, 2))],
    ]
    rows = standings("abcd", groups, ["buchholz", "sonneborn-berger", "direct"])
    values_by_entrant = {row.entrant: (row.points, *row.tie_breaks) for row in rows}
    assert values_by_entrant == {
        "a": (2, 0.5 + 0.5, 0.5 + 0.5, None),
        "b": (1, 0.5 + 1.5, 0.5, 0.5),  # one win each
        "c": (1, 0.5 + 1.5, 0.5, 0.5),
        "d": (0, 1.5 + 1.5, 0, None),
    }


@pytest.mark.parametrize("name", TIE_BREAKS)
def test_every_tie_break_is_explained_in_one_sentence(name: str) -> None:
    tie_break = TIE_BREAKS[name]
    assert tie_break.meaning.endswith(".")
    assert tie_break.meaning.count(". ") == 0
    assert 0 < len(tie_break.short) <= 8


results = st.lists(
    st.tuples(st.sampled_from(list(combinations("abcdef", 2))), st.sampled_from([0.0, 0.5, 1.0])),
    max_size=25,
)


@settings(max_examples=50, deadline=None)
@given(results, st.permutations(list(TIE_BREAKS)), st.randoms(use_true_random=False))
def test_order_of_results_and_entrants_does_not_matter(
    results_drawn: list[tuple[tuple[str, str], float]], names: list[str], rng: object
) -> None:
    groups = [game(a, b, result) for (a, b), result in results_drawn]
    rows = standings("abcdef", groups, names)
    other = standings("fedcba", groups[::-1], names)
    assert {row.entrant: row for row in rows} == {row.entrant: row for row in other}
    # Values after the direct encounter do not order alone: equals are compared again.
    count = names.index("direct") + 1
    keys = [(row.points, *(value or 0 for value in row.tie_breaks[:count])) for row in rows]
    assert keys == sorted(keys, reverse=True)
    for one, two in pairwise(rows):
        are_equal = (one.points, one.tie_breaks) == (two.points, two.tie_breaks)
        assert (one.place == two.place) <= are_equal


@settings(max_examples=30, deadline=None)
@given(results)
def test_sums_over_all_agree(results_drawn: list[tuple[tuple[str, str], float]]) -> None:
    """Buchholz counts each entrant's points once for each opponent, Sonneborn–Berger at most."""
    groups = [game(a, b, result) for (a, b), result in results_drawn]
    rows = standings("abcdef", groups, ["buchholz", "sonneborn-berger"])
    opponents: dict[str, set[str]] = {entrant: set() for entrant in "abcdef"}
    for (a, b), _ in results_drawn:
        opponents[a].add(b)
        opponents[b].add(a)
    total = sum(len(opponents[str(row.entrant)]) * row.points for row in rows)
    assert sum(row.tie_breaks[0] or 0 for row in rows) == pytest.approx(total)
    for row in rows:
        buchholz, weighed = row.tie_breaks
        assert (weighed or 0) <= (buchholz or 0) + 1e-9
        if row.won == row.groups:
            assert weighed == buchholz


def test_five_players_in_three_rounds_with_byes() -> None:
    """C.07 of March 2026, 16.4: the virtual opponent has at most half of the rounds, here 1½.

    a: bye, beats b, loses to c. By the rules of 2024 its Buchholz is half a point more.
    """
    groups = [
        *(game("b", "d", 1), game("c", "e", 1)),
        *(game("a", "b", 1), game("c", "d", 1)),
        *(game("c", "a", 1), game("b", "e", 0.5)),
    ]
    byes: dict[Entrant, SitOuts] = {entrant: SitOuts(1, 1.0, 1) for entrant in "aed"}
    rows = standings("abcde", groups, ["buchholz"], sit_outs=byes)
    points = {row.entrant: row.points for row in rows}
    assert points == {"c": 3, "a": 2, "b": 1.5, "e": 1.5, "d": 1}
    assert values(rows)["a"] == 1.5 + 3 + 1.5
    assert values(rows)["e"] == 3 + 1.5 + 1.5
    assert values(rows)["d"] == 1.5 + 3 + 1
    old_rows = standings("abcde", groups, ["buchholz"], sit_outs=byes, scoring=1)
    assert values(old_rows)["a"] == 1.5 + 3 + 2
