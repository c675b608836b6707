"""Ratings from results against levels with known places."""

from __future__ import annotations

from random import Random

import pytest

from engine import Format
from tournaments.measure.estimate import Estimate, GroupResult, estimate, level_ratings

LEVELS = {1: 1200.0, 2: 1350.0, 3: 1500.0, 4: 1650.0, 5: 1800.0}


def measured(rating: float, within: float, seed: int) -> tuple[Estimate, list[GroupResult]]:
    """A measurement of a player with this rating, whose matches are independent."""
    rng, groups = Random(seed), list[GroupResult]()
    while (now := estimate(groups, LEVELS)).margin > within:
        chance = 1 / (1 + 10 ** ((LEVELS[now.next_level] - rating) / 400))
        score = sum(rng.random() < chance for _ in range(2)) / 2
        groups.append(GroupResult(len(groups) + 1, now.next_level, 2, score))
    return now, groups


@pytest.mark.parametrize("rating", [1250.0, 1500.0, 1720.0])
def test_95_of_100_intervals_contain_the_rating(rating: float) -> None:
    results = [measured(rating, 150, seed)[0] for seed in range(40)]
    inside = sum(result.low <= rating <= result.high for result in results)
    assert 35 <= inside < 40 or inside == 40
    assert abs(sum(result.rating for result in results) / 40 - rating) < 40


def test_most_groups_are_played_against_the_nearest_level() -> None:
    _, groups = measured(1660.0, 80, 1)
    levels = [group.level for group in groups]
    assert levels[0] == 3
    assert max(set(levels), key=levels.count) == 4


def test_an_estimate_depends_on_no_order_and_narrows() -> None:
    _, groups = measured(1400.0, 120, 2)
    assert estimate(groups, LEVELS) == estimate(groups[::-1], LEVELS)
    assert estimate(groups, LEVELS).margin < estimate(groups[:5], LEVELS).margin


def test_scores_that_vary_less_than_independent_matches_narrow_the_interval() -> None:
    split = [GroupResult(n, 3, 2, 0.5) for n in range(1, 31)]
    extreme = [GroupResult(n, 3, 2, float(n % 2)) for n in range(1, 31)]
    assert estimate(split, LEVELS).margin < 0.8 * estimate(extreme, LEVELS).margin


def test_a_player_who_always_loses_has_a_rating_below_all_levels() -> None:
    lost = estimate([GroupResult(n, 1, 2, 0.0) for n in range(1, 21)], LEVELS)
    assert lost.high < LEVELS[1]
    assert lost.next_level == 1


def test_places_are_those_measured_in_the_game() -> None:
    cassino = Format.parse("cassino/standard/1v1")
    steps = cassino.spec.levels.steps
    found = level_ratings(cassino)
    assert found[3] == 1500
    assert [found[n + 1] - found[n] for n in (1, 2, 3, 4)] == list(steps[1:5])
