"""Ratings from results against levels with known ratings."""

from __future__ import annotations

from random import Random

import pytest

from engine import Format
from tournaments.measure.estimate import Estimate, GroupResult, estimate, level_ratings

LEVELS = {1: 1200.0, 2: 1350.0, 3: 1500.0, 4: 1650.0, 5: 1800.0}


def measure(rating: float, width: float, seed: int) -> tuple[Estimate, list[GroupResult]]:
    """A measurement of a player with this rating in independent matches."""
    rng, groups = Random(seed), list[GroupResult]()
    while (now := estimate(groups, LEVELS)).margin > width:
        chance = 1 / (1 + 10 ** ((LEVELS[now.next_level] - rating) / 400))
        score = sum(rng.random() < chance for _ in range(2)) / 2
        groups.append(GroupResult(len(groups) + 1, now.next_level, 2, score))
    return now, groups


@pytest.mark.parametrize("rating", [1250.0, 1500.0, 1720.0])
def test_95_of_100_intervals_contain_the_rating(rating: float) -> None:
    results = [measure(rating, 150, seed)[0] for seed in range(40)]
    count = sum(result.low <= rating <= result.high for result in results)
    assert 35 <= count < 40 or count == 40
    assert abs(sum(result.rating for result in results) / 40 - rating) < 40


def test_most_groups_are_played_against_the_nearest_level() -> None:
    _, groups = measure(1660.0, 80, 1)
    levels = [group.level for group in groups]
    assert levels[0] == 3
    assert max(set(levels), key=levels.count) == 4


def test_an_estimate_ignores_order_and_narrows_with_results() -> None:
    _, groups = measure(1400.0, 120, 2)
    assert estimate(groups, LEVELS) == estimate(groups[::-1], LEVELS)
    assert estimate(groups, LEVELS).margin < estimate(groups[:5], LEVELS).margin


def test_scores_that_vary_less_than_independent_matches_narrow_the_interval() -> None:
    split = [GroupResult(n, 3, 2, 0.5) for n in range(1, 31)]
    extreme = [GroupResult(n, 3, 2, float(n % 2)) for n in range(1, 31)]
    assert estimate(split, LEVELS).margin < 0.8 * estimate(extreme, LEVELS).margin


def test_a_player_who_always_loses_has_a_rating_below_all_levels() -> None:
    estimate_of_losses = estimate([GroupResult(n, 1, 2, 0.0) for n in range(1, 21)], LEVELS)
    assert estimate_of_losses.high < LEVELS[1]
    assert estimate_of_losses.next_level == 1


def test_levels_have_their_measured_ratings() -> None:
    cassino = Format.parse("cassino/standard/1v1")
    steps = cassino.spec.levels.rating_steps
    ratings = level_ratings(cassino)
    assert ratings[3] == 1500
    assert [ratings[n + 1] - ratings[n] for n in (1, 2, 3, 4)] == list(steps[1:5])
