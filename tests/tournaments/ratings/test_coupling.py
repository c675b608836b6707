"""Products by the entries that are not 0 are those with all of the matrix."""

import numpy as np
import pytest

from tests.tournaments.ratings.simulate import Ladder, draw
from tournaments.ratings import coupling, likelihood
from tournaments.ratings.coupling import Coo, Coupling
from tournaments.ratings.information import WeightedProduct


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 1.0])
@pytest.mark.parametrize("rows", [0, 1, 70])
@pytest.mark.parametrize("part", [0.01, 10**9], ids=["by entries", "whole"])
def test_products_are_those_of_the_matrix(
    monkeypatch: pytest.MonkeyPatch, share: float, rows: int, part: float
) -> None:
    monkeypatch.setattr(coupling, "_SPARSE", part)
    random = np.random.default_rng(1)
    dense = random.normal(size=(rows, 30)) * (random.random((rows, 30)) < share)
    lengths = random.uniform(1, 2, rows)
    found = Coupling.from_dense(dense).scaled(1 / lengths)
    dense /= lengths[:, None]
    if part < 1 or not dense.any():
        assert isinstance(found.entries, Coo)
    else:
        assert not isinstance(found.entries, Coo)
    assert found.to_dense() == pytest.approx(dense)
    places, columns = np.nonzero(dense)
    halves = Coo(places, columns, dense[places, columns] / 2)
    again = Coupling.from_entries(Coo.concatenated([halves, halves]), *dense.shape)
    assert again.to_dense() == pytest.approx(dense)
    assert found.gram() == pytest.approx(dense.T @ dense)
    left, right = random.normal(size=rows), random.normal(size=30)
    assert found.matvec(right) == pytest.approx(dense @ right)
    assert found.rmatvec(left) == pytest.approx(left @ dense)


@pytest.mark.parametrize("seats", [1, 2])
def test_a_weighted_trace_is_that_of_the_product(seats: int) -> None:
    drawn = draw(Ladder(60, 2, 1, seats=(seats, seats), partners="rotating", effects=20.0), seed=1)
    table = drawn.table
    told = likelihood.derivatives(table, np.zeros(table.parameters))[2]
    assert (told.sparse is None) == (seats == 1)
    random = np.random.default_rng(1)
    rows = random.normal(size=(7, table.parameters)) * (random.random(table.parameters) < 0.3)
    weight = random.normal(size=(7, 7))
    weight += weight.T
    wanted = np.trace(weight @ rows @ told.to_dense() @ rows.T)
    terms = np.ascontiguousarray(told.jacobian.project(rows).T)
    product = WeightedProduct.from_terms(terms, weight, told)
    assert product.trace(told) == pytest.approx(wanted)
