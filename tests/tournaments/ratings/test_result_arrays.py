"""Results as arrays."""

import numpy as np
import pytest

from tournaments.ratings import result_arrays
from tournaments.ratings.result_arrays import RatedMatch, RatingTable


def test_identical_results_are_counted_once() -> None:
    games = [RatedMatch((("a",), ("b",)), (1, 2)), RatedMatch((("b",), ("a",)), (2, 1))] * 50
    table = RatingTable.from_games(games)
    (bucket,) = table.buckets
    assert list(bucket.counts) == [100]
    assert table.games == table.groups == 100


def test_arrays_and_games_give_the_same_table() -> None:
    rng = np.random.default_rng(3)
    sides = np.array([rng.permutation(6)[:3] for _ in range(200)])
    ranks = rng.integers(1, 4, (200, 3))
    groups = rng.integers(0, 40, 200)
    names = [f"n{i}" for i in range(6)]
    one = RatingTable.from_arrays(names, sides, ranks, groups)
    two = RatingTable.from_games(
        RatedMatch(tuple((names[i],) for i in side), tuple(rank), int(group))
        for side, rank, group in zip(sides, ranks.tolist(), groups, strict=True)
    )
    assert one.entrants == two.entrants
    assert one.groups == two.groups
    for a, b in zip(one.buckets, two.buckets, strict=True):
        assert a.tie_sizes == b.tie_sizes
        assert (a.members == b.members).all()
        assert (a.counts == b.counts).all()


def test_copies_of_a_bot_are_one_member() -> None:
    (bucket,) = RatingTable.from_games([RatedMatch((("a", "a"), ("b", "b")), (1, 2))]).buckets
    assert bucket.members.shape == (2, 1, 1)


def test_a_team_is_one_term() -> None:
    games = [RatedMatch((("a", "b"), ("c",)), (1, 2)), RatedMatch((("a", "b"), ("c", "a")), (1, 2))]
    table = RatingTable.from_games(games)
    (bucket,) = table.buckets
    assert table.teams == ((0, 1), (0, 2))
    assert bucket.depth == 1
    assert bucket.members.tolist() == [[[3, 3]], [[2, 4]]]
    assert (bucket.weights == 1).all()


def test_teams_without_a_parameter_are_their_members(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_arrays, "MAX_TEAMS", 1)
    often = [RatedMatch((("a", "b"), ("c", "d")), (1, 2), form="f") for _ in range(2)]
    rare = [RatedMatch((("a", "b"), side), (1, 2), form="f") for side in (("a", "c"), ("d",))]
    table = RatingTable.from_games([*often, *rare])
    assert table.teams == ((0, 1),)
    one, wide = table.buckets
    assert (one.depth, one.counts.tolist()) == (1, [1])
    assert one.members.tolist() == [[[6], [4]], [[3], [5]]]
    assert (wide.depth, wide.counts.tolist()) == (2, [1, 2])
    # Padding is not the first entrant: its weight is 0.
    assert wide.members[0].tolist() == [[6, 6], [0, 0], [4, 4]]
    assert wide.weights[0].tolist() == [[1, 1], [0, 0], [1, 1]]
    assert wide.members[1].tolist() == [[0, 2], [2, 3], [5, 5]]
    assert wide.weights[1].tolist() == [[0.5, 0.5], [0.5, 0.5], [1, 1]]


@pytest.mark.parametrize(
    "game",
    [
        RatedMatch((("a",),), (1,)),
        RatedMatch((("a",), ()), (1, 2)),
        RatedMatch((("a",), ("b",)), (1,)),
    ],
)
def test_malformed_games_are_refused(game: RatedMatch) -> None:
    with pytest.raises(ValueError, match="two or more sides"):
        RatingTable.from_games([game])


def test_malformed_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match="same shape"):
        RatingTable.from_arrays("ab", [[0, 1]], [[1, 2, 3]])
    with pytest.raises(ValueError, match="from 0 to 1"):
        RatingTable.from_arrays("ab", [[0, 2]], [[1, 2]])
