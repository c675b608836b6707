"""Cells: an entrant's matches of a deal group."""

from collections import defaultdict

import numpy as np
import pytest

from tournaments.ratings.blocks import EMPTY
from tournaments.ratings.cells import Cells


@pytest.mark.parametrize("entrants", [2, 4, 9])
def test_cells_are_pairs_of_group_and_entrant(entrants: int) -> None:
    """The matches of a group have other entrants, widths and empty seats; some play themselves."""
    rng = np.random.default_rng(entrants)
    buckets = [
        (rng.integers(EMPTY, entrants, (seats, games)), rng.integers(0, 7, games))
        for seats, games in [(2, 40), (4, 30), (3, 1)]
    ]
    values = [rng.normal(size=seats.shape) * (seats != EMPTY) for seats, _ in buckets]
    expected: defaultdict[tuple[int, int], float] = defaultdict(float)
    for (seats, groups), seat_values in zip(buckets, values, strict=True):
        for place, game in np.argwhere(seats != EMPTY):
            expected[groups[game], seats[place, game]] += seat_values[place, game]
    cells = Cells.from_seats(7, buckets)
    sums: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
    for group, player, total in zip(
        cells.groups.tolist(), cells.players.tolist(), cells.sums(values), strict=True
    ):
        if total:
            sums[group, player].append(total)
    assert sums == {pair: [pytest.approx(total)] for pair, total in expected.items()}
    players = np.array([player for _, player in expected])
    assert (cells.groups_by_player(9) == np.bincount(players, minlength=9)).all()


def test_the_same_entrants_need_no_more_cells() -> None:
    """Three matches of two groups, in which the seats are exchanged."""
    seats = np.array([[0, 1, 2], [1, 0, 3]])
    cells = Cells.from_seats(2, [(seats, np.array([0, 0, 1]))])
    assert len(cells.players) == 4
    assert cells.sums([np.ones((2, 3))]).tolist() == [2, 1, 2, 1]


def test_no_games_have_no_cells() -> None:
    assert not len(Cells.from_seats(0, ()).players)
