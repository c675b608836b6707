"""Results as arrays for the batch fit, with identical results combined.

The fit's parameters are numbered: first the entrants' strengths, then the effect of each side of a
table form (`effects`; formats that differ in options have the same ones), then the interaction of
each team (`teams`). A side is a weighted sum of a few terms (`jacobian`): an entrant's or a team's,
or each member's share if the team has no parameter; and its effect's.

All arrays have an order that depends only on the results, so that the same results in another order
give the same sums to the last bit.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tournaments.deal_groups import Entrant
from tournaments.ratings.blocks import (
    EMPTY,
    Block,
    Floats,
    Ints,
    Mixtures,
    sorted_unique,
    split_by_depth,
    unique_inverse,
    unique_rows,
)
from tournaments.ratings.cells import Cells
from tournaments.ratings.jacobian import Jacobian

MAX_TEAMS = 2500
"""Maximum teams with their own parameter: those with the most matches."""


@dataclass(frozen=True, slots=True)
class RatedMatch:
    """A finished match for the fit."""

    sides: tuple[tuple[Entrant, ...], ...]
    """The members of each side; copies of one bot may be listed once or several times."""

    ranks: tuple[int, ...]
    """By side: 1 is best, equal ranks are ties; sides with a fault are last."""

    group: str | int | None = None
    """The deal group; None: a group of its own."""

    form: str = ""
    """The format, to estimate its slope, its dispersion and the effects of its sides; games
    without one share all three, but have no effects."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """Distinct results with the same number of sides and the same ties; sides best first."""

    form: int
    """Index into `RatingTable.forms`."""

    tie_sizes: tuple[int, ...]
    """Number of sides at each rank, best first: (1, 1, 1) without ties, (2, 1) if two sides share
    the first rank."""

    members: Ints
    """[sides, columns, rows]: numbers of terms, padded with 0 where the weight is 0."""

    weights: Floats
    """[sides, columns, rows]: a term's weight in its side's strength; all 1 if `depth` is 1."""

    depth: int
    """Number of columns for players, which come first; their weights sum to 1 for each side."""

    counts: Floats
    """[rows]: number of occurrences."""

    row_of: Ints
    """[games]: the row of each game."""

    group_of: Ints
    """[games]: the deal group of each game, 0 … groups - 1."""

    def seats(self, jacobian: Jacobian) -> tuple[Ints, Ints, Floats]:
        """([seats] sides, [seats, rows] entrants or `EMPTY`, their shares of the side's terms)."""
        terms, weights = self.members[:, : self.depth], self.weights[:, : self.depth]
        loadings = zip(*(column.T for column in jacobian.loadings()), strict=True)
        sides, entrants, shares = [], [], []
        for members, parts in loadings:
            for side, column in np.ndindex(terms.shape[:2]):
                share = parts.take(terms[side, column]) * weights[side, column]
                if share.any():
                    entrant = members.take(terms[side, column])
                    sides.append(side)
                    entrants.append(np.where(share > 0, entrant, EMPTY))
                    shares.append(share)
        return np.array(sides), np.array(entrants), np.array(shares)

    def likelihood_of(self, rows: slice | Ints) -> "Bucket":
        """Only these rows, without their games: enough for a likelihood."""
        none = np.zeros(0, dtype=np.int64)
        parts = self.members[:, :, rows], self.weights[:, :, rows]
        return Bucket(self.form, self.tie_sizes, *parts, self.depth, self.counts[rows], none, none)


@dataclass(frozen=True, slots=True)
class RatingTable:
    """All results of a pool."""

    entrants: tuple[Entrant, ...]
    """All entrants that have played, in a fixed order; arrays hold indices into it."""

    buckets: tuple[Bucket, ...]

    groups: int
    """Number of deal groups."""

    effects: tuple[tuple[str, int], ...] = ()
    """(table form, side) of the parameters after the entrants'."""

    teams: tuple[tuple[int, ...], ...] = ()
    """Members' indices, ascending, of the parameters after the effects'."""

    jacobian: Jacobian = field(default_factory=lambda: Jacobian.from_teams(0, 0, ()))
    """Derivatives of the buckets' terms with respect to the parameters."""

    forms: tuple[str, ...] = ("",)
    """Formats, sorted."""

    cells: Cells = field(default_factory=lambda: Cells.from_seats(0, ()))
    """The pairs of deal group and entrant; the seats are those of `Bucket.seats`."""

    slopes: Floats = field(default_factory=lambda: np.ones(1))
    """[forms]: the factor of strengths in results of the format (`slopes`)."""

    weights: Floats = field(default_factory=lambda: np.ones(1))
    """[forms]: the weight of the format's results (`dispersion`)."""

    @property
    def parameters(self) -> int:
        """Number of parameters."""
        return len(self.entrants) + len(self.effects) + len(self.teams)

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(len(bucket.row_of) for bucket in self.buckets)

    @classmethod
    def from_games(cls, games: Iterable[RatedMatch]) -> "RatingTable":
        """Count `games`. Raises ValueError for a game whose sides and ranks do not match."""
        shapes: dict[tuple[int, int, str], list[RatedMatch]] = {}
        names: set[Entrant] = set()
        for game in games:
            if len(game.sides) < 2 or len(game.sides) != len(game.ranks) or not all(game.sides):
                raise ValueError(
                    "A rated game needs two or more sides, none empty, and a rank for each; "
                    f"got sides {game.sides} and ranks {game.ranks}."
                )
            names.update(*game.sides)
            shape = (len(game.sides), max(map(len, game.sides)), game.form)
            shapes.setdefault(shape, []).append(game)
        entrants = sort_entrants(names)
        number = {name: i for i, name in enumerate(entrants)}
        numbers: dict[object, int] = {}
        return cls.from_blocks(
            entrants, [_block(number, numbers, shapes[shape]) for shape in sorted(shapes)]
        )

    @classmethod
    def from_arrays(
        cls,
        entrants: Sequence[Entrant],
        sides: ArrayLike,
        ranks: ArrayLike,
        groups: ArrayLike | None = None,
        form: str = "",
    ) -> "RatingTable":
        """Count games of one format given as arrays.

        `sides` [games, sides] or [games, sides, seats] holds indices into `entrants`; `ranks`
        [games, sides] their ranks; `groups` [games] the deal groups' numbers (None: all different).
        """
        return cls.from_blocks(
            entrants, [Block.from_arrays(len(entrants), sides, ranks, groups, form)]
        )

    @classmethod
    def from_blocks(cls, entrants: Sequence[Entrant], blocks: Sequence[Block]) -> "RatingTable":
        """Count games given as arrays, a block for each format; fast for millions of games.

        Entrants without a game are omitted. Equal group numbers are the same deal group.
        """
        blocks = [block for block in blocks if len(block.members)]
        blocks = [part for block in blocks for part in split_by_depth(block)]
        if not blocks:
            return cls((), (), 0)
        forms = sorted({block.form for block in blocks})
        used_entrants = sorted_unique(
            np.concatenate([sorted_unique(block.members) for block in blocks])
        )
        used_entrants = used_entrants[used_entrants != EMPTY]
        order = sort_entrants({entrants[i] for i in used_entrants})
        place = {name: i for i, name in enumerate(order)}
        renumber = np.zeros(len(entrants), dtype=np.int64)
        renumber[used_entrants] = [place[entrants[i]] for i in used_entrants]
        distinct, groups, _ = unique_inverse(np.concatenate([block.groups for block in blocks]))
        rows = [Mixtures.from_block(block, renumber) for block in blocks]
        rated = [block for block in blocks if block.form]
        effects = tuple(sorted({(_table(b), side) for b in rated for side in range(b.sides)}))
        by_block = np.split(groups, np.cumsum([len(block.groups) for block in blocks])[:-1])
        teams, team_of = _teams(rows, by_block)
        first = len(order) + len(effects)
        buckets: list[Bucket] = []
        for block, row, numbers, team in zip(blocks, rows, by_block, team_of, strict=True):
            start = len(order) + effects.index((_table(block), 0)) if block.form else None
            form = forms.index(block.form)
            for games, players in _players(row, np.where(team >= 0, first + team, EMPTY)):
                buckets += _buckets(form, players, start, block.ranks[games], numbers[games])
        jacobian = Jacobian.from_teams(len(order), first, teams)
        seats = [(b.seats(jacobian)[1][:, b.row_of], b.group_of) for b in buckets]
        return cls(
            order,
            tuple(buckets),
            len(distinct),
            effects,
            teams,
            jacobian,
            tuple(forms),
            Cells.from_seats(len(distinct), seats),
            np.ones(len(forms)),
            np.ones(len(forms)),
        )


def _block(
    number: dict[Entrant, int], numbers: dict[object, int], games: Sequence[RatedMatch]
) -> Block:
    """Games of one shape as arrays; `numbers`: of the deal groups so far, to which it adds."""
    first = games[0]
    depth = max(map(len, first.sides))
    members = np.full((len(games), len(first.sides), depth), EMPTY, dtype=np.int64)
    for n, game in enumerate(games):
        for s, side in enumerate(game.sides):
            members[n, s, : len(side)] = [number[name] for name in side]
    ranks = np.array([game.ranks for game in games], dtype=np.int64)
    names = [object() if game.group is None else game.group for game in games]
    groups = [numbers.setdefault(name, len(numbers)) for name in names]
    return Block(members, ranks, np.array(groups, dtype=np.int64), first.form)


def _table(block: Block) -> str:
    """The format without options."""
    return block.form.partition("?")[0]


def sort_entrants(names: Iterable[Entrant]) -> tuple[Entrant, ...]:
    """Entrants in a fixed order: numbers, then names."""
    return tuple(sorted(names, key=lambda name: (isinstance(name, str), name)))


def _teams(
    rows: Sequence[Mixtures], groups: Sequence[Ints]
) -> tuple[tuple[tuple[int, ...], ...], list[Ints]]:
    """(teams with their own parameter, for each block the team or -1 [games, sides])."""
    keys_by_block: list[tuple[Ints, list[tuple[int, ...]]]] = []
    for row in rows:
        if row.members.shape[2] == 1:
            keys_by_block.append((np.zeros(row.members.shape[:2], dtype=np.int64), [()]))
            continue
        flat = np.where(row.weights > 0, row.members, EMPTY).reshape(-1, row.members.shape[2])
        first, key_of_row, _ = unique_rows(flat)
        keys = [
            tuple(member for member in row if member != EMPTY) if EMPTY in row else tuple(row)
            for row in flat[first].tolist()
        ]
        keys_by_block.append((key_of_row.reshape(row.members.shape[:2]), keys))
    teams = {key for _, keys in keys_by_block for key in keys if len(key) > 1}
    if len(teams) > MAX_TEAMS:
        teams = _most_played(keys_by_block, groups)
    number = {team: i for i, team in enumerate(sorted(teams))}
    places = [
        np.array([number.get(key, -1) for key in keys], dtype=np.int64)[key_of_row]
        for key_of_row, keys in keys_by_block
    ]
    return tuple(number), places


def _most_played(
    keys_by_block: Sequence[tuple[Ints, list[tuple[int, ...]]]], groups: Sequence[Ints]
) -> set[tuple[int, ...]]:
    """At most `MAX_TEAMS` teams; teams with equal counts are all included or all excluded."""
    plays: Counter[tuple[int, ...]] = Counter()
    for (key_of_row, keys), numbers in zip(keys_by_block, groups, strict=True):
        group_keys = sorted_unique(numbers[:, None] * len(keys) + key_of_row)
        counts = np.bincount(group_keys % len(keys), minlength=len(keys))
        for key, count in zip(keys, counts.tolist(), strict=True):
            if len(key) > 1:
                plays[key] += count
    bound = sorted(plays.values(), reverse=True)[MAX_TEAMS]
    return {team for team, count in plays.items() if count > bound}


def _players(row: Mixtures, team: Ints) -> Iterator[tuple[NDArray[np.intp] | slice, Mixtures]]:
    """Split a block into games whose sides are single terms, and the others.

    `team` [games, sides]: the team's number or `EMPTY`. Yields (games, their sides).
    """
    if row.members.shape[2] == 1:
        yield slice(None), row
        return
    term = np.where(row.weights[:, :, 0] == 1, row.members[:, :, 0], team)
    wide = (term == EMPTY).any(axis=1)
    single = np.flatnonzero(~wide) if wide.any() else slice(None)
    if not wide.all():
        weights = np.broadcast_to(1.0, (*term[single].shape, 1))
        yield single, Mixtures(term[single, :, None], weights)
    if wide.any():
        term, members, weights = term[wide], row.members[wide], row.weights[wide]
        is_single = term != EMPTY
        members[is_single], weights[is_single] = 0, 0.0
        members[is_single, 0], weights[is_single, 0] = term[is_single], 1.0
        yield np.flatnonzero(wide), Mixtures(members, weights)


def _buckets(
    form: int, rows: Mixtures, effects: int | None, ranks: Ints, groups: Ints
) -> list[Bucket]:
    """Split games of one shape by their ties, and combine identical ones.

    `effects`: the number of the first side's effect, if effects are estimated.
    """
    depth = rows.members.shape[2]
    # The order of tied sides does not matter: sort them by their first member.
    first = rows.members[:, :, 0]
    order = np.argsort(ranks * (int(first.max()) + 1) + first, axis=1, kind="stable")
    ranks = np.take_along_axis(ranks, order, axis=1)
    # From here on games are the last axis, so that columns are contiguous.
    sides = np.ascontiguousarray(order.T)[:, None]
    members = np.take_along_axis(rows.members.transpose(1, 2, 0), sides, axis=0)
    if effects is not None:
        members = np.concatenate([members, effects + sides], axis=1)
    weights = np.broadcast_to(1.0, members.shape)
    if depth > 1:
        weights = weights.copy()
        weights[:, :depth] = np.take_along_axis(rows.weights.transpose(1, 2, 0), sides, axis=0)
    tied = ranks[:, 1:] == ranks[:, :-1]
    patterns = tied @ (1 << np.arange(tied.shape[1]))
    result = []
    for pattern in np.flatnonzero(np.bincount(patterns)):
        games = np.flatnonzero(patterns == pattern)
        part = members if len(games) == len(patterns) else members[:, :, games]
        # Padding has weight 0 and number 0: distinguish it from entrant 0.
        flat = part if depth == 1 else np.where(weights[:, :, games] > 0, part, EMPTY)
        first_rows, row_of, counts = unique_rows(flat.reshape(-1, len(games)).T)
        result.append(
            Bucket(
                form=form,
                tie_sizes=_tie_sizes(int(pattern), len(members)),
                members=part[:, :, first_rows],
                weights=weights[:, :, games[first_rows]]
                if depth > 1
                else np.broadcast_to(1.0, (*members.shape[:2], len(first_rows))),
                depth=depth,
                counts=counts.astype(np.float64),
                row_of=row_of,
                group_of=groups[games],
            )
        )
    return result


def _tie_sizes(pattern: int, sides: int) -> tuple[int, ...]:
    """Sizes of ties from bits: bit i is set if places i and i + 1 are tied."""
    sizes = [1]
    for i in range(sides - 1):
        if pattern >> i & 1:
            sizes[-1] += 1
        else:
            sizes.append(1)
    return tuple(sizes)


__all__ = ["MAX_TEAMS", "Bucket", "Floats", "Ints", "RatedMatch", "RatingTable"]
