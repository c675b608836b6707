"""Styles that beat each other in a circle show."""

from dataclasses import replace

import numpy as np
import pytest

from tests.tournaments.ratings.coverage import LINES, strengths, table
from tests.tournaments.ratings.test_fit import games
from tournaments.ratings.fit import fit


@pytest.mark.parametrize("name", ["two sides, styles", "three sides, styles"])
def test_styles_are_seen_and_their_absence(name: str) -> None:
    line = LINES[name]
    values = []
    for each in (line, replace(line, styles=0.0)):
        rng = np.random.default_rng(3)
        values.append([fit(table(each, strengths(each, rng), rng)).misfit or 0 for _ in range(4)])
    circle, none = np.mean(values, axis=1)
    assert circle > 1.4
    assert none == pytest.approx(1, abs=0.35)


def test_two_bots_cannot_misfit() -> None:
    assert fit(games("a", "b", 10, 3)).misfit is None
