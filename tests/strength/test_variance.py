"""How noise is measured: by results made up so that the answer is known, and a small real run."""

from __future__ import annotations

from random import Random

import pytest

from engine import Format
from tests.strength.variance import measured, play_group
from tournaments.standings.noise import noise_by_pool


def made_up(rng: Random, cards: float, play: float) -> list[list[float]]:
    """A group of two matches: the cards give one player what they give the other next time."""
    luck = rng.gauss(0, cards)
    return [[luck + rng.gauss(1, play), luck / 2], [-luck + rng.gauss(1, play), -luck / 2]]


def test_luck_that_cancels_is_worth_what_it_was_of_the_noise() -> None:
    """Cards make three quarters of the variance: a match without them says four times as much."""
    rng = Random(1)
    found = measured([made_up(rng, 3.0, 3.0**0.5) for _ in range(4000)])
    assert found.groups == 4000
    assert found.in_groups == pytest.approx(4, rel=0.1)
    assert found.without_luck == pytest.approx(4, rel=0.1)


def test_where_cards_say_nothing_nothing_is_gained() -> None:
    rng = Random(2)
    found = measured([[[rng.gauss(0, 1), rng.gauss(0, 1)] for _ in range(2)] for _ in range(4000)])
    assert found.in_groups == pytest.approx(1, rel=0.1)
    assert found.without_luck == pytest.approx(1, rel=0.1)


def test_a_group_of_a_real_game() -> None:
    fmt = Format.parse("cassino/standard/ffa3?deals=1")
    names = ("house:greedy", "house:random")
    group = play_group(fmt, names, 3, 0)
    assert len(group) == 3
    assert group == play_group(fmt, names, 3, 0)


def test_what_is_kept_is_of_formats_that_exist() -> None:
    assert noise_by_pool()
    for pool, each in noise_by_pool().items():
        assert str(Format.parse(pool)) == pool
        assert each.groups > 0
        assert min(each.in_groups, each.without_luck) > 0
