"""Subsample a large table, for a search's start and for approximate sums."""

from dataclasses import replace

from tournaments.ratings.result_arrays import Bucket, RatingTable

SAMPLE = 1 << 13
"""Maximum distinct results of one shape in a subsample."""


def subsample(table: RatingTable) -> RatingTable:
    """The table with at most `SAMPLE` rows of each bucket, evenly spaced; itself if it is small.

    For the likelihood only: it has no games and groups.
    """
    if all(len(bucket.counts) <= SAMPLE for bucket in table.buckets):
        return table
    buckets = (bucket.likelihood_of(slice(None, None, stride(bucket))) for bucket in table.buckets)
    return replace(table, buckets=tuple(buckets))


def stride(bucket: Bucket) -> int:
    """The distance between the subsample's rows of a bucket."""
    return max(1, -(-len(bucket.counts) // SAMPLE))
