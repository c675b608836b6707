"""Solving equations, with many interactions or none."""

import numpy as np
import pytest

from tests.tournaments.ratings.simulate import Ladder, draw
from tests.tournaments.ratings.test_information import ALWAYS, NEVER
from tournaments.ratings import information, likelihood, linear_solver
from tournaments.ratings.linear_solver import (
    Hessian,
    Reduced,
    Solver,
    covariance_factors,
    inverse_root,
    traces,
)


@pytest.mark.parametrize(
    ("ladder", "weight"),
    [
        (Ladder(9, 3, 4, effects=30), 1.0),
        (Ladder(6, 2, 300, effects=30, seats=(2, 2), partners="fixed"), 1.0),
        (Ladder(12, 2, 40, effects=30, seats=(2, 2), partners="rotating"), 20.0),
        (Ladder(30, 2, 1, seats=(3, 3), partners="rotating"), 0.5),
    ],
    ids=str,
)
def test_the_solution_solves_the_equations(ladder: Ladder, weight: float) -> None:
    table = draw(ladder, seed=1).table
    base = table.jacobian.base
    precision = np.repeat([0.3, 30.0], [base, table.parameters - base])
    information = likelihood.derivatives(table, np.zeros(table.parameters))[2]
    matrix = Hessian(information, weight, precision)
    dense = matrix.to_dense()
    assert dense == pytest.approx(weight * information.to_dense() + np.diag(precision))
    solution = np.random.default_rng(1).normal(size=table.parameters)
    assert matrix.matvec(solution) == pytest.approx(dense @ solution)
    error = Solver.factorize(matrix).solve(dense @ solution) - solution
    assert error @ dense @ error < 1e-8 * (solution @ dense @ solution)
    assert not Solver.factorize(matrix).solve(0 * solution).any()


@pytest.mark.parametrize("entrants", [12, 40, 70])
@pytest.mark.parametrize("part", [ALWAYS, NEVER], ids=["sparse", "dense"])
def test_eliminating_strangers_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, entrants: int, part: int
) -> None:
    monkeypatch.setattr(information, "_SPARSE", part)
    table = draw(Ladder(entrants, 2, 1, seats=(2, 2), partners="rotating"), seed=1).table
    base, teams = table.jacobian.base, len(table.teams)
    precision = np.repeat([0.3, 30.0], [base, teams])
    data_information = likelihood.derivatives(table, np.zeros(table.parameters))[2]
    matrix = Hessian(data_information, 2.0, precision)
    inverse = np.linalg.inv(matrix.to_dense())

    factor, variances = covariance_factors(matrix)
    assert len(factor) == base
    product = factor.T @ factor
    product[range(base, base + teams), range(base, base + teams)] += variances
    assert product[:base] == pytest.approx(inverse[:base])
    assert np.diag(product) == pytest.approx(np.diag(inverse))

    indices = np.array([0, 2, teams - 1])
    reduced = Reduced.eliminate(matrix, indices)
    removed, remaining = reduced.eliminated, reduced.kept
    assert len(removed) > teams / 20
    assert sorted([*removed, *remaining]) == list(range(base + teams))
    assert set(base + indices) <= set(remaining)
    assert np.linalg.inv(reduced.schur) == pytest.approx(inverse[np.ix_(remaining, remaining)])


def test_traces_are_exact_or_close(monkeypatch: pytest.MonkeyPatch) -> None:
    table = draw(Ladder(30, 2, 1, seats=(3, 3), partners="rotating"), seed=1).table
    base = table.jacobian.base
    precision = np.repeat([0.3, 30.0], [base, table.parameters - base])
    start = np.zeros(table.parameters)
    matrix = Hessian(likelihood.derivatives(table, start)[2], 1.0, precision)
    other = likelihood.derivatives(table, start + np.linspace(0, 1, len(start)))[2]
    expected = np.trace(np.linalg.solve(matrix.to_dense(), other.to_dense()))
    assert traces(Solver.factorize(matrix), [other]) == pytest.approx([expected])
    monkeypatch.setattr(linear_solver, "_EXACT", 10)
    assert other.sparse is not None
    (trace,) = traces(Solver.factorize(matrix), [other])
    assert trace != pytest.approx(expected, rel=1e-9)
    assert trace == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("size", [1, 64, 65, 150])
def test_the_root_gives_the_inverse(size: int) -> None:
    rows = np.random.default_rng(size).normal(size=(size, 2 * size))
    matrix = rows @ rows.T + np.eye(size)
    triangle = inverse_root(matrix)
    assert triangle.T @ triangle == pytest.approx(np.linalg.inv(matrix), abs=1e-9)
    assert (np.triu(triangle, 1) == 0).all()
