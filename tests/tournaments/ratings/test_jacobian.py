"""The Jacobian compared with its matrix."""

import numpy as np
import pytest

from tournaments.ratings.jacobian import Jacobian

JACOBIAN = Jacobian.from_teams(3, 4, [(0, 1), (0, 0, 2)])
"""Three entrants, one effect, two teams."""

MATRIX = np.eye(6) + np.array(
    [[0] * 6] * 4 + [[1 / 2, 1 / 2, 0] + [0] * 3, [2 / 3, 0, 1 / 3] + [0] * 3]
)


def test_a_team_is_the_mean_of_its_members_and_its_interaction() -> None:
    theta = np.array([3.0, 1.0, 6.0, 0.5, 0.25, -1.0])
    assert JACOBIAN.terms(theta) == pytest.approx([3, 1, 6, 0.5, 2.25, 3])
    assert JACOBIAN.terms(theta) == pytest.approx(MATRIX @ theta)


def test_derivatives_follow_the_chain_rule() -> None:
    rng = np.random.default_rng(4)
    slope, rows = rng.normal(size=6), rng.normal(size=(7, 6))
    assert JACOBIAN.gradient(slope) == pytest.approx(MATRIX.T @ slope)
    assert JACOBIAN.project(rows) == pytest.approx(rows @ MATRIX.T)


def test_the_entrants_in_a_term() -> None:
    members, parts = JACOBIAN.loadings()
    assert members.tolist() == [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [0, 1, 0], [0, 0, 2]]
    assert parts[:5].tolist() == [[1, 0, 0]] * 4 + [[0.5, 0.5, 0]]
    assert parts[5] == pytest.approx(np.ones(3) / 3)


def test_without_teams_terms_are_parameters() -> None:
    jacobian = Jacobian.from_teams(2, 2, ())
    theta = np.array([1.0, 2.0])
    assert jacobian.terms(theta).tolist() == jacobian.gradient(theta).tolist() == [1, 2]
    assert jacobian.project(np.eye(2)).tolist() == [[1, 0], [0, 1]]
