"""Part of a large table: where a search starts, and what need not be known exactly."""

from dataclasses import replace

import numpy as np

from tournaments.ratings.table import Bucket, RatingTable

SAMPLE = 1 << 15
"""Distinct results of one shape that are enough for both."""


def subsample(table: RatingTable) -> RatingTable:
    """The table with at most `SAMPLE` rows of each bucket, evenly spaced; itself if it has no more.

    Only good for the likelihood: what games and groups there were is not in it.
    """
    if all(len(bucket.counts) <= SAMPLE for bucket in table.buckets):
        return table
    none = np.zeros(0, dtype=np.int64)
    return replace(
        table,
        buckets=tuple(
            replace(
                bucket,
                members=bucket.members[:, :, :: stride(bucket)],
                weights=bucket.weights[:, :, :: stride(bucket)],
                counts=bucket.counts[:: stride(bucket)],
                row_of=none,
                group_of=none,
            )
            for bucket in table.buckets
        ),
    )


def stride(bucket: Bucket) -> int:
    """A subsample has every so many-th row of a bucket."""
    return max(1, -(-len(bucket.counts) // SAMPLE))
