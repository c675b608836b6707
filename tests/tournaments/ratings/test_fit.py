"""The batch fit: known answers, order, anchor, and honest intervals."""

import os
import random
from math import exp, log

import numpy as np
import pytest

from tests.tournaments.ratings.simulate import Ladder, coverage, draw
from tournaments.ratings import posterior_mode, subsampling
from tournaments.ratings.elo import START, expected
from tournaments.ratings.fit import PRIOR_SD, RatedMatch, chance_above_zero, fit

FULL = os.environ.get("CARDROOM_FULL") == "1"


def games(a: str, b: str, wins: int, losses: int, ties: int = 0) -> list[RatedMatch]:
    def game(*ranks: int) -> RatedMatch:
        return RatedMatch(((a,), (b,)), ranks)

    return [game(1, 2)] * wins + [game(2, 1)] * losses + [game(1, 1)] * ties


def test_two_entrants_by_hand() -> None:
    # Without a prior, 3 wins to 1 put the difference at 400 log10(3).
    fitted = fit(games("a", "b", 3000, 1000), prior_sd=1e6)
    points, sd = fitted.difference("a", "b")
    assert points == pytest.approx(400 * np.log10(3), abs=1e-3)
    # Fisher information 4000 · ¾ · ¼, times the dispersion that was measured.
    expected_sd = 400 / log(10) / np.sqrt(750 / fitted.dispersion)
    assert sd == pytest.approx(expected_sd, rel=1e-3)
    assert fitted.dispersion == pytest.approx(1, abs=0.05)
    assert expected(fitted.ratings["a"].rating, fitted.ratings["b"].rating) == pytest.approx(
        0.75, abs=1e-5
    )
    assert chance_above_zero(*fitted.difference("a", "b")) > 0.999


def test_the_prior_limits_an_unbeaten_entrant() -> None:
    fitted = fit(games("a", "b", 3, 0))
    theta = (fitted.ratings["a"].rating - START) * log(10) / 400
    # At the maximum the gradients of data and prior are equal.
    pull = 3 / (1 + exp(2 * theta)) / fitted.dispersion
    assert pull == pytest.approx(theta / (PRIOR_SD * log(10) / 400) ** 2, rel=1e-6)


def test_a_tie_is_half_a_win_each() -> None:
    ties = fit(games("a", "b", 20, 0, ties=20), prior_sd=1e6)
    wins = fit(games("a", "b", 30, 10), prior_sd=1e6)
    assert ties.difference("a", "b")[0] == pytest.approx(wins.difference("a", "b")[0], abs=0.5)
    assert ties.dispersion < 0.8 < wins.dispersion


