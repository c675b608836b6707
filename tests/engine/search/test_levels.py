"""Levels: what a level overlooks, and that they are in order."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.registry import BUILT_IN
from engine.search import LEVELS, Level, level
from tests.strength.games import play_group

LEGAL = [f"move {number}" for number in range(20)]


@given(st.integers(1, 20), st.floats(0, 1), st.integers())
def test_what_is_noticed_is_legal_in_order_and_never_nothing(
    size: int, share: float, seed: int
) -> None:
    legal = LEGAL[:size]
    seen = Level(10, share).notices(legal, Random(seed))
    assert seen
    assert seen == [move for move in legal if move in seen]
    assert share or seen == legal


def test_the_share_is_overlooked() -> None:
    rng = Random(1)
    seen = [len(Level(10, 0.3).notices(LEGAL, rng)) for _ in range(500)]
    assert sum(seen) / len(seen) / len(LEGAL) == pytest.approx(0.7, abs=0.02)


@pytest.mark.parametrize("game", [*BUILT_IN, "a game of somebody else's"])
def test_a_higher_level_looks_further_and_overlooks_less(game: str) -> None:
    ladder = [level(number, game) for number in LEVELS]
    assert len(ladder) == 5
    assert ladder[-1].overlooks == 0
    for lower, higher in pairwise(ladder):
        assert lower.playouts < higher.playouts
        assert lower.overlooks > higher.overlooks


def test_a_higher_level_plays_better() -> None:
    groups = [
        play_group(
            "cassino/standard/1v1?deals=1", "house:expert-3", "house:expert-1", "ladder", number
        )
        for number in range(3)
    ]
    assert sum(group.ahead for group in groups) > 0
