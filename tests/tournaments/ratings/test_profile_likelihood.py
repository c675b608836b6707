"""Intervals of entrants with few results, or with wins or losses only."""

import numpy as np
import pytest

from tests.tournaments.ratings.coverage import LINES, strengths, table
from tests.tournaments.ratings.test_fit import games
from tournaments.ratings import profile_likelihood
from tournaments.ratings.elo import half_width, interval_text, margin
from tournaments.ratings.fit import fit


def by_hand(wins: int, losses: int, dispersion: float) -> list[float]:
    """The ends at which the posterior of a's lead is t² / 2 below its maximum."""
    lead = np.linspace(-2500, 2500, 500_001)
    chance = 1 / (1 + 10 ** (-lead / 400))
    value = (wins * np.log(chance) + losses * np.log1p(-chance)) / dispersion
    value -= (
        (lead / 350) ** 2 / 4 / 3
    )  # the distance of each from their average is half of the lead
    t = {27: 2.0518}[20 + wins + losses - 2]
    likely = lead[value >= value.max() - t**2 / 2]
    return [float(likely[0]), float(likely[-1])]


def test_the_interval_of_two_entrants_is_the_profile() -> None:
    fitted = fit(games("a", "b", 7, 2))
    average = np.mean([rating.rating for rating in fitted.ratings.values()])
    a = fitted.ratings["a"]
    # The distance from the average is half of the lead.
    ends = [2 * ((end or 0.0) - average) for end in (a.low, a.high)]
    assert ends == pytest.approx(by_hand(7, 2, fitted.dispersion), abs=1.5)


def test_an_unbeaten_entrant_has_a_lower_bound() -> None:
    fitted = fit(games("a", "b", 8, 0))
    a, b = fitted.ratings["a"], fitted.ratings["b"]
    assert (a.high, b.low) == (None, None)
    assert a.low is not None
    assert b.high is not None
    assert 1200 < a.low < a.rating
    assert b.rating < b.high < 1200
    with_more_wins = fit(games("a", "b", 12, 0)).ratings["a"]
    assert (with_more_wins.low or 0) > a.low


@pytest.mark.parametrize("matches", [100, 1_000, 5_000])
def test_the_bound_of_an_unbeaten_entrant_follows_from_independent_matches(matches: int) -> None:
    fitted = fit(games("a", "b", matches, 0))
    lead = 2 * ((fitted.ratings["a"].low or 0.0) - 1200)
    expected_losses = matches / (1 + 10 ** (lead / 400))
    # χ² / 2 without a prior; the prior and the unknown dispersion lower the bound a little.
    assert 1.6449**2 / 2 < expected_losses < 4


def test_draws_bound_the_rating_on_both_sides() -> None:
    for wins, draws in ((0, 4), (0, 50), (3, 9), (30, 1)):
        for rating in fit(games("a", "b", wins, 0, ties=draws)).ratings.values():
            assert rating.low is not None
            assert rating.high is not None
            assert rating.low < rating.rating < rating.high


def test_with_many_results_intervals_follow_the_curvature() -> None:
    fitted = fit(games("a", "b", 60, 40))
    a = fitted.ratings["a"]
    sd = np.sqrt(fitted.covariance[0, 0])
    assert (a.low, a.high) == pytest.approx((a.rating - 1.96 * sd, a.rating + 1.96 * sd), abs=0.01)


def test_both_kinds_of_interval_nearly_agree() -> None:
    matches = [g for n in range(9) for g in games("a", "b", 6, 4)]
    regrouped = [type(g)(g.sides, g.ranks, n // 10) for n, g in enumerate(matches)]
    fitted = fit(regrouped)
    a, sd = fitted.ratings["a"], np.sqrt(fitted.covariance[0, 0])
    assert a.groups == 9
    half = half_width(a.rating, a.low, a.high)
    assert half == pytest.approx(1.96 * sd, rel=0.05)


@pytest.mark.parametrize("name", ["two and four sides", "one deal and four deals"])
def test_profiles_follow_the_slopes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With many results both kinds of interval agree, also in formats with uncertain slopes."""
    line, rng = LINES[name], np.random.default_rng(5)
    results = table(line, strengths(line, rng), rng, times=4)
    curved = fit(results).ratings
    monkeypatch.setattr(profile_likelihood, "FEW_RESULTS", 10_000)
    for bot, profiled in fit(results).ratings.items():
        ends = [(end or 0.0) - curved[bot].rating for end in (profiled.low, profiled.high)]
        offsets = [(end or 0.0) - curved[bot].rating for end in (curved[bot].low, curved[bot].high)]
        assert ends == pytest.approx(offsets, rel=0.12, abs=5)


def test_a_single_entrant_has_no_interval() -> None:
    alone = fit([type(g)((("a",), ("a",)), g.ranks) for g in games("a", "b", 1, 0)])
    assert (alone.ratings["a"].low, alone.ratings["a"].high) == (None, None)


def test_intervals_in_words() -> None:
    assert interval_text(1200.4, 1300.0) == "1200 to 1300"
    assert interval_text(None, 1300.0) == "at most 1300"
    assert interval_text(1540.0, None) == "at least 1540"
    assert half_width(1500.0, None, None) is None
    assert half_width(1500.0, 1400.0, None) == 100
    assert margin(1500.0, 1420.0, 1700.0) == margin(1500.0, 1300.0, 1520.0) == 200
    assert margin(1500.0, 1400.0, None) is None
