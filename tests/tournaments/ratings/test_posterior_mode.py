"""The posterior mode does not depend on the start."""

import numpy as np
import pytest

from tests.tournaments.ratings.simulate import Ladder, draw
from tests.tournaments.ratings.test_fit import games
from tournaments.ratings import likelihood
from tournaments.ratings.posterior_mode import find_mode
from tournaments.ratings.result_arrays import RatingTable


@pytest.mark.parametrize("prior_sd", [0.5, 2.0, 5000.0])
def test_the_gradient_is_zero_at_the_mode(prior_sd: float) -> None:
    table = draw(Ladder(9, 3, 3, spread=600, ties=0.2), seed=3).table
    precision = np.full(table.parameters, prior_sd**-2)
    mode = find_mode(table, 0.7, precision)
    value, gradient, information = likelihood.derivatives(table, mode.theta)
    assert np.abs(0.7 * gradient - precision * mode.theta).max() < 1e-7
    assert mode.value == pytest.approx(0.7 * value - precision @ mode.theta**2 / 2)
    near = mode.hessian(1.0, 0 * precision).to_dense()
    assert near == pytest.approx(information.to_dense(), rel=0.02, abs=0.02)
    second = find_mode(table, 0.7, precision, near=find_mode(table, 2.0, 2 * precision))
    assert second.theta == pytest.approx(mode.theta, abs=1e-6)


def test_a_mode_far_from_the_start_is_found() -> None:
    """Where results are nearly certain, Newton's steps are long and hardly shrink at first."""
    table = RatingTable.from_games(games("a", "b", 1_000, 0))
    precision = np.full(table.parameters, 0.25)
    start = find_mode(table, 1.0, precision)
    mode = find_mode(table, 50.0, precision, near=start)
    assert mode.theta == pytest.approx(find_mode(table, 50.0, precision).theta, abs=1e-6)
    back = find_mode(table, 1.0, precision, near=mode)
    assert back.theta == pytest.approx(start.theta, abs=1e-6)
