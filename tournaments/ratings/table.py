"""Results as arrays: what the batch fit counts, with identical results counted once.

The fit's parameters are numbered: first the entrants' strengths, then what each side of a table
form gains by its place (`effects`), then what each team gains by playing together (`teams`). A side
is a few parameters with weights: its members' with a share each, its effect's and its team's whole.

Everything here is put into one order that depends only on what the results say, so that the same
results in another order give the same sums to the last bit.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tournaments.deal_groups import Entrant
from tournaments.ratings.blocks import EMPTY, Block, Floats, Ints, Rows, distinct, split

MAX_TEAMS = 2500
"""Teams that get a parameter of their own at most; where there are more, the most played do."""


@dataclass(frozen=True, slots=True)
class Game:
    """One finished match as the fit sees it."""

    sides: tuple[tuple[Entrant, ...], ...]
    """The members of each side; copies of one bot may be named once or as often as they sit."""

    ranks: tuple[int, ...]
    """The rank of each side: 1 is best, equal ranks are ties; faulting sides last."""

    group: str | int | None = None
    """The deal group: matches of one group are not independent. None: a group of its own."""

    form: str = ""
    """The table form: what its sides gain by their places is estimated. Empty: nothing."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """Distinct results of one shape: as many sides, the same ties; sides stand best first."""

    blocks: tuple[int, ...]
    """Sizes of the tie blocks from the best down: (1, 1, 1) without ties, (2, 1): two shared it."""

    members: Ints
    """[sides, columns, rows]: parameters' numbers, padded with 0 where the weight is 0."""

    weights: Floats
    """[sides, columns, rows]: a parameter's part in its side's strength."""

    depth: int
    """The first so many columns are entrants; their weights sum to 1 for each side."""

    counts: Floats
    """[rows]: how often this result occurred."""

    row_of: Ints
    """[games]: the row of each game."""

    group_of: Ints
    """[games]: the deal group of each game, 0 … groups - 1."""


@dataclass(frozen=True, slots=True)
class Table:
    """All results of a pool."""

    entrants: tuple[Entrant, ...]
    """Everybody who has played, in a fixed order; arrays hold indices into it."""

    buckets: tuple[Bucket, ...]

    groups: int
    """How many deal groups there are."""

    effects: tuple[tuple[str, int], ...] = ()
    """(table form, side) of the parameters after the entrants'."""

    teams: tuple[tuple[int, ...], ...] = ()
    """Members' indices, ascending, of the parameters after the effects'."""

    @property
    def parameters(self) -> int:
        """How many parameters there are."""
        return len(self.entrants) + len(self.effects) + len(self.teams)

    @property
    def games(self) -> int:
        """How many games there are."""
        return sum(len(bucket.row_of) for bucket in self.buckets)

    @property
    def games_apart(self) -> bool:
        """Whether each game is a deal group of its own and nobody is in it twice."""
        if self.games != self.groups:
            return False
        return all(
            bucket.depth == 1
            and bool((np.diff(np.sort(bucket.members[:, 0], axis=0), axis=0) > 0).all())
            for bucket in self.buckets
        )

    @classmethod
    def of(cls, games: Iterable[Game]) -> "Table":
        """Count `games`. Raises ValueError for a game whose sides and ranks do not fit."""
        shapes: dict[tuple[int, int, str], list[Game]] = {}
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
        entrants = _ordered(names)
        number = {name: i for i, name in enumerate(entrants)}
        numbering = _Groups()
        return cls.of_blocks(
            entrants, [_block(number, numbering, shapes[shape]) for shape in sorted(shapes)]
        )

    @classmethod
    def of_arrays(
        cls,
        entrants: Sequence[Entrant],
        sides: ArrayLike,
        ranks: ArrayLike,
        groups: ArrayLike | None = None,
        form: str = "",
    ) -> "Table":
        """Count games of one table form given as arrays.

        `sides` [games, sides] or [games, sides, seats] holds indices into `entrants`; `ranks`
        [games, sides] their ranks; `groups` [games] the deal groups' numbers (None: each its own).
        """
        return cls.of_blocks(entrants, [Block.of(len(entrants), sides, ranks, groups, form)])

    @classmethod
    def of_blocks(cls, entrants: Sequence[Entrant], blocks: Sequence[Block]) -> "Table":
        """Count games given as arrays, a block for each table form: the way for a million of them.

        Who of `entrants` has not played is left out. Equal group numbers are the same deal group.
        """
        blocks = [block for block in blocks if len(block.members)]
        blocks = [part for block in blocks for part in split(block)]
        if not blocks:
            return cls((), (), 0)
        used = np.unique(np.concatenate([np.unique(block.members) for block in blocks]))
        used = used[used != EMPTY]
        order = _ordered({entrants[i] for i in used})
        place = {name: i for i, name in enumerate(order)}
        renumber = np.zeros(len(entrants), dtype=np.int64)
        renumber[used] = [place[entrants[i]] for i in used]
        known, groups = np.unique(np.concatenate([b.groups for b in blocks]), return_inverse=True)
        rows = [Rows.of(block, renumber) for block in blocks]
        effects = tuple(
            sorted({(b.form, side) for b in blocks if b.form for side in range(b.ranks.shape[1])})
        )
        cuts = np.cumsum([len(block.groups) for block in blocks])[:-1]
        by_block = np.split(groups.reshape(-1).astype(np.int64), cuts)
        teams, team_of = _teams(rows, by_block)
        buckets: list[Bucket] = []
        first = len(order) + len(effects)
        for block, row, numbers, team in zip(blocks, rows, by_block, team_of, strict=True):
            columns, weights = [row.members], [row.weights]
            if block.form:
                start = len(order) + effects.index((block.form, 0))
                own = np.arange(start, start + row.members.shape[1])
                columns.append(np.broadcast_to(own[:, None], (len(numbers), len(own), 1)))
                weights.append(np.ones((len(numbers), len(own), 1)))
            if (team >= 0).any():
                columns.append(np.where(team >= 0, first + team, 0)[:, :, None])
                weights.append((team >= 0)[:, :, None].astype(np.float64))
            buckets += _buckets(
                np.concatenate(columns, axis=2),
                np.concatenate(weights, axis=2),
                row.members.shape[2],
                block.ranks,
                numbers,
            )
        return cls(order, tuple(buckets), len(known), effects, teams)


