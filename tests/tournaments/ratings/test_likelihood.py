"""The likelihood compared with its definition, and its derivatives with differences."""

from dataclasses import replace
from itertools import pairwise, permutations

import numpy as np
import pytest

from tournaments.ratings.likelihood import choices, derivatives, value_and_gradient
from tournaments.ratings.result_arrays import RatedMatch, RatingTable


def by_definition(game: RatedMatch, theta: dict[str, float]) -> float:
    """Mean over all orders of the ties of the log-probability of the order."""
    strength = [np.mean([theta[str(m)] for m in side]) for side in game.sides]
    values = [
        sum(
            strength[side] - np.log(sum(np.exp(strength[other]) for other in order[place:]))
            for place, side in enumerate(order)
        )
        for order in permutations(range(len(strength)))
        if all(game.ranks[a] <= game.ranks[b] for a, b in pairwise(order))
    ]
    return float(np.mean(values))


GAMES = [
    RatedMatch((("a",), ("b",)), (1, 2)),
    RatedMatch((("a",), ("b",)), (1, 1)),
    RatedMatch((("b",), ("c",), ("a",)), (2, 1, 3)),
    RatedMatch((("b",), ("c",), ("a",)), (1, 1, 3)),
    RatedMatch((("b",), ("c",), ("a",)), (1, 2, 2)),
    RatedMatch((("a",), ("b",), ("c",), ("d",), ("e",)), (1, 2, 2, 2, 5)),
    RatedMatch((("a",), ("b",), ("c",), ("d",)), (1, 1, 1, 1)),
    RatedMatch((("a", "b"), ("c", "d")), (2, 1)),
    RatedMatch((("a", "b", "e"), ("c", "d")), (1, 1)),
    RatedMatch((("a", "a"), ("e", "e")), (1, 2)),
]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_value_is_the_mean_over_orders(game: RatedMatch) -> None:
    table = RatingTable.from_games([game])
    theta = dict(zip("abcde", (0.3, -1.2, 2.0, 0.1, -0.4), strict=True))
    strengths = np.zeros(table.parameters)
    strengths[: len(table.entrants)] = [theta[str(e)] for e in table.entrants]
    value, _, _ = derivatives(table, strengths)
    assert value == pytest.approx(by_definition(game, theta), abs=1e-12)


def test_gradient_and_information_are_the_derivatives() -> None:
    table = RatingTable.from_games([*GAMES, *(replace(game, form="f") for game in GAMES)])
    assert table.parameters == 5 + 5 + 3  # entrants, effects of five sides at most, teams
    theta = np.array([0.3, -1.2, 2.0, 0.1, -0.4, *np.linspace(-0.5, 0.7, 8)])
    _, gradient, information = derivatives(table, theta)
    hessian = information.to_dense()
    assert value_and_gradient(table, theta)[1] == pytest.approx(gradient, abs=1e-12)
    h = 1e-5
    for i in range(13):
        step = np.eye(13)[i] * h
        above, below = derivatives(table, theta + step), derivatives(table, theta - step)
        assert (above[0] - below[0]) / (2 * h) == pytest.approx(gradient[i], abs=1e-7)
        assert -(above[1] - below[1]) / (2 * h) == pytest.approx(hessian[i], abs=1e-7)


def test_choices_of_a_tie_cover_all_orders_equally() -> None:
    assert choices((1, 1, 1)) == (((0, 1, 2), 1), ((1, 2), 1), ((2,), 1))
    assert choices((2,)) == (((0, 1), 1), ((0,), 0.5), ((1,), 0.5))
    assert len(choices((8,))) == 255


def test_far_apart_strengths_stay_finite() -> None:
    value, gradient, information = derivatives(
        RatingTable.from_games(GAMES[:1]), np.array([0.0, 2000.0])
    )
    assert value == pytest.approx(-2000)
    assert np.isfinite(gradient).all()
    assert np.isfinite(information.to_dense()).all()


def test_a_sides_strength_includes_effect_and_bond() -> None:
    table = RatingTable.from_games([RatedMatch((("a", "b"), ("c", "d")), (1, 2), form="f")])
    assert table.effects == (("f", 0), ("f", 1))
    assert table.teams == ((0, 1), (2, 3))
    theta = np.array([0.2, 0.6, 0.1, 0.1, 0.3, -0.1, 0.05, -0.2])
    value, _, _ = derivatives(table, theta)
    strong, weak = 0.4 + 0.3 + 0.05, 0.1 - 0.1 - 0.2
    assert value == pytest.approx(strong - np.logaddexp(strong, weak))
