"""Live Elo updates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.ratings.elo import K_LAST, START, expected, k_factor, update


def test_k_falls_with_results() -> None:
    assert [k_factor(n) for n in (0, 29, 30, 199, 200, 10_000)] == [40, 40, 20, 20, 10, K_LAST]


def test_expected_scores() -> None:
    assert expected(1500, 1500) == 0.5
    assert expected(1900, 1500) == pytest.approx(10 / 11)
    assert expected(1500, 1900) + expected(1900, 1500) == pytest.approx(1)


def test_a_win_between_equals_moves_half_of_k() -> None:
    assert update({}, {}, [["a"], ["b"]], [1, 0]) == {"a": START + 20, "b": START - 20}
    assert update({"a": 1500, "b": 1500}, {"a": 500}, [["a"], ["b"]], [1, 0]) == {
        "a": 1505,
        "b": 1480,
    }


def test_points_of_a_deal_group_count_without_rounding() -> None:
    assert update({}, {}, [["a"], ["b"]], [0.75, 0.25]) == {"a": START + 10, "b": START - 10}
    assert update({}, {}, [["a"], ["b"]], [0.5, 0.5]) == {"a": START, "b": START}


def test_many_sides_are_compared_in_pairs() -> None:
    ratings_after = update({}, {}, [["a"], ["b"], ["c"]], [1, 0.5, 0])
    assert ratings_after == {"a": START + 20, "b": START, "c": START - 20}
    assert update({}, {}, [["a"], ["b"], ["c"]], [0.4, 0.4, 0.1])["a"] == START + 10


def test_a_side_has_its_members_mean_and_copies_count_once() -> None:
    ratings = {"a": 1400.0, "b": 1000.0, "c": 1200.0}
    ratings_after = update(ratings, {}, [["a", "b"], ["c", "c"]], [1, 0])
    assert ratings_after == {"a": 1420, "b": 1020, "c": 1180}


def test_an_anchor_does_not_move() -> None:
    ratings_after = update({"r": 1000.0}, {}, [["r"], ["b"]], [0, 1], frozen={"r"})
    assert ratings_after["r"] == 1000
    assert ratings_after["b"] > START


@given(
    st.lists(st.floats(0, 3000), min_size=2, max_size=8),
    st.data(),
)
def test_equal_k_keeps_the_sum(values: list[float], data: st.DataObject) -> None:
    ratings = dict(enumerate(values))
    points = data.draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))
    ratings_after = update(ratings, {}, [[i] for i in ratings], points)
    assert sum(ratings_after.values()) == pytest.approx(sum(values), abs=1e-6)


@pytest.mark.parametrize(
    ("sides", "points"), [([["a"]], [1]), ([["a"], []], [1, 0]), ([["a"], ["b"]], [1])]
)
def test_malformed_results_are_refused(sides: list[list[str]], points: list[float]) -> None:
    with pytest.raises(ValueError, match="two or more sides"):
        update({}, {}, sides, points)
