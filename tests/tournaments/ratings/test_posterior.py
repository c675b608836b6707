"""The maximum is one, from wherever it is looked for."""

import numpy as np
import pytest

from tests.tournaments.ratings.simulate import Ladder, draw
from tournaments.ratings import likelihood
from tournaments.ratings.posterior import maximum


@pytest.mark.parametrize("prior_sd", [0.5, 2.0, 5000.0])
def test_the_slope_is_nought_there(prior_sd: float) -> None:
    table = draw(Ladder(9, 3, 3, spread=600, ties=0.2), seed=3).table
    precision = np.full(table.parameters, prior_sd**-2)
    peak = maximum(table, 0.7, precision)
    value, gradient, curvature = likelihood.total(table, peak.theta)
    assert np.abs(0.7 * gradient - precision * peak.theta).max() < 1e-7
    assert peak.value == pytest.approx(0.7 * value - precision @ peak.theta**2 / 2)
    assert peak.curvature.full() == pytest.approx(curvature.full(), rel=0.02, abs=0.02)
    again = maximum(table, 0.7, precision, maximum(table, 2.0, 2 * precision))
    assert again.theta == pytest.approx(peak.theta, abs=1e-6)
