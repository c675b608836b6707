"""Products by nonzero entries equal those of the full matrix."""

import numpy as np
import pytest

from tournaments.ratings import coupling
from tournaments.ratings.coupling import Coo, Coupling


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 1.0])
@pytest.mark.parametrize("rows", [0, 1, 70])
@pytest.mark.parametrize("part", [0.01, 10**9], ids=["by entries", "whole"])
def test_products_equal_those_of_the_matrix(
    monkeypatch: pytest.MonkeyPatch, share: float, rows: int, part: float
) -> None:
    monkeypatch.setattr(coupling, "_SPARSE", part)
    random = np.random.default_rng(1)
    dense = random.normal(size=(rows, 30)) * (random.random((rows, 30)) < share)
    lengths = random.uniform(1, 2, rows)
    scaled = Coupling.from_dense(dense).scaled(1 / lengths)
    dense /= lengths[:, None]
    if part < 1 or not dense.any():
        assert isinstance(scaled.entries, Coo)
    else:
        assert not isinstance(scaled.entries, Coo)
    assert scaled.to_dense() == pytest.approx(dense)
    assert scaled.to_coo().to_dense(*dense.shape) == pytest.approx(dense)
    places, columns = np.nonzero(dense)
    halves = Coo(places, columns, dense[places, columns] / 2)
    doubled = Coupling.from_entries(Coo.concatenated([halves, halves]), *dense.shape)
    assert doubled.to_dense() == pytest.approx(dense)
    assert scaled.gram() == pytest.approx(dense.T @ dense)
    left_vector, right_vector = random.normal(size=rows), random.normal(size=30)
    assert scaled.matvec(right_vector) == pytest.approx(dense @ right_vector)
    assert scaled.rmatvec(left_vector) == pytest.approx(left_vector @ dense)
