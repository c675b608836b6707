"""Count the matches and deal groups of each parameter, and find connected entrants."""

from dataclasses import dataclass

import numpy as np

from tournaments.ratings.blocks import EMPTY, Ints, sorted_unique, unique_inverse
from tournaments.ratings.cells import Cells
from tournaments.ratings.result_arrays import RatingTable


@dataclass(frozen=True, slots=True)
class PlayCounts:
    """Matches and deal groups of each parameter of a table."""

    games: Ints
    """[parameters]: matches."""

    groups: Ints
    """[parameters]: deal groups; 0 for effects."""


def count_plays(table: RatingTable) -> PlayCounts:
    """Count matches and deal groups by entrant, effect and team."""
    size = table.parameters
    games = np.zeros(size)
    for bucket in table.buckets:
        times = np.where(bucket.weights > 0, bucket.counts, 0)
        games += np.bincount(bucket.members.reshape(-1), times.reshape(-1), minlength=size)
    teams = games[table.jacobian.base :]
    for members, shares in table.jacobian.seats():
        games += np.bincount(members, np.where(shares > 0, teams, 0), minlength=size)
    groups = table.cells.groups_by_player(size)
    if table.teams:
        base = table.jacobian.base
        seats = []
        for bucket in table.buckets:
            terms = bucket.members[:, : bucket.depth].reshape(-1, len(bucket.counts))
            seats.append((np.where(terms >= base, terms, EMPTY)[:, bucket.row_of], bucket.group_of))
        groups += Cells.from_seats(table.groups, seats).groups_by_player(size)
    return PlayCounts(games.astype(np.int64), groups)


def counts_by_form(table: RatingTable) -> tuple[Ints, Ints]:
    """([forms] matches, [forms] deal groups)."""
    games, form_of = np.zeros(len(table.forms), np.int64), np.zeros(table.groups, np.int64)
    for bucket in table.buckets:
        games[bucket.form] += len(bucket.row_of)
        form_of[bucket.group_of] = bucket.form
    return games, np.bincount(form_of, minlength=len(games))


def connected_components(table: RatingTable) -> tuple[int, ...]:
    """For each entrant the number of its component: 0, 1, … as they first appear.

    Entrants are nodes of a graph; a match connects all its entrants.
    """
    size = len(table.entrants)
    first_members = table.jacobian.members[:, 0]
    # A team's first member represents it: all its members are in one component.
    representative = np.concatenate([np.arange(table.jacobian.base), first_members])
    pairs = [
        (first_members, np.where(shares > 0, members, first_members))
        for members, shares in table.jacobian.seats()
    ]
    for bucket in table.buckets:
        first = representative.take(bucket.members[0, 0])
        for side, column in np.ndindex(len(bucket.members), bucket.depth):
            other = representative.take(bucket.members[side, column])
            pairs.append((first, np.where(bucket.weights[side, column] > 0, other, first)))
    codes = sorted_unique(
        np.concatenate([np.minimum(*pair) * size + np.maximum(*pair) for pair in pairs])
    )
    return components(size, *np.divmod(codes, size))


def components(size: int, a: Ints, b: Ints) -> tuple[int, ...]:
    """By node, numbered as they first appear; a[i] and b[i] are connected."""
    label = np.arange(size)
    while True:
        before = label.copy()
        least = np.minimum(label[a], label[b])
        np.minimum.at(label, a, least)
        np.minimum.at(label, b, least)
        label = label[label]
        if (label == before).all():
            return tuple(int(number) for number in unique_inverse(label)[1])
