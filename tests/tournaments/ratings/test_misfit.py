"""Styles that beat each other in a circle cause misfit."""

from dataclasses import replace

import numpy as np
import pytest

from tests.tournaments.ratings.coverage import LINES, strengths, table
from tests.tournaments.ratings.test_fit import games
from tournaments.ratings.fit import fit


@pytest.mark.parametrize("name", ["two sides, styles", "three sides, styles"])
def test_only_styles_cause_misfit(name: str) -> None:
    line = LINES[name]
    values = []
    for pool in (line, replace(line, styles=0.0)):
        rng = np.random.default_rng(3)
        fits = [fit(table(pool, strengths(pool, rng), rng, times=3)) for _ in range(4)]
        values.append(([fitted.misfit or 0 for fitted in fits], [f.styles for f in fits]))
    (circle, circle_seen), (straight, straight_seen) = np.mean(values, axis=2)
    assert circle > 1.4
    assert straight == pytest.approx(1, abs=0.35)
    assert (circle_seen, straight_seen) == (1, 0)


def test_two_bots_have_no_misfit() -> None:
    alone = fit(games("a", "b", 10, 3))
    assert (alone.misfit, alone.styles) == (None, False)
