"""Styles that beat each other in a circle cause misfit."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from tests.tournaments.ratings.coverage import LINES, strengths, table
from tests.tournaments.ratings.test_fit import games
from tournaments.ratings.fit import RatedMatch, fit


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


def test_bots_that_no_match_connects_cause_no_misfit() -> None:
    separate = fit(game for part in range(25) for game in ladder(f"{part}-", 3, seed=part))
    assert separate.components == 25
    assert separate.misfit == pytest.approx(1, abs=0.4)
    assert not separate.styles


def test_bots_with_a_single_match_cause_no_misfit() -> None:
    regulars = ladder("", 10, seed=1)
    newcomers = [game for i in range(33) for game in games(f"new {i}", str(i % 10), 1, 0)]
    alone, together = fit(regulars), fit(regulars + newcomers)
    assert together.misfit == pytest.approx(alone.misfit, rel=0.2)
    assert not together.styles


def ladder(prefix: str, bots: int, seed: int) -> list[RatedMatch]:
    """Twenty matches of each pair of equal bots."""
    rng = np.random.default_rng(seed)
    pairs = combinations([f"{prefix}{i}" for i in range(bots)], 2)
    return [
        game
        for a, b in pairs
        for wins in [int(rng.binomial(20, 0.5))]
        for game in games(a, b, wins, 20 - wins)
    ]
