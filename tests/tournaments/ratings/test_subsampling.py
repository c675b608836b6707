"""A sample of a table."""

import numpy as np
import pytest

from tests.tournaments.ratings.simulate import Ladder, draw
from tournaments.ratings import likelihood, subsampling


def test_a_sample_is_a_smaller_table_of_the_same_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    ladder = Ladder(12, 3, 4, seats=(2, 2, 2), partners="rotating", effects=30)
    table = draw(ladder, seed=1).table
    assert subsampling.subsample(table) is table
    monkeypatch.setattr(subsampling, "SAMPLE", 7)
    sample = subsampling.subsample(table)
    (full_bucket,), (sample_bucket,) = table.buckets, sample.buckets
    assert subsampling.stride(full_bucket) == -(-len(full_bucket.counts) // 7) > 1
    assert 4 <= len(sample_bucket.counts) <= 7
    # The value of a match between three equals is minus the log of 3!.
    value, slope = likelihood.value_and_gradient(sample, np.zeros(table.parameters))
    assert value == pytest.approx(-np.log(6) * sample_bucket.counts.sum())
    assert len(slope) == table.parameters