def test_matches_of_a_group_are_not_independent() -> None:
    wins, losses = games("a", "b", 60, 0), games("a", "b", 0, 30)
    split = [
        RatedMatch(game.sides, game.ranks, group=n // 2)
        for n, game in enumerate([g for pair in zip(wins[:30], losses, strict=True) for g in pair])
    ]
    steady = fit(
        split + [RatedMatch(g.sides, g.ranks, 100 + n // 2) for n, g in enumerate(wins[30:])]
    )
    apart = fit(wins + losses)
    assert steady.dispersion < apart.dispersion
    assert steady.difference("a", "b")[1] < apart.difference("a", "b")[1]
    copied = fit([RatedMatch(g.sides, g.ranks, n // 10) for n, g in enumerate(wins + losses)])
    assert copied.difference("a", "b")[1] > 1.5 * apart.difference("a", "b")[1]
    assert steady.ratings["a"].games == 90
    assert steady.ratings["a"].groups == 45


def test_a_fit_without_matches() -> None:
    fitted = fit([])
    assert fitted.ratings == {}
    assert fitted.covariance.shape == (0, 0)


def test_an_invalid_prior_is_refused() -> None:
    with pytest.raises(ValueError, match="above 0; it is -1"):
        fit(games("a", "b", 1, 0), prior_sd=-1)


def test_the_order_of_the_games_does_not_matter() -> None:
    rng = random.Random(8)
    mixed: list[RatedMatch] = []
    for n in range(600):
        sides = rng.sample("abcdefgh", rng.choice([2, 3, 4]))
        ranks = tuple(rng.randint(1, 4) for _ in sides)
        teams = tuple((s,) if rng.random() < 0.8 else (s, "i") for s in sides)
        mixed.append(RatedMatch(teams, ranks, group=rng.choice([None, n // 3])))
    first = fit(mixed)
    for _ in range(3):
        rng.shuffle(mixed)
        second = fit(mixed)
        assert list(second.ratings) == list(first.ratings)
        for name, rating in first.ratings.items():
            assert second.ratings[name].rating == pytest.approx(rating.rating, abs=1e-9)
            assert second.ratings[name].low == pytest.approx(rating.low, abs=1e-9)
        assert second.covariance == pytest.approx(first.covariance, abs=1e-9)


def test_groups_split_by_shape_stay_together() -> None:
    # A tied match and a won one of the same group are in different buckets.
    pairs = [
        RatedMatch((("a",), ("b",)), ranks, group=n)
        for n in range(200)
        for ranks in ((1, 2), (1, 1))
    ]
    fitted = fit(pairs)
    assert fitted.ratings["a"].games == 400
    assert fitted.ratings["a"].groups == 200


LADDERS = {
    "two sides": Ladder(entrants=10, sides=2, groups=4),
    "deal groups of two": Ladder(entrants=10, sides=2, groups=4, rotated=True),
    "with luck of the cards": Ladder(10, 2, 4, rotated=True, luck=200.0),
    "with ties": Ladder(10, 2, 6, ties=0.4),
    "three sides": Ladder(10, 3, 2, rotated=True),
    "three sides with luck": Ladder(10, 3, 2, rotated=True, luck=200.0),
    "four sides with ties": Ladder(10, 4, 5, rotated=True, ties=0.3),
    "eight sides": Ladder(16, 8, 4, rotated=True),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LADDERS)
def test_intervals_contain_the_truth_as_often_as_stated(name: str) -> None:
    """Default: five standard errors around 93-97 % (rare false alarms). Full size: the aim."""
    default_ladders = 6 if LADDERS[name].luck else 40
    result = coverage(LADDERS[name], 600 if FULL else default_ladders)
    share, total = result.held / result.total, result.total
    # Entrants of one ladder are correlated, so their number counts two thirds.
    slack = 5 * np.sqrt(0.95 * 0.05 / (total / 1.5))
    low, high = (0.93, 0.97) if FULL else (0.93 - slack, 0.97 + slack)
    assert low <= share <= min(high, 1.0), f"{share:.3f} of {total}"


def test_ratings_come_close_to_the_truth_with_many_results() -> None:
    ladder = draw(Ladder(12, 4, 200), seed=1)
    fitted = fit(ladder.table)
    errors = [
        rating.rating - ladder.truth[int(entrant)] for entrant, rating in fitted.ratings.items()
    ]
    assert np.abs(errors).max() < 25


def test_a_stronger_side_has_an_effect_that_ratings_ignore() -> None:
    # Each pairing is played both ways; the first side always has an advantage.
    matches = [
        RatedMatch(((x,), (y,)), ranks, group=f"{n} {x}{y}", form="f")
        for n in range(300)
        for x, y in (("a", "b"), ("b", "a"))
        for ranks in [(1, 2) if n % 3 else (2, 1)]
    ]
    fitted = fit(matches)
    first, second = fitted.effects
    assert (first.form, first.side, second.side) == ("f", 0, 1)
    # Two wins in three mean a distance of log10(2) scales; the narrow prior shortens it a little.
    assert 0.7 * 200 * log(2) / log(10) < first.points < 200 * log(2) / log(10)
    assert first.low > 0 > second.high
    assert first.points == pytest.approx(-second.points)
    assert fitted.difference("a", "b")[0] == pytest.approx(0, abs=1e-9)
    assert fit([RatedMatch(g.sides, g.ranks, g.group) for g in matches]).effects == ()


def test_a_team_stronger_than_its_members_has_a_bond() -> None:
    pairs = [("ab", "cd"), ("ac", "bd"), ("ad", "bc")]
    matches = [
        RatedMatch((tuple(one), tuple(two)), ranks)
        for one, two in pairs
        for n in range(400)
        for ranks in [(1, 2) if n % (4 if one == "ab" else 2) else (2, 1)]
    ]
    alone = [game for other in "bcd" for game in games("a", other, 300, 300)]
    fitted = fit(matches + alone)
    best = fitted.teams[0]
    assert best.members == ("a", "b")
    assert best.groups == 400
    assert best.bond > 15
    mean = (fitted.ratings["a"].rating + fitted.ratings["b"].rating) / 2
    assert best.rating == pytest.approx(mean + best.bond)
    assert best.low < best.rating < best.high
    assert len(fitted.teams) == 6
    assert fit(games("a", "b", 3, 1)).teams == ()


def test_copies_of_one_bot_have_no_bond() -> None:
    assert fit([RatedMatch((("a", "a"), ("b", "b")), (1, 2))]).teams == ()


def test_components_are_distinguished() -> None:
    apart = fit(games("a", "b", 3, 1) + games("c", "d", 1, 1) + games("d", "e", 1, 0))
    assert dict(zip(apart.entrants, apart.parts.tolist(), strict=True)) == {
        "a": 0,
        "b": 0,
        "c": 1,
        "d": 1,
        "e": 1,
    }
    assert apart.components == 2
    assert fit(games("a", "b", 1, 1)).components == 1
    # Between components only the prior counts, which contains no information.
    assert abs(chance_above_zero(*apart.difference("a", "c")) - 0.5) < 0.3


def test_a_large_table_starts_from_a_sample_with_the_same_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = draw(Ladder(12, 4, 40, effects=40), seed=4).table
    unsampled = fit(table)
    monkeypatch.setattr(subsampling, "SAMPLE", 50)
    monkeypatch.setattr(posterior_mode, "_MANY", 50)
    assert subsampling.subsample(table) is not table
    result = fit(table)
    for entrant, rating in unsampled.ratings.items():
        # The dispersion's correction for the parameters is estimated from the sample, too.
        assert result.ratings[entrant].rating == pytest.approx(rating.rating, abs=0.01)
        assert result.ratings[entrant].low == pytest.approx(rating.low, abs=0.1)
