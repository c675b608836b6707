"""The dispersion of deal groups, compared with its definition."""

from collections import defaultdict

import numpy as np
import pytest

from tournaments.ratings import likelihood
from tournaments.ratings.dispersion import PRIOR_GROUPS, dispersion, group_squares
from tournaments.ratings.fit import fit
from tournaments.ratings.linear_solver import Hessian, Solver
from tournaments.ratings.result_arrays import Floats, RatedMatch, RatingTable

GAMES = [
    RatedMatch((("a", "b"), ("c", "d")), (1, 2), group=1),
    RatedMatch((("c", "d"), ("b", "a")), (2, 1), group=1),
    RatedMatch((("a",), ("a", "c")), (1, 1), group=1),
    RatedMatch((("b",), ("c",), ("d",)), (1, 1, 3), group=2),
    RatedMatch((("a",), ("b",)), (2, 1)),
]


def gradients(table: RatingTable, theta: Floats) -> list[Floats]:
    jacobian = table.jacobian.terms(theta)
    return [
        likelihood.row_derivatives(bucket, jacobian, slice(None)).gradient
        for bucket in table.buckets
    ]


def squares_game_by_game(games: list[RatedMatch]) -> float:
    """The squares at θ = 0, from each game's gradients, added up by group and entrant."""
    sums: defaultdict[tuple[object, str | int], float] = defaultdict(float)
    for number, game in enumerate(games):
        alone = RatingTable.from_games([game])
        gradient = likelihood.value_and_gradient(alone, np.zeros(alone.parameters))[1]
        for place, name in enumerate(alone.entrants):
            sums[game.group or f"game {number}", name] += float(gradient[place])
    return sum(value**2 for value in sums.values())


@pytest.mark.parametrize("games", [GAMES, GAMES[4:] * 2, GAMES[:1], GAMES[::-1]])
def test_gradients_add_up_by_group_and_entrant(games: list[RatedMatch]) -> None:
    table = RatingTable.from_games(games)
    squares = group_squares(table, gradients(table, np.zeros(table.parameters)))
    assert squares == pytest.approx(squares_game_by_game(games))


def independent_covariance(table: RatingTable, variance: float) -> Solver:
    """A covariance in which all strengths are independent with this variance."""
    curvature = likelihood.derivatives(table, np.zeros(table.parameters))[2]
    matrix = Hessian(curvature, 0.0, np.full(table.parameters, 1 / variance))
    return Solver.factorize(matrix)


def test_without_leverage_and_with_few_groups() -> None:
    # Two groups of one even match: the squares are 4 · ¼, the information 4 · ¼.
    table = RatingTable.from_games(GAMES[4:] * 2)
    assert dispersion(
        table, np.zeros(2), independent_covariance(table, 1e-15)
    ).common == pytest.approx(1)
    # Ties have no squares; the prior weighs as much as a number of groups.
    tied = RatingTable.from_games([RatedMatch((("a",), ("b",)), (1, 1))] * 2)
    common = dispersion(tied, np.zeros(2), independent_covariance(tied, 1e-15)).common
    assert common == pytest.approx(PRIOR_GROUPS / (PRIOR_GROUPS + 2))


def information_and_leverage(table: RatingTable) -> tuple[float, float]:
    """(information, leverage where each parameter is known up to a variance of 1), game by game."""
    jacobian = table.jacobian
    members, parts = jacobian.loadings()
    information = leverage = 0.0
    lengths = np.bincount(np.concatenate([bucket.group_of for bucket in table.buckets]))
    for bucket in table.buckets:
        derivatives = likelihood.row_derivatives(bucket, np.zeros(table.parameters), slice(None))
        for row, group in zip(bucket.row_of, bucket.group_of, strict=True):
            sides = np.zeros((len(bucket.members), table.parameters))
            for side, numbers in enumerate(bucket.members[:, :, row]):
                for number in numbers:
                    sides[side, number] += 1
                    if number >= jacobian.base:
                        sides[side, members[number]] += parts[number]
            curve = np.zeros((len(sides), len(sides)))
            for value, (a, b) in zip(derivatives.cross, likelihood.pairs(len(sides)), strict=True):
                apart = np.eye(len(sides))[a] - np.eye(len(sides))[b]
                curve += value[row] * np.outer(apart, apart)
            squares = (sides[:, : jacobian.entrants] ** 2).sum(axis=1)
            information += float(np.diag(curve) @ squares)
            spread = curve @ sides @ sides.T @ curve
            leverage += float(np.diag(spread) @ squares) * lengths[group]
    return information, leverage


@pytest.mark.parametrize("games", [GAMES[4:] * 2, GAMES[3:4], GAMES])
def test_fitted_parameters_reduce_the_dispersion(games: list[RatedMatch]) -> None:
    table = RatingTable.from_games(games)
    theta = np.zeros(table.parameters)
    information, leverage = information_and_leverage(table)
    assert leverage > 0
    start = PRIOR_GROUPS * information / table.groups
    squares = squares_game_by_game(games) + start
    expected = squares / (information - 0.01 * leverage + start)
    assert dispersion(table, theta, independent_covariance(table, 0.01)).common == pytest.approx(
        expected
    )


@pytest.mark.parametrize("matches", [100, 5_000])
def test_certain_results_do_not_show_the_dispersion(matches: int) -> None:
    """Results without any loss seem to have no variance."""
    won = RatedMatch((("a",), ("b",)), (1, 2), form="x")
    even = [RatedMatch((("c",), ("d",)), ranks, form="y") for ranks in ((1, 2), (2, 1))]
    certain = [won] * matches
    assert fit(certain).dispersion > 0.6
    by_form = {form.name: form.dispersion for form in fit(certain + even * 100).forms}
    assert by_form["x"] > 0.6
