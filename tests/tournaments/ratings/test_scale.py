"""The scale is a convention that hardly depends on opponents."""

import numpy as np
import pytest

from cardroom_base.core.names import RANDOM
from tests.tournaments.ratings.stability import SIZES, STEPS, largest
from tests.tournaments.ratings.test_fit import games
from tournaments.ratings.elo import START
from tournaments.ratings.fit import Fit, fit
from tournaments.ratings.scale import (
    COMMON,
    LOOSE,
    Anchor,
    anchors_by_name,
    anchors_of_entrants,
    scale_shift,
)


def mean(fitted: Fit, names: str) -> float:
    return float(np.mean([fitted.ratings[name].rating for name in names]))


def test_without_anchors_the_average_is_the_start() -> None:
    assert mean(fit(games("a", "b", 10, 30)), "ab") == pytest.approx(START)


def test_anchors_shift_the_average_without_bending_ratings() -> None:
    matches = games("a", "b", 10, 30) + games("b", "house:expert-3", 100, 100)
    unanchored, fitted = fit(matches, anchors={}), fit(matches)
    middle = fitted.ratings["house:expert-3"].rating
    # The anchor is far above the average by results, so its nominal place raises the whole pool.
    assert START < mean(fitted, "ab") < START + 40
    assert middle < 1500
    for pair in (("a", "b"), ("b", "house:expert-3")):
        # Anchors have a wider prior than other bots.
        assert fitted.difference(*pair) == pytest.approx(unanchored.difference(*pair), abs=1)


def test_a_pool_of_anchors_has_their_average() -> None:
    fitted = fit(games("house:expert-2", "house:expert-4", 10, 10))
    places = [fitted.ratings[f"house:expert-{level}"].rating for level in (2, 4)]
    assert np.mean(places) == pytest.approx(1500)


def test_each_component_has_its_own_place() -> None:
    apart = games("a", "house:expert-5", 3, 3) + games("b", "c", 1, 3)
    fitted = fit(apart)
    assert fitted.components == 2
    assert mean(fitted, "bc") == pytest.approx(START)
    alone = fit(games("b", "c", 1, 3))
    assert fitted.ratings["b"].rating == pytest.approx(alone.ratings["b"].rating, abs=3)
    assert fitted.ratings["a"].rating > START


def test_the_shift_is_the_posterior_mean_by_hand() -> None:
    points, covariance = np.array([0.0, 100.0, 250.0]), np.diag([0.0, 0.0, 900.0])
    shift = scale_shift(points, covariance, {2: Anchor(1500.0, 40.0)})
    variance = 900 + COMMON**2 + 40**2
    # With the others' average of 50 at START, the anchor is 100 below its place.
    assert shift == pytest.approx(START - 50 + 100 * LOOSE**2 / (LOOSE**2 + variance), rel=1e-6)


def test_nominal_places_follow_from_the_steps() -> None:
    places = anchors_by_name("a pool that nobody has measured")
    assert places["house:expert-3"] == Anchor(1500.0, 0.0)
    assert places["house:expert-5"].points == 1800
    assert places["house:expert-5"].spread > places["house:expert-4"].spread > 0
    assert places[RANDOM].points == 1000
    assert anchors_of_entrants({7: RANDOM, 8: "mine"}) == {7: places[RANDOM]}


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("size", SIZES)
def test_bots_without_new_results_hardly_move(size: int, step: float) -> None:
    for moves in largest(size, step, pools=1):
        assert moves.group <= 25
        assert moves.mix <= 40
        assert moves.scale <= 25
