"""Equations are solved, with many bonds or none."""

import numpy as np
import pytest

from tests.tournaments.ratings.simulate import Ladder, draw
from tournaments.ratings import likelihood, solving
from tournaments.ratings.solving import Hessian, Solver, root, trace


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
def test_the_solution_solves(ladder: Ladder, weight: float) -> None:
    table = draw(ladder, seed=1).table
    first = table.units.first
    precision = np.repeat([0.3, 30.0], [first, table.parameters - first])
    curvature = likelihood.total(table, np.zeros(table.parameters))[2]
    matrix = Hessian(curvature, weight, precision)
    full = matrix.full()
    assert full == pytest.approx(weight * curvature.full() + np.diag(precision))
    wanted = np.random.default_rng(1).normal(size=table.parameters)
    assert matrix.times(wanted) == pytest.approx(full @ wanted)
    left = Solver.of(matrix).solve(full @ wanted) - wanted
    assert left @ full @ left < 1e-8 * (wanted @ full @ wanted)
    assert not Solver.of(matrix).solve(0 * wanted).any()


def test_a_trace_is_exact_or_near(monkeypatch: pytest.MonkeyPatch) -> None:
    table = draw(Ladder(30, 2, 1, seats=(3, 3), partners="rotating"), seed=1).table
    first = table.units.first
    precision = np.repeat([0.3, 30.0], [first, table.parameters - first])
    start = np.zeros(table.parameters)
    matrix = Hessian(likelihood.total(table, start)[2], 1.0, precision)
    other = likelihood.total(table, start + np.linspace(0, 1, len(start)))[2]
    wanted = np.trace(np.linalg.solve(matrix.full(), other.full()))
    assert trace(matrix, other) == pytest.approx(wanted)
    monkeypatch.setattr(solving, "_EXACT", 10)
    assert other.cells is not None
    found = trace(matrix, other)
    assert found != pytest.approx(wanted, rel=1e-9)
    assert found == pytest.approx(wanted, rel=5e-3)


@pytest.mark.parametrize("size", [1, 64, 65, 150])
def test_the_root_gives_the_inverse(size: int) -> None:
    rows = np.random.default_rng(size).normal(size=(size, 2 * size))
    matrix = rows @ rows.T + np.eye(size)
    triangle = root(matrix)
    assert triangle.T @ triangle == pytest.approx(np.linalg.inv(matrix), abs=1e-9)
    assert (np.triu(triangle, 1) == 0).all()
