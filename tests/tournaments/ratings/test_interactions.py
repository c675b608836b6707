"""The spread of bonds is found where there is one."""

from dataclasses import replace

import numpy as np

from tests.tournaments.ratings.simulate import NATURAL
from tournaments.ratings.coupling import Coo
from tournaments.ratings.information import Information
from tournaments.ratings.interactions import USUAL_SD, interaction_sd
from tournaments.ratings.jacobian import Jacobian
from tournaments.ratings.linear_solver import Hessian

ELO = 1 / NATURAL


def learnt(sd: float, teams: int, error: float) -> float:
    """From bonds of this spread that are each known up to a normal error (all in Elo points)."""
    rng = np.random.default_rng(2)
    seen = rng.normal(0, np.hypot(sd, error), teams) * NATURAL
    precision = np.full(teams + 1, (ELO / USUAL_SD) ** 2)
    told = np.full(teams + 1, (ELO / error) ** 2)
    at = np.arange(teams + 1)
    jacobian = Jacobian.from_teams(1, 1, [(0,)] * teams)
    jacobian = replace(jacobian, shares=np.zeros((teams, 1)))  # nobody's strength is in it
    information = Information(jacobian, teams + 1, np.zeros((1, 1)), Coo(at, at, told))
    theta = told * np.concatenate([[0.0], seen]) / (told + precision)
    return interaction_sd(Hessian(information, 1.0, precision), theta, ELO)


def test_many_teams_tell_how_far_bonds_go() -> None:
    assert 90 < learnt(100, 200, 20) < 110
    assert learnt(0, 200, 20) < 10


def test_without_information_it_is_the_usual_one() -> None:
    assert abs(learnt(0, 3, 3000) - USUAL_SD) < 1


def test_of_very_many_teams_some_are_asked() -> None:
    assert 90 < learnt(100, 1000, 20) < 110
