"""Counting plays and connected components."""

import itertools

from tournaments.ratings.counting import connected_components, count_plays
from tournaments.ratings.result_arrays import RatedMatch, RatingTable


def test_a_team_counts_its_own_groups() -> None:
    games = [
        RatedMatch((("a", "b"), ("c", "d")), (1, 2), group=1),
        RatedMatch((("c", "d"), ("a", "b")), (1, 2), group=1),
        RatedMatch((("a", "b"), ("c",)), (1, 1), group=2),
    ]
    table = RatingTable.from_games(games)
    assert table.teams == ((0, 1), (2, 3))
    plays = count_plays(table)
    assert plays.games.tolist() == [3, 3, 3, 2, 3, 2]
    assert plays.groups.tolist() == [2, 2, 2, 1, 2, 1]


def test_a_chain_of_matches_connects_its_bots() -> None:
    def chain(names: str) -> list[RatedMatch]:
        return [RatedMatch(((a,), (b,)), (1, 2)) for a, b in itertools.pairwise(names)]

    assert connected_components(RatingTable.from_games(chain("gfedcba"))) == (0,) * 7
    assert connected_components(RatingTable.from_games(chain("aceg") + chain("bdf"))) == (
        0,
        1,
        0,
        1,
        0,
        1,
        0,
    )
    assert connected_components(RatingTable.from_games([])) == ()