class _Groups:
    """Numbers for deal groups in order of appearance."""

    def __init__(self) -> None:
        self.count = 0
        self._known: dict[str | int, int] = {}

    def number(self, name: str | int | None) -> int:
        """The number of the group, a new one for None or a name not seen before."""
        if name is not None and name in self._known:
            return self._known[name]
        if name is not None:
            self._known[name] = self.count
        self.count += 1
        return self.count - 1


def _block(number: dict[Entrant, int], numbering: _Groups, games: Sequence[Game]) -> Block:
    """Games of one shape as arrays."""
    first = games[0]
    depth = max(map(len, first.sides))
    members = np.full((len(games), len(first.sides), depth), EMPTY, dtype=np.int64)
    for n, game in enumerate(games):
        for s, side in enumerate(game.sides):
            members[n, s, : len(side)] = [number[name] for name in side]
    ranks = np.array([game.ranks for game in games], dtype=np.int64)
    groups = np.array([numbering.number(game.group) for game in games], dtype=np.int64)
    return Block(members, ranks, groups, first.form)


def _ordered(names: Iterable[Entrant]) -> tuple[Entrant, ...]:
    return tuple(sorted(names, key=lambda name: (isinstance(name, str), name)))


def _teams(
    rows: Sequence[Rows], groups: Sequence[Ints]
) -> tuple[tuple[tuple[int, ...], ...], list[Ints]]:
    """(the teams with a parameter of their own, for each block [games, sides] the team or -1)."""
    named: list[tuple[Ints, list[tuple[int, ...]]]] = []
    played: dict[tuple[int, ...], int] = {}
    for row, numbers in zip(rows, groups, strict=True):
        if row.members.shape[2] == 1:
            named.append((np.zeros(row.members.shape[:2], dtype=np.int64), [()]))
            continue
        flat = np.where(row.weights > 0, row.members, EMPTY).reshape(-1, row.members.shape[2])
        first, which, _ = distinct(flat)
        keys = [tuple(int(m) for m in flat[i] if m != EMPTY) for i in first]
        sat = np.unique(
            np.repeat(numbers, row.members.shape[1]) * len(keys) + which.astype(np.int64)
        )
        for key, count in zip(keys, np.bincount(sat % len(keys), minlength=len(keys)), strict=True):
            if len(key) > 1:
                played[key] = played.get(key, 0) + int(count)
        named.append((which.reshape(row.members.shape[:2]), keys))
    teams = tuple(sorted(_most_played(played)))
    number = {team: i for i, team in enumerate(teams)}
    places = [
        np.array([number.get(key, -1) for key in keys], dtype=np.int64)[which]
        for which, keys in named
    ]
    return teams, places


def _most_played(played: dict[tuple[int, ...], int]) -> list[tuple[int, ...]]:
    """At most `MAX_TEAMS` teams; those that played equally often stay or go together."""
    if len(played) <= MAX_TEAMS:
        return list(played)
    bound = sorted(played.values(), reverse=True)[MAX_TEAMS]
    return [team for team, count in played.items() if count > bound]


def _buckets(members: Ints, weights: Floats, depth: int, ranks: Ints, groups: Ints) -> list[Bucket]:
    """Split games of one shape by their ties, and count the distinct ones of each."""
    # Inside a tie the order of the sides says nothing: sort it by its first member.
    order = np.lexsort((members[:, :, 0], ranks), axis=1)
    ranks = np.take_along_axis(ranks, order, axis=1)
    members = np.take_along_axis(members, order[:, :, None], axis=1)
    weights = np.take_along_axis(weights, order[:, :, None], axis=1)
    tied = ranks[:, 1:] == ranks[:, :-1]
    patterns = tied @ (1 << np.arange(tied.shape[1]))
    result = []
    for pattern in np.unique(patterns):
        here = np.flatnonzero(patterns == pattern)
        # Padding is weight 0: tell it from entrant 0, whose number it bears.
        flat = np.where(weights[here] > 0, members[here], EMPTY).reshape(len(here), -1)
        first, row_of, counts = distinct(flat)
        rows = here[first]
        result.append(
            Bucket(
                blocks=_block_sizes(int(pattern), members.shape[1]),
                members=np.ascontiguousarray(members[rows].transpose(1, 2, 0)),
                weights=np.ascontiguousarray(weights[rows].transpose(1, 2, 0)),
                depth=depth,
                counts=counts.astype(np.float64),
                row_of=row_of,
                group_of=groups[here],
            )
        )
    return result


def _block_sizes(pattern: int, sides: int) -> tuple[int, ...]:
    """Sizes of the tie blocks from bits: bit i says that places i and i + 1 are tied."""
    sizes = [1]
    for i in range(sides - 1):
        if pattern >> i & 1:
            sizes[-1] += 1
        else:
            sizes.append(1)
    return tuple(sizes)


__all__ = ["MAX_TEAMS", "Bucket", "Floats", "Game", "Ints", "Table"]
