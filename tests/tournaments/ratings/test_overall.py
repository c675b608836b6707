"""Every game counts once."""

from math import hypot

import pytest

from tests.tournaments.ratings.test_fit import games
from tournaments.ratings.fit import fit
from tournaments.ratings.overall import overall

MUCH = fit([*games("a", "b", 300, 100), *games("b", "c", 200, 200)])
LITTLE = fit([*games("a", "b", 10, 30), *games("a", "d", 20, 20)])


def test_the_mean_of_the_games_however_much_was_played() -> None:
    fitted = overall([MUCH, LITTLE])
    for name in "ab":
        mean = (MUCH.ratings[name].rating + LITTLE.ratings[name].rating) / 2
        assert fitted.ratings[name].rating == pytest.approx(mean)
        assert fitted.ratings[name].averaged == 2
    assert fitted.ratings["c"].rating == MUCH.ratings["c"].rating
    assert fitted.ratings["d"].averaged == 1
    assert fitted.ratings["a"].groups == 480
    assert fitted.groups == MUCH.groups + LITTLE.groups
    assert fitted.components == 1


def test_variances_are_those_of_a_mean() -> None:
    fitted = overall([MUCH, LITTLE])
    sds = [each.difference("a", "b")[1] for each in (MUCH, LITTLE)]
    assert fitted.difference("a", "b")[1] == pytest.approx(hypot(*sds) / 2)
    halves = [each.ratings["a"].rating - (each.ratings["a"].low or 0) for each in (MUCH, LITTLE)]
    low = fitted.ratings["a"].rating - (fitted.ratings["a"].low or 0)
    assert low == pytest.approx(hypot(*halves) / 2)


def test_one_game_is_itself() -> None:
    assert overall([MUCH]) is MUCH


def test_an_open_end_stays_open() -> None:
    unbeaten = fit(games("a", "b", 5, 0))
    fitted = overall([MUCH, unbeaten])
    assert fitted.ratings["a"].high is None
    assert fitted.ratings["a"].low is not None


def test_components_are_connected_by_any_game() -> None:
    apart = fit([*games("a", "b", 1, 3), *games("x", "y", 2, 2)])
    joined = overall([MUCH, apart])
    assert dict(zip(joined.entrants, joined.parts.tolist(), strict=True)) == {
        "a": 0,
        "b": 0,
        "c": 0,
        "x": 1,
        "y": 1,
    }
    bridge = fit(games("c", "x", 2, 2))
    assert overall([MUCH, apart, bridge]).components == 1
