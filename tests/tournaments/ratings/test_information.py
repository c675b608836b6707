"""A sparse matrix and a dense one are the same."""

import numpy as np
import pytest

from tests.tournaments.ratings.simulate import Ladder, draw
from tournaments.ratings import information, likelihood
from tournaments.ratings.information import Information

ALWAYS, NEVER = 1, 1 << 20
"""Parts of a matrix: up to all of it, and up to next to nothing."""


def both(monkeypatch: pytest.MonkeyPatch, ladder: Ladder) -> tuple[Information, Information]:
    table = draw(ladder, seed=2).table
    theta = np.random.default_rng(3).normal(0, 0.5, table.parameters)
    monkeypatch.setattr(information, "_SPARSE", ALWAYS)
    sparse = likelihood.derivatives(table, theta)[2]
    monkeypatch.setattr(information, "_SPARSE", NEVER)
    return sparse, likelihood.derivatives(table, theta)[2]


@pytest.mark.parametrize(
    "ladder",
    [
        Ladder(24, 2, 1, effects=30, seats=(2, 2), partners="rotating"),
        Ladder(24, 2, 1, effects=30, seats=(3, 2), partners="rotating"),
        Ladder(72, 2, 1, effects=30, seats=(2, 2), partners="fixed"),
    ],
)
def test_sparse_and_dense_say_the_same(monkeypatch: pytest.MonkeyPatch, ladder: Ladder) -> None:
    sparse, dense = both(monkeypatch, ladder)
    assert sparse.sparse is not None
    assert dense.sparse is None
    full, first = dense.to_dense(), dense.jacobian.base
    assert sparse.to_dense() == pytest.approx(full, abs=1e-12)
    theta = np.random.default_rng(1).normal(size=len(full))
    for each in (sparse, dense):
        assert each.matvec(theta) == pytest.approx(full @ theta)
        for teams in ([], [0, 3, 5], range(len(full) - first)):
            stay = np.array([*teams], dtype=np.int64)
            kept = np.concatenate([first + stay, np.arange(first)])
            gone = np.setdiff1d(np.arange(len(full)), kept)
            block, below = each.eliminate_teams(stay)
            assert block == pytest.approx(full[np.ix_(kept, kept)], abs=1e-12)
            assert below.to_dense() == pytest.approx(full[np.ix_(gone, kept)], abs=1e-12)
        assert each.interaction_diagonal() == pytest.approx(np.diag(full)[first:])
        assert each.interaction_row_sums() == pytest.approx(
            np.abs(full[first:, first:]).sum(axis=1)
        )


def test_without_teams_there_is_only_the_base(monkeypatch: pytest.MonkeyPatch) -> None:
    sparse, dense = both(monkeypatch, Ladder(60, 2, 1))
    assert sparse.to_dense() == pytest.approx(dense.to_dense(), abs=1e-12)
    assert len(sparse.interaction_row_sums()) == len(dense.interaction_diagonal()) == 0


def test_nothing_was_added() -> None:
    table = draw(Ladder(4, 2, 1), seed=1).table
    assert (
        not information.InformationBuilder(table.jacobian, table.parameters)
        .build()
        .to_dense()
        .any()
    )
