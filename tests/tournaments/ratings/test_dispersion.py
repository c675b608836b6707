"""How much deal groups vary, against its definition."""

from collections import defaultdict

import numpy as np
import pytest

from tests.tournaments.ratings.simulate import Ladder, draw
from tournaments.ratings import likelihood
from tournaments.ratings.dispersion import PRIOR_GROUPS, dispersion, group_squares
from tournaments.ratings.table import Floats, Game, Table

GAMES = [
    Game((("a", "b"), ("c", "d")), (1, 2), group=1),
    Game((("c", "d"), ("b", "a")), (2, 1), group=1),
    Game((("a",), ("a", "c")), (1, 1), group=1),
    Game((("b",), ("c",), ("d",)), (1, 1, 3), group=2),
    Game((("a",), ("b",)), (2, 1)),
]


def slopes(table: Table, theta: Floats) -> list[Floats]:
    units = table.units.strengths(theta)
    return [likelihood.local(bucket, units, slice(None)).slope for bucket in table.buckets]


def one_by_one(games: list[Game]) -> float:
    """The squares at θ = 0: of each game alone the slopes, added up by group and entrant."""
    sums: defaultdict[tuple[object, str | int], float] = defaultdict(float)
    for number, game in enumerate(games):
        alone = Table.of([game])
        gradient = likelihood.slope(alone, np.zeros(alone.parameters))[1]
        for place, name in enumerate(alone.entrants):
            sums[game.group or f"game {number}", name] += float(gradient[place])
    return sum(value**2 for value in sums.values())


@pytest.mark.parametrize("games", [GAMES, GAMES[4:] * 2, GAMES[:1], GAMES[::-1]])
def test_slopes_add_up_by_group_and_entrant(games: list[Game]) -> None:
    table = Table.of(games)
    found = group_squares(table, slopes(table, np.zeros(table.parameters)))
    assert found == pytest.approx(one_by_one(games))


def test_large_numbers_of_cells_are_numbered_anew() -> None:
    table = draw(Ladder(6, 2, 5, rotated=True), seed=1).table
    theta = np.zeros(table.parameters)
    found = group_squares(table, slopes(table, theta))
    (bucket,) = table.buckets
    bucket.group_of[:] = bucket.group_of * 2**50  # as if there were that many
    assert group_squares(table, slopes(table, theta)) == found


def test_without_leverage_and_with_few_groups() -> None:
    # Two groups of one even match: the squares are 4 · ¼, the information 4 · ¼.
    table = Table.of(GAMES[4:] * 2)
    none = np.zeros((2, 2))
    assert dispersion(table, np.zeros(2), none) == pytest.approx(1)
    # Ties bring no squares; the assumption weighs as much as so many groups.
    tied = Table.of([Game((("a",), ("b",)), (1, 1))] * 2)
    assert dispersion(tied, np.zeros(2), none) == pytest.approx(PRIOR_GROUPS / (PRIOR_GROUPS + 2))


def test_what_is_fitted_does_not_vary() -> None:
    table = Table.of(GAMES[4:] * 2)
    # A match's curve is ¼ (1, -1; -1, 1); with this covariance of the sides 1/16 of it is fitted
    # on each side, in each of two matches, of an information of 1.
    found = dispersion(table, np.zeros(2), np.array([[0.5, 0.0], [0.0, 0.5]]))
    start = PRIOR_GROUPS / 2
    assert found == pytest.approx((1 + start) / (1 - 4 / 16 + start))
