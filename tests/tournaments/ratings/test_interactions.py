"""The spread of bonds is estimated correctly."""

import numpy as np

from tests.tournaments.ratings.simulate import NATURAL
from tournaments.ratings.coupling import EMPTY_COO, Coupling
from tournaments.ratings.information import Information
from tournaments.ratings.interactions import USUAL_SD, interaction_sd
from tournaments.ratings.linear_solver import Hessian

ELO = 1 / NATURAL


def learn(sd: float, teams: int, error: float) -> float:
    """The estimated spread of simulated bonds with normal errors (all in Elo points)."""
    rng = np.random.default_rng(2)
    observed = rng.normal(0, np.hypot(sd, error), teams) * NATURAL
    precision = np.full(teams + 1, (ELO / USUAL_SD) ** 2)
    diagonal = np.full(teams + 1, (ELO / error) ** 2)
    # Without the strengths of members.
    coupling = Coupling.from_dense(np.zeros((teams, 1)))
    information = Information(diagonal[:1, None], coupling, diagonal[1:], EMPTY_COO)
    theta = diagonal * np.concatenate([[0.0], observed]) / (diagonal + precision)
    return interaction_sd(Hessian(information, 1.0, precision), theta, ELO)


def test_many_teams_reveal_the_spread_of_bonds() -> None:
    assert 90 < learn(100, 200, 20) < 110
    assert learn(0, 200, 20) < 10


def test_without_information_the_spread_is_the_default() -> None:
    assert abs(learn(0, 3, 3000) - USUAL_SD) < 1


def test_very_many_teams_are_sampled() -> None:
    assert 90 < learn(100, 1000, 20) < 110
