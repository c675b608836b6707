"""Units and parameters say the same."""

import numpy as np
import pytest

from tournaments.ratings.units import Units

UNITS = Units.of(3, 4, [(0, 1), (0, 0, 2)])
"""Three entrants, one effect, two teams."""

JACOBIAN = np.eye(6) + np.array(
    [[0] * 6] * 4 + [[1 / 2, 1 / 2, 0] + [0] * 3, [2 / 3, 0, 1 / 3] + [0] * 3]
)


def test_a_team_is_the_mean_of_its_members_and_its_bond() -> None:
    theta = np.array([3.0, 1.0, 6.0, 0.5, 0.25, -1.0])
    assert UNITS.strengths(theta) == pytest.approx([3, 1, 6, 0.5, 2.25, 3])
    assert UNITS.strengths(theta) == pytest.approx(JACOBIAN @ theta)


def test_derivatives_follow_the_chain_rule() -> None:
    rng = np.random.default_rng(4)
    slope, rows = rng.normal(size=6), rng.normal(size=(7, 6))
    assert UNITS.gathered(slope) == pytest.approx(JACOBIAN.T @ slope)
    assert UNITS.curved(rows.T @ rows) == pytest.approx(JACOBIAN.T @ rows.T @ rows @ JACOBIAN)
    assert UNITS.seen(rows) == pytest.approx(rows @ JACOBIAN.T)


def test_the_people_behind_a_unit() -> None:
    members, parts = UNITS.people
    assert members.tolist() == [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [0, 1, 0], [0, 0, 2]]
    assert parts[:5].tolist() == [[1, 0, 0]] * 4 + [[0.5, 0.5, 0]]
    assert parts[5] == pytest.approx(np.ones(3) / 3)


def test_without_teams_units_are_parameters() -> None:
    units = Units.of(2, 2, ())
    theta = np.array([1.0, 2.0])
    assert units.strengths(theta).tolist() == units.gathered(theta).tolist() == [1, 2]
    assert units.curved(np.eye(2)).tolist() == units.seen(np.eye(2)).tolist() == [[1, 0], [0, 1]]
