"""Equations are solved, with many bonds or none."""

import numpy as np
import pytest

from tournaments.ratings.solving import Solver, root
from tournaments.ratings.table import Floats


def posterior_like(few: int, bonds: int, matches: int) -> Floats:
    """Minus a Hessian: entrants (mean of two a team), teams that met in pairs, narrow priors."""
    rng = np.random.default_rng(few)
    matrix = np.diag(np.repeat([0.3, 30.0], [few, bonds]))
    teams = np.zeros((max(bonds, 1), few + bonds))
    for number, team in enumerate(teams):
        team[rng.permutation(few)[:2]] = 0.5
        team[few + number : few + number + 1] = 1
    for _ in range(matches):
        one, two = rng.integers(0, len(teams), 2)
        apart = teams[one] - teams[two]
        matrix += 0.25 * np.outer(apart, apart)
    return matrix


@pytest.mark.parametrize(("few", "bonds", "matches"), [(5, 0, 9), (8, 3, 4000), (12, 66, 3000)])
def test_the_solution_solves(few: int, bonds: int, matches: int) -> None:
    matrix = posterior_like(few, bonds, matches)
    wanted = np.random.default_rng(1).normal(size=few + bonds)
    found = Solver.of(matrix, few).solve(matrix @ wanted)
    left = found - wanted
    assert left @ matrix @ left < 1e-8 * (wanted @ matrix @ wanted)


def test_nothing_to_solve_for() -> None:
    assert Solver.of(np.eye(3), 2).solve(np.zeros(3)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("size", [1, 64, 65, 150])
def test_the_root_gives_the_inverse(size: int) -> None:
    rows = np.random.default_rng(size).normal(size=(size, 2 * size))
    matrix = rows @ rows.T + np.eye(size)
    triangle = root(matrix)
    assert triangle.T @ triangle == pytest.approx(np.linalg.inv(matrix), abs=1e-9)
    assert (np.triu(triangle, 1) == 0).all()
