"""The spread of bonds is estimated correctly."""

from dataclasses import replace

import numpy as np

from tests.tournaments.ratings.simulate import NATURAL
from tournaments.ratings.coupling import Coo
from tournaments.ratings.information import Information
from tournaments.ratings.interactions import USUAL_SD, interaction_sd
from tournaments.ratings.jacobian import Jacobian
from tournaments.ratings.linear_solver import Hessian

ELO = 1 / NATURAL


def learn(sd: float, teams: int, error: float) -> float:
    """The estimated spread of simulated bonds with normal errors (all in Elo points)."""
    rng = np.random.default_rng(2)
    observed = rng.normal(0, np.hypot(sd, error), teams) * NATURAL
    precision = np.full(teams + 1, (ELO / USUAL_SD) ** 2)
    diagonal = np.full(teams + 1, (ELO / error) ** 2)
    indices = np.arange(teams + 1)
    jacobian = Jacobian.from_teams(1, 1, [(0,)] * teams)
    jacobian = replace(jacobian, shares=np.zeros((teams, 1)))  # without the strengths of members
    information = Information(
        jacobian, teams + 1, np.zeros((1, 1)), Coo(indices, indices, diagonal)
    )
    theta = diagonal * np.concatenate([[0.0], observed]) / (diagonal + precision)
    return interaction_sd(Hessian(information, 1.0, precision), theta, ELO)


def test_many_teams_reveal_the_spread_of_bonds() -> None:
    assert 90 < learn(100, 200, 20) < 110
    assert learn(0, 200, 20) < 10


def test_without_information_the_spread_is_the_default() -> None:
    assert abs(learn(0, 3, 3000) - USUAL_SD) < 1


def test_very_many_teams_are_sampled() -> None:
    assert 90 < learn(100, 1000, 20) < 110
