"""Who has played how much, and who is connected with whom by matches."""

from dataclasses import dataclass

import numpy as np

from tournaments.ratings.table import Ints, Table


@dataclass(frozen=True, slots=True)
class Played:
    """How much is behind each parameter of a table."""

    games: Ints
    """[parameters]: matches."""

    groups: Ints
    """[parameters]: deal groups."""


def count(table: Table) -> Played:
    """Count matches and deal groups by entrant, effect and team."""
    size = table.parameters
    games = np.zeros(size, dtype=np.int64)
    met: list[Ints] = []
    for bucket in table.buckets:
        real = bucket.weights > 0
        times = np.broadcast_to(bucket.counts, real.shape)
        games += np.bincount(bucket.members[real], times[real], minlength=size).astype(np.int64)
        codes = bucket.group_of * size + bucket.members[:, :, bucket.row_of]
        met.append(codes[real[:, :, bucket.row_of]])
    groups = games
    if not table.games_apart:
        cells = np.sort(np.concatenate(met))
        groups = np.bincount(cells[np.diff(cells, prepend=-1) > 0] % size, minlength=size)
    return Played(games, groups.astype(np.int64))


def parts(table: Table) -> tuple[int, ...]:
    """For each entrant the number of its part: 0, 1, … as they first appear.

    Who has played in one match is in one part, and so on along every chain of matches.
    """
    size = len(table.entrants)
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for bucket in table.buckets:
        first = bucket.members[0, 0]
        real = bucket.weights[:, : bucket.depth] > 0
        for side, column in zip(*np.nonzero(real.any(axis=2)), strict=True):
            here = real[side, column]
            pairs.append(np.stack([first[here], bucket.members[side, column][here]], axis=1))
    codes = np.unique(np.concatenate([_code(pair, size) for pair in pairs]))
    a, b = codes // size, codes % size
    label = np.arange(size)
    while True:
        before = label.copy()
        least = np.minimum(label[a], label[b])
        np.minimum.at(label, a, least)
        np.minimum.at(label, b, least)
        label = label[label]
        if (label == before).all():
            break
    _, numbers = np.unique(label, return_inverse=True)
    return tuple(int(number) for number in numbers.reshape(-1))


def _code(pairs: Ints, size: int) -> Ints:
    """[pairs, 2] as one number each, the lower first."""
    return np.asarray(pairs.min(axis=1) * size + pairs.max(axis=1), dtype=np.int64)
