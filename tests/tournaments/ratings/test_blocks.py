"""Games as arrays before counting."""

import numpy as np
import pytest

from tournaments.ratings.blocks import EMPTY, Block, Mixtures, split_by_depth, unique_rows


def test_copies_are_one_member_and_games_are_grouped_by_width() -> None:
    sides = [[[3, 3], [1, 2]], [[0, 0], [2, 2]], [[1, EMPTY], [3, 0]]]
    block = Block.from_arrays(4, sides, [[1, 2]] * 3, [7, 8, 7], "f")
    one, two = split_by_depth(block)
    assert (one.members.tolist(), one.groups.tolist(), one.form) == ([[[0], [2]]], [8], "f")
    assert two.groups.tolist() == [7, 7]
    rows = Mixtures.from_block(two, np.arange(4))
    assert rows.members.tolist() == [[[3, 0], [1, 2]], [[1, 0], [0, 3]]]
    assert rows.weights.tolist() == [[[1, 0], [0.5, 0.5]], [[1, 0], [0.5, 0.5]]]


def test_distinct_rows_do_not_depend_on_width() -> None:
    rng = np.random.default_rng(5)
    rows = rng.integers(-1, 3, (500, 4))
    wide = np.concatenate([rows, rows * 2_000_000_000, rows * 3], axis=1)
    wide[wide < 0] = -1
    for wide_result, result in zip(unique_rows(wide), unique_rows(rows), strict=True):
        assert wide_result.tolist() == result.tolist()
    distinct, indices, counts = unique_rows(rows)
    assert (rows[distinct][indices] == rows).all()
    assert counts.sum() == 500


def test_an_empty_side_is_refused() -> None:
    with pytest.raises(ValueError, match="needs an entrant"):
        Block.from_arrays(2, [[[0], [EMPTY]]], [[1, 2]], None)
