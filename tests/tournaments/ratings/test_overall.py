"""Overall ratings: each game counts once."""

from math import hypot

import pytest

from tests.tournaments.ratings.test_fit import games
from tournaments.ratings.fit import fit
from tournaments.ratings.overall import overall

MANY_GAMES = fit([*games("a", "b", 300, 100), *games("b", "c", 200, 200)])
FEW_GAMES = fit([*games("a", "b", 10, 30), *games("a", "d", 20, 20)])


def test_overall_is_the_unweighted_mean_of_games() -> None:
    fitted = overall([MANY_GAMES, FEW_GAMES])
    for name in "ab":
        mean = (MANY_GAMES.ratings[name].rating + FEW_GAMES.ratings[name].rating) / 2
        assert fitted.ratings[name].rating == pytest.approx(mean)
        assert fitted.ratings[name].averaged == 2
    assert fitted.ratings["c"].rating == MANY_GAMES.ratings["c"].rating
    assert fitted.ratings["d"].averaged == 1
    assert fitted.ratings["a"].groups == 480
    assert fitted.groups == MANY_GAMES.groups + FEW_GAMES.groups
    assert fitted.components == 1


def test_the_variance_is_that_of_a_mean() -> None:
    fitted = overall([MANY_GAMES, FEW_GAMES])
    sds = [game_fit.difference("a", "b")[1] for game_fit in (MANY_GAMES, FEW_GAMES)]
    assert fitted.difference("a", "b")[1] == pytest.approx(hypot(*sds) / 2)
    halves = [
        game_fit.ratings["a"].rating - (game_fit.ratings["a"].low or 0)
        for game_fit in (MANY_GAMES, FEW_GAMES)
    ]
    half_width = fitted.ratings["a"].rating - (fitted.ratings["a"].low or 0)
    assert half_width == pytest.approx(hypot(*halves) / 2)


def test_overall_of_one_game_equals_the_game() -> None:
    assert overall([MANY_GAMES]) is MANY_GAMES


def test_an_open_end_stays_open() -> None:
    unbeaten = fit(games("a", "b", 5, 0))
    fitted = overall([MANY_GAMES, unbeaten])
    assert fitted.ratings["a"].high is None
    assert fitted.ratings["a"].low is not None


def test_only_the_largest_component_of_a_game_counts() -> None:
    """The average bot of another component may be stronger or weaker."""
    beside = fit([*games("a", "b", 300, 100), *games("c", "d", 100, 300)])
    largest = fit([*games("c", "d", 200, 200), *games("d", "x", 10, 30), *games("c", "x", 9, 9)])
    fitted = overall([MANY_GAMES, beside, largest])
    assert fitted.ratings["c"].averaged == 2
    assert fitted.ratings["d"].rating == largest.ratings["d"].rating
    assert fitted.ratings["a"].averaged == 2, "of two equal components the first is the largest"
    assert fitted.components == 1
    assert not fitted.averages, "each entrant has its own"


def test_components_are_connected_by_any_game() -> None:
    apart = fit([*games("a", "b", 1, 3), *games("x", "y", 2, 2)])
    joined = overall([MANY_GAMES, apart])
    assert dict(zip(joined.entrants, joined.parts.tolist(), strict=True)) == {
        "a": 0,
        "b": 0,
        "c": 0,
        "x": 1,
        "y": 1,
    }
    bridge = fit([*games("c", "x", 2, 2), *games("c", "y", 2, 2)])
    assert overall([MANY_GAMES, apart, bridge]).components == 1
