"""A matrix of few cells and a whole one are the same."""

import numpy as np
import pytest

from tests.tournaments.ratings.simulate import Ladder, draw
from tournaments.ratings import curvature, likelihood
from tournaments.ratings.curvature import Curvature

FEW, MANY = 1, 1 << 20
"""Parts of a matrix: up to all of it, and up to next to nothing."""


def both(monkeypatch: pytest.MonkeyPatch, ladder: Ladder) -> tuple[Curvature, Curvature]:
    table = draw(ladder, seed=2).table
    theta = np.random.default_rng(3).normal(0, 0.5, table.parameters)
    monkeypatch.setattr(curvature, "_FEW", FEW)
    alone = likelihood.total(table, theta)[2]
    monkeypatch.setattr(curvature, "_FEW", MANY)
    return alone, likelihood.total(table, theta)[2]


@pytest.mark.parametrize(
    "ladder",
    [
        Ladder(24, 2, 1, effects=30, seats=(2, 2), partners="rotating"),
        Ladder(24, 2, 1, effects=30, seats=(3, 2), partners="rotating"),
        Ladder(72, 2, 1, effects=30, seats=(2, 2), partners="fixed"),
    ],
)
def test_cells_alone_and_a_whole_matrix_say_the_same(
    monkeypatch: pytest.MonkeyPatch, ladder: Ladder
) -> None:
    alone, whole = both(monkeypatch, ladder)
    assert alone.square is None
    assert whole.cells is None
    full, first = whole.full(), whole.units.first
    assert alone.full() == pytest.approx(full, abs=1e-12)
    theta = np.random.default_rng(1).normal(size=len(full))
    for each in (alone, whole):
        assert each.times(theta) == pytest.approx(full @ theta)
        assert each.border() == pytest.approx(full[:, :first], abs=1e-12)
        assert each.diagonal() == pytest.approx(np.diag(full)[first:])
        assert each.bonds() == pytest.approx(np.abs(full[first:, first:]).sum(axis=1))


def test_without_teams_there_is_only_the_border(monkeypatch: pytest.MonkeyPatch) -> None:
    alone, whole = both(monkeypatch, Ladder(60, 2, 1))
    assert alone.border() == pytest.approx(whole.full(), abs=1e-12)
    assert len(alone.bonds()) == len(whole.diagonal()) == 0


def test_nothing_was_added() -> None:
    table = draw(Ladder(4, 2, 1), seed=1).table
    assert not curvature.Adding(table.units, 4).done().full().any()
