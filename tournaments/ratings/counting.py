"""Count the matches and deal groups of each parameter, and find connected entrants."""

from dataclasses import dataclass

import numpy as np

from tournaments.ratings.blocks import EMPTY, Ints, sorted_unique, unique_inverse
from tournaments.ratings.cells import Cells
from tournaments.ratings.table import RatingTable


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
        terms = ((b.members.reshape(-1, len(b.counts))[:, b.row_of], b) for b in table.buckets)
        seats = [(np.where(t >= base, t, EMPTY), b.group_of) for t, b in terms]
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
        np.stack([first_members, members], axis=1)[shares > 0]
        for members, shares in table.jacobian.seats()
    ]
    for bucket in table.buckets:
        first = representative[bucket.members[0, 0]]
        is_seat = bucket.weights[:, : bucket.depth] > 0
        for side, column in zip(*np.nonzero(is_seat.any(axis=2)), strict=True):
            played = is_seat[side, column]
            other = representative[bucket.members[side, column][played]]
            pairs.append(np.stack([first[played], other], axis=1))
    codes = sorted_unique(np.concatenate([_code(pair, size) for pair in pairs]))
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


def _code(pairs: Ints, size: int) -> Ints:
    """[pairs, 2] as one number each, the lower first."""
    return np.asarray(pairs.min(axis=1) * size + pairs.max(axis=1), dtype=np.int64)
