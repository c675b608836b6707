"""Plans of tournaments: stages and divisions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.course.stages import (
    StagePlan,
    check_entrants,
    check_stages,
    divide,
    parse_stages,
    select_qualifiers,
)


def test_missing_settings_have_defaults() -> None:
    first, final = parse_stages([{"divisions": 2}, {"take": 4, "settings": {"meetings": 2}}])
    assert first == StagePlan("round-robin", {}, groups=2, take=0, divisions=2)
    assert final == StagePlan("round-robin", {"meetings": 2}, groups=2, take=4, divisions=1)


@pytest.mark.parametrize(
    ("stages", "text"),
    [
        ([], "a list of one or more objects"),
        ("swiss", "a list of one or more objects"),
        ([{}] * 5, "at most 4 stages; there are 5"),
        ([7], "Stage 1 must be an object"),
        ([{"sistem": "x"}], "Stage 1 has an unknown key sistem; known are: system, settings"),
        ([{"system": "x"}], "no pairing system “x”"),
        ([{"settings": []}], "settings must be an object"),
        ([{"settings": {"meetings": 0}}], "meetings must be a whole number from 1 to 100"),
        ([{"groups": 0}], "groups must be a whole number from 1 to 1000"),
        ([{}, {"take": 1}], "take of stage 2 must be a whole number from 2"),
        ([{"divisions": True}], "divisions must be a whole number"),
    ],
)
def test_invalid_stages_are_refused(stages: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        parse_stages(stages)


@pytest.mark.parametrize(
    ("stages", "text"),
    [
        ([{"divisions": 3}, {"take": 8}], "takes 8 entrants from 3 divisions; each division must"),
        ([{}, {"take": 4}, {"take": 8}], "Stage 3 takes 8 entrants, but only 4 play stage 2"),
    ],
)
def test_stages_must_match_each_other(stages: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        check_stages(parse_stages(stages), 2)


@given(st.integers(0, 60), st.integers(1, 8))
def test_divisions_have_equal_size_and_strength(entrants: int, divisions: int) -> None:
    parts = divide(range(entrants), divisions)
    assert sorted(seed for part in parts for seed in part) == list(range(entrants))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert all(part == sorted(part) for part in parts)
    if entrants == 2 * divisions:  # two rounds of the snake cancel
        assert len({sum(part) for part in parts}) == 1


def test_advancing_entrants_are_seeded_by_place() -> None:
    assert select_qualifiers([["a", "b", "c"], ["d", "e", "f"]], 4) == ["a", "d", "b", "e"]
    assert select_qualifiers([["a", "b"]], 5) == ["a", "b"]


@pytest.mark.parametrize(
    ("stages", "entrants", "seats", "text"),
    [
        ([{"divisions": 3}], 5, 2, "Stage 1 would have 5 entries in 3 divisions; each needs 2"),
        ([{}, {"take": 2}], 9, 3, "Stage 2 would have 2 entries in 1 division; each needs 3"),
        ([{"divisions": 2}, {"take": 8, "divisions": 4}], 7, 2, "Stage 2 would have 7 entries"),
    ],
)
def test_every_division_needs_a_table(stages: Any, entrants: int, seats: int, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        check_entrants(parse_stages(stages), entrants, seats)
    check_entrants(parse_stages(stages), entrants, 1)
    check_entrants(parse_stages([{}, {"take": 8}]), 5, 2)  # fewer than the stage takes may play
