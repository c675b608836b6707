"""Solving equations, with many interactions or none."""

import numpy as np
import pytest

from tests.tournaments.ratings.simulate import Ladder, draw
from tests.tournaments.ratings.test_information import ALWAYS, NEVER
from tournaments.ratings import coupling, likelihood, linear_solver
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
    assert error @ dense @ error < 1e-5 * (solution @ dense @ solution)
    assert not Solver.factorize(matrix).solve(0 * solution).any()


@pytest.mark.parametrize("part", [ALWAYS, NEVER], ids=["sparse", "dense"])
@pytest.mark.parametrize(
    ("entrants", "share", "many"),
    [(12, 0, 10**6), (40, 0, 10**6), (70, 0, 10**6), (40, 1, 10**6), (40, 0, 1), (40, 1, 1)],
)
def test_eliminating_strangers_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, part: int, entrants: int, share: int, many: int
) -> None:
    monkeypatch.setattr(coupling, "_SPARSE", part)
    monkeypatch.setattr(linear_solver, "_WORTHWHILE", share)
    monkeypatch.setattr(linear_solver, "_MANY", many)
    table = draw(Ladder(entrants, 2, 1, seats=(2, 2), partners="rotating"), seed=1).table
    base, teams = table.jacobian.base, len(table.teams)
    precision = np.repeat([0.3, 30.0], [base, teams])
    data_information = likelihood.derivatives(table, np.zeros(table.parameters))[2]
    matrix = Hessian(data_information, 2.0, precision)
    inverse = np.linalg.inv(matrix.to_dense())
    is_single = many == 1
    rel, near_zero = (1e-5, 1e-8) if is_single else (1e-6, 1e-12)

    factor, variances = covariance_factors(matrix)
    assert len(factor) == base
    product = factor.T @ factor
    product[range(base, base + teams), range(base, base + teams)] += variances
    assert product[:base] == pytest.approx(inverse[:base], rel=rel, abs=near_zero)
    assert np.diag(product) == pytest.approx(np.diag(inverse), rel=rel, abs=near_zero)

    indices = np.array([0, 2, teams - 1])
    reduced = Reduced.eliminate(matrix, indices)
    removed, remaining = base + reduced.eliminated, base + reduced.teams
    assert len(removed) > teams / 20 if share < 1 else not len(removed)
    assert reduced.block.dtype == (np.float32 if is_single else np.float64)
    assert sorted([*removed, *remaining]) == list(range(base, base + teams))
    assert set(base + indices) == set(remaining[-len(indices) :])
    schur = np.block([[reduced.block, reduced.columns], [reduced.columns.T, reduced.corner]])
    kept = np.concatenate([remaining, np.arange(base)])
    assert np.linalg.inv(schur) == pytest.approx(
        inverse[np.ix_(kept, kept)], rel=rel, abs=near_zero
    )


@pytest.mark.parametrize("seats", [1, 2])
def test_the_estimate_of_a_trace_has_no_bias(monkeypatch: pytest.MonkeyPatch, seats: int) -> None:
    monkeypatch.setattr(linear_solver, "_PROBES", 2000)
    ladder = Ladder(20, 2, 2, seats=(seats, seats), partners="rotating", effects=20.0)
    table = draw(ladder, seed=1).table
    base = table.jacobian.base
    precision = np.repeat([0.3, 30.0], [base, table.parameters - base])
    matrix = Hessian(likelihood.derivatives(table, np.zeros(table.parameters))[2], 20.0, precision)
    other = likelihood.derivatives(table, np.linspace(0, 1, table.parameters))[2]
    expected = np.trace(np.linalg.solve(matrix.to_dense(), other.to_dense()))
    (trace,) = Solver.factorize(matrix).traces([other])
    assert trace == pytest.approx(expected, rel=1e-9 if seats == 1 else 1e-3)


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
    (trace,) = traces(Solver.factorize(matrix), [other])
    assert trace != pytest.approx(expected, rel=1e-9)
    assert trace == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("size", [1, 64, 65, 150])
def test_the_root_gives_the_inverse(size: int) -> None:
    rows = np.random.default_rng(size).normal(size=(size, 2 * size))
    matrix = rows @ rows.T + np.eye(size)
    triangle = inverse_root(matrix.copy())
    assert triangle.T @ triangle == pytest.approx(np.linalg.inv(matrix), abs=1e-9)
    assert (np.triu(triangle, 1) == 0).all()
