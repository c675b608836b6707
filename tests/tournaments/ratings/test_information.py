"""Sparse and dense matrices agree."""

import numpy as np
import pytest

from tests.tournaments.ratings.simulate import Ladder, draw
from tournaments.ratings import coupling, likelihood
from tournaments.ratings.coupling import Coo
from tournaments.ratings.information import Information, InformationBuilder

ALWAYS, NEVER = 0, 1 << 40
"""Limits of density: always sparse, never sparse."""


def sparse_and_dense(
    monkeypatch: pytest.MonkeyPatch, ladder: Ladder
) -> tuple[Information, Information]:
    table = draw(ladder, seed=2).table
    theta = np.random.default_rng(3).normal(0, 0.5, table.parameters)
    monkeypatch.setattr(coupling, "_SPARSE", ALWAYS)
    sparse = likelihood.derivatives(table, theta)[2]
    monkeypatch.setattr(coupling, "_SPARSE", NEVER)
    return sparse, likelihood.derivatives(table, theta)[2]


@pytest.mark.parametrize(
    "ladder",
    [
        Ladder(24, 2, 1, effects=30, seats=(2, 2), partners="rotating"),
        Ladder(24, 2, 1, effects=30, seats=(3, 2), partners="rotating"),
        Ladder(72, 2, 1, effects=30, seats=(2, 2), partners="fixed"),
    ],
)
def test_sparse_and_dense_agree(monkeypatch: pytest.MonkeyPatch, ladder: Ladder) -> None:
    sparse, dense = sparse_and_dense(monkeypatch, ladder)
    assert isinstance(sparse.coupling.entries, Coo)
    assert not isinstance(dense.coupling.entries, Coo)
    full_matrix, base = dense.to_dense(), len(dense.base)
    assert sparse.to_dense() == pytest.approx(full_matrix, abs=1e-12)
    theta = np.random.default_rng(1).normal(size=len(full_matrix))
    for matrix in (sparse, dense):
        assert matrix.matvec(theta) == pytest.approx(full_matrix @ theta)
        for teams in ([], [0, 3, 5], range(len(full_matrix) - base)):
            stay = np.array([*teams], dtype=np.int64)
            kept_indices = np.concatenate([base + stay, np.arange(base)])
            removed = np.setdiff1d(np.arange(len(full_matrix)), kept_indices)
            block, columns, lower = matrix.eliminate_teams(stay)
            rows = full_matrix[np.ix_(base + stay, kept_indices)]
            assert np.hstack([block, columns]) == pytest.approx(rows, abs=1e-12)
            assert lower.to_dense() == pytest.approx(
                full_matrix[np.ix_(removed, kept_indices)], abs=1e-12
            )
        assert matrix.diagonal == pytest.approx(np.diag(full_matrix)[base:])
        assert matrix.interaction_row_sums() == pytest.approx(
            np.abs(full_matrix[base:, base:]).sum(axis=1)
        )


def test_without_teams_there_is_only_the_base(monkeypatch: pytest.MonkeyPatch) -> None:
    sparse, dense = sparse_and_dense(monkeypatch, Ladder(60, 2, 1))
    assert sparse.to_dense() == pytest.approx(dense.to_dense(), abs=1e-12)
    assert len(sparse.interaction_row_sums()) == len(dense.diagonal) == 0


def test_empty_information_is_zero() -> None:
    table = draw(Ladder(4, 2, 1), seed=1).table
    assert not InformationBuilder(table.jacobian, table.parameters).build().to_dense().any()
