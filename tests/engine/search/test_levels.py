"""Levels: overlooked moves and their order of strength."""

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
def test_noticed_moves_are_legal_ordered_and_not_empty(size: int, share: float, seed: int) -> None:
    legal = LEGAL[:size]
    noticed = Level(10, share).moves_considered(legal, Random(seed))
    assert noticed
    assert noticed == [move for move in legal if move in noticed]
    assert share or noticed == legal


def test_a_level_overlooks_its_share_of_moves() -> None:
    rng = Random(1)
    counts = [len(Level(10, 0.3).moves_considered(LEGAL, rng)) for _ in range(500)]
    assert sum(counts) / len(counts) / len(LEGAL) == pytest.approx(0.7, abs=0.02)


@pytest.mark.parametrize("game", [*BUILT_IN, "a game of somebody else's"])
def test_a_higher_level_searches_more_and_overlooks_less(game: str) -> None:
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
