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
        fits = [fit(table(each, strengths(each, rng), rng, times=3)) for _ in range(4)]
        values.append(([fitted.misfit or 0 for fitted in fits], [f.styles for f in fits]))
    (circle, seen), (none, unseen) = np.mean(values, axis=2)
    assert circle > 1.4
    assert none == pytest.approx(1, abs=0.35)
    assert (seen, unseen) == (1, 0)


def test_two_bots_cannot_misfit() -> None:
    alone = fit(games("a", "b", 10, 3))
    assert (alone.misfit, alone.styles) == (None, False)
