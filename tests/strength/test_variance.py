"""The measurement of noise, on artificial results with a known answer and in a small real run."""

from __future__ import annotations

from random import Random

import pytest

from engine import Format
from tests.strength.variance import measure_noise, play_group
from tournaments.standings.noise import noise_by_pool


def artificial_group(rng: Random, cards: float, play: float) -> list[list[float]]:
    """A group of two matches, in which the cards favour one player and then equally the other."""
    luck = rng.gauss(0, cards)
    return [[luck + rng.gauss(1, play), luck / 2], [-luck + rng.gauss(1, play), -luck / 2]]


def test_both_methods_remove_the_noise_of_the_cards() -> None:
    """Cards cause three quarters of the variance, so a match without them counts as four."""
    rng = Random(1)
    noise = measure_noise([artificial_group(rng, 3.0, 3.0**0.5) for _ in range(4000)])
    assert noise.groups == 4000
    assert noise.in_groups == pytest.approx(4, rel=0.1)
    assert noise.without_luck == pytest.approx(4, rel=0.1)


def test_irrelevant_luck_removes_no_noise() -> None:
    rng = Random(2)
    groups = [[[rng.gauss(0, 1), rng.gauss(0, 1)] for _ in range(2)] for _ in range(4000)]
    noise = measure_noise(groups)
    assert noise.in_groups == pytest.approx(1, rel=0.1)
    assert noise.without_luck == pytest.approx(1, rel=0.1)


def test_groups_of_a_real_game_are_repeatable() -> None:
    fmt = Format.parse("cassino/standard/ffa3?deals=1")
    names = ("house:greedy", "house:random")
    group = play_group(fmt, names, 3, 0)
    assert len(group) == 3
    assert group == play_group(fmt, names, 3, 0)


def test_stored_noise_belongs_to_existing_formats() -> None:
    assert noise_by_pool()
    for pool, noise in noise_by_pool().items():
        assert str(Format.parse(pool)) == pool
        assert noise.groups > 0
        assert min(noise.in_groups, noise.without_luck) > 0
