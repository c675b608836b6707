"""Matches of different lengths are weighed by their information."""

import numpy as np
import pytest

from tests.tournaments.ratings.coverage import LINES, strengths, table
from tests.tournaments.ratings.test_fit import games
from tournaments.ratings import likelihood
from tournaments.ratings.fit import RatedMatch, fit
from tournaments.ratings.linear_solver import Solver
from tournaments.ratings.posterior_mode import find_mode
from tournaments.ratings.slopes import slope_step


def with_format(matches: list[RatedMatch], form: str) -> list[RatedMatch]:
    return [RatedMatch(game.sides, game.ranks, game.group, form) for game in matches]


def test_a_more_decisive_format_has_a_larger_slope() -> None:
    # Four deals: three wins in four. One deal: log-odds half as large.
    four_deals, one_deal = games("a", "b", 3000, 1000), games("a", "b", 1268, 732)
    fitted = fit(
        [*with_format(four_deals, "g/v/1v1"), *with_format(one_deal, "g/v/1v1?deals=1")],
        prior_sd=1e4,
    )
    slopes = {form.name: form.slope for form in fitted.forms}
    assert slopes["g/v/1v1"] == pytest.approx(1, abs=1e-6)
    assert slopes["g/v/1v1?deals=1"] == pytest.approx(0.5, abs=0.02)
    # The unit is the standard match.
    alone = fit(with_format(four_deals, "g/v/1v1"), prior_sd=1e4)
    assert fitted.difference("a", "b")[0] == pytest.approx(alone.difference("a", "b")[0], abs=3)


def test_few_matches_of_another_length_change_little() -> None:
    long = with_format(games("a", "b", 300, 100), "g/v/1v1")
    one = with_format(games("a", "b", 1, 0), "g/v/1v1?deals=1")
    before, after = (fit(matches).difference("a", "b")[0] for matches in (long, long + one))
    assert after == pytest.approx(before, abs=3)


def test_one_format_has_no_slope() -> None:
    matches = games("a", "b", 30, 10)
    one, other = fit(with_format(matches, "g/v/1v1?deals=1")), fit(with_format(matches, "g/v/1v1"))
    assert [form.slope for form in one.forms] == [1.0]
    assert one.ratings["a"] == other.ratings["a"]


def test_without_a_standard_match_the_mean_logarithm_is_0() -> None:
    rng = np.random.default_rng(1)
    line = LINES["three lengths"]
    fitted = fit(table(line, strengths(line, rng), rng))
    assert {form.name: form.slope for form in fitted.forms}["g/v/1v1"] == pytest.approx(1)
    matches = [*games("a", "b", 300, 100), *games("b", "c", 30, 40)]
    formatted = with_format(matches, "g/v/1v1?deals=1") + with_format(
        games("a", "b", 60, 40), "g/v/1v1?deals=2"
    )
    slopes = [form.slope for form in fit(formatted).forms]
    assert np.prod(slopes) == pytest.approx(1, abs=1e-6)
    assert slopes[0] > slopes[1]


def test_each_format_has_its_dispersion() -> None:
    steady = [game for n in range(100) for game in games("a", "b", 1, 1)]
    loose = games("a", "b", 100, 100)
    matches = [RatedMatch(g.sides, g.ranks, n // 2, "g/v/1v1") for n, g in enumerate(steady)]
    fitted = fit([*matches, *with_format(loose, "g/v/1v1?deals=1")])
    paired, alone = (form.dispersion for form in fitted.forms)
    assert paired < 0.3 < 0.8 < alone
    assert paired < fitted.dispersion < alone


def test_slopes_are_derivatives() -> None:
    rng = np.random.default_rng(1)
    line = LINES["three lengths"]
    results = table(line, strengths(line, rng), rng)
    precision = np.full(results.parameters, 0.25)
    mode = find_mode(results, 1.0, precision)
    solver = Solver.factorize(mode.hessian(1.0, precision))
    step = slope_step(results, mode.theta, solver, np.zeros(3))
    # At slopes of 1 the steps point towards the true slopes.
    assert step.slopes[1] < 1 < step.slopes[2]
    assert step.slopes[0] == pytest.approx(1, abs=1e-6)
    assert np.isfinite(step.reactions).all()
    assert likelihood.derivatives(results, mode.theta)[0] < 0
