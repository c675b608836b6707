"""Intervals of entrants with few results, or with wins or losses only."""

import numpy as np
import pytest

from tests.tournaments.ratings.coverage import LINES, strengths, table
from tests.tournaments.ratings.test_fit import games
from tournaments.ratings import profile_likelihood
from tournaments.ratings.elo import half_width, interval_text
from tournaments.ratings.fit import fit


def by_hand(wins: int, losses: int, dispersion: float) -> list[float]:
    """Where the posterior of a's lead, with a third of the prior, is t² / 2 below its maximum."""
    lead = np.linspace(-2500, 2500, 500_001)
    chance = 1 / (1 + 10 ** (-lead / 400))
    value = (wins * np.log(chance) + losses * np.log1p(-chance)) / dispersion
    value -= (lead / 350) ** 2 / 4 / 3  # each of two is half the lead from their average
    t = {27: 2.0518}[20 + wins + losses - 2]
    inside = lead[value >= value.max() - t**2 / 2]
    return [float(inside[0]), float(inside[-1])]


def test_of_two_it_is_the_profile_of_the_likelihood() -> None:
    fitted = fit(games("a", "b", 7, 2))
    average = np.mean([rating.rating for rating in fitted.ratings.values()])
    a = fitted.ratings["a"]
    # The distance from the average is half of the lead.
    ends = [2 * ((end or 0.0) - average) for end in (a.low, a.high)]
    assert ends == pytest.approx(by_hand(7, 2, fitted.dispersion), abs=1.5)


def test_who_never_lost_is_at_least_so_strong() -> None:
    fitted = fit(games("a", "b", 8, 0))
    a, b = fitted.ratings["a"], fitted.ratings["b"]
    assert (a.high, b.low) == (None, None)
    assert a.low is not None
    assert b.high is not None
    assert 1200 < a.low < a.rating
    assert b.rating < b.high < 1200
    more = fit(games("a", "b", 12, 0)).ratings["a"]
    assert (more.low or 0) > a.low


def test_with_many_results_it_is_that_of_the_curvature() -> None:
    fitted = fit(games("a", "b", 60, 40))
    a = fitted.ratings["a"]
    sd = np.sqrt(fitted.covariance[0, 0])
    assert (a.low, a.high) == pytest.approx((a.rating - 1.96 * sd, a.rating + 1.96 * sd), abs=0.01)


def test_few_and_many_nearly_agree() -> None:
    few = [g for n in range(9) for g in games("a", "b", 6, 4)]
    played = [type(g)(g.sides, g.ranks, n // 10) for n, g in enumerate(few)]
    fitted = fit(played)
    a, sd = fitted.ratings["a"], np.sqrt(fitted.covariance[0, 0])
    assert a.groups == 9
    half = half_width(a.rating, a.low, a.high)
    assert half == pytest.approx(1.96 * sd, rel=0.05)


@pytest.mark.parametrize("name", ["two and four sides", "one deal and four deals"])
def test_profiles_follow_the_slopes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many results both kinds of interval agree, in formats whose slopes are uncertain, too."""
    line, rng = LINES[name], np.random.default_rng(5)
    drawn = table(line, strengths(line, rng), rng, times=4)
    curved = fit(drawn).ratings
    monkeypatch.setattr(profile_likelihood, "FEW_RESULTS", 10_000)
    for bot, profiled in fit(drawn).ratings.items():
        ends = [(end or 0.0) - curved[bot].rating for end in (profiled.low, profiled.high)]
        before = [(end or 0.0) - curved[bot].rating for end in (curved[bot].low, curved[bot].high)]
        assert ends == pytest.approx(before, rel=0.12, abs=5)


def test_one_entrant_knows_nothing() -> None:
    alone = fit([type(g)((("a",), ("a",)), g.ranks) for g in games("a", "b", 1, 0)])
    assert (alone.ratings["a"].low, alone.ratings["a"].high) == (None, None)


def test_intervals_in_words() -> None:
    assert interval_text(1200.4, 1300.0) == "1200 to 1300"
    assert interval_text(None, 1300.0) == "at most 1300"
    assert interval_text(1540.0, None) == "at least 1540"
    assert half_width(1500.0, None, None) is None
    assert half_width(1500.0, 1400.0, None) == 100
