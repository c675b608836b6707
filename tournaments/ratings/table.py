"""Results as arrays: what the batch fit counts, with identical results counted once.

Everything here is put into one order that depends only on what the results say, so that the same
results in another order give the same sums to the last bit.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tournaments.deal_groups import Entrant

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Game:
    """One finished match as the fit sees it."""

    sides: tuple[tuple[Entrant, ...], ...]
    """The members of each side; copies of one bot may be named once or as often as they sit."""

    ranks: tuple[int, ...]
    """The rank of each side: 1 is best, equal ranks are ties; faulting sides last."""

    group: str | int | None = None
    """The deal group: matches of one group are not independent. None: a group of its own."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """Distinct results of one shape: as many sides, the same ties; sides stand best first."""

    blocks: tuple[int, ...]
    """Sizes of the tie blocks from the best down: (1, 1, 1) without ties, (2, 1): two shared it."""

    members: Ints
    """[sides, members, rows]: entrant numbers, padded with 0 where the weight is 0."""

    weights: Floats
    """[sides, members, rows]: a member's part in its side's strength; each side sums to 1."""

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
            bucket.members.shape[1] == 1
            and bool((np.diff(np.sort(bucket.members, axis=0), axis=0) > 0).all())
            for bucket in self.buckets
        )

    @classmethod
    def of(cls, games: Iterable[Game]) -> "Table":
        """Count `games`. Raises ValueError for a game whose sides and ranks do not fit."""
        shapes: dict[tuple[int, int], list[tuple[Game, list[tuple[Entrant, ...]]]]] = {}
        names: set[Entrant] = set()
        for game in games:
            sides = [_distinct(side) for side in game.sides]
            if len(sides) < 2 or len(sides) != len(game.ranks) or not all(sides):
                raise ValueError(
                    "A rated game needs two or more sides, none empty, and a rank for each; "
                    f"got sides {game.sides} and ranks {game.ranks}."
                )
            names.update(*sides)
            shapes.setdefault((len(sides), max(map(len, sides))), []).append((game, sides))
        entrants = _ordered(names)
        number = {name: i for i, name in enumerate(entrants)}
        numbering = _Groups()
        buckets: list[Bucket] = []
        for (width, depth), rows in sorted(shapes.items(), key=lambda item: item[0]):
            members = np.zeros((len(rows), width, depth), dtype=np.int64)
            weights = np.zeros((len(rows), width, depth))
            for n, (_, sides) in enumerate(rows):
                for s, side in enumerate(sides):
                    members[n, s, : len(side)] = sorted(number[name] for name in side)
                    weights[n, s, : len(side)] = 1 / len(side)
            ranks = np.array([game.ranks for game, _ in rows], dtype=np.int64)
            groups = np.array([numbering.number(game.group) for game, _ in rows], dtype=np.int64)
            buckets += _buckets(members, weights, ranks, groups, len(entrants))
        return cls(entrants, tuple(buckets), numbering.count)

    @classmethod
    def of_arrays(
        cls,
        entrants: Sequence[Entrant],
        sides: ArrayLike,
        ranks: ArrayLike,
        groups: ArrayLike | None = None,
    ) -> "Table":
        """Count games given as arrays: the way for hundreds of thousands of them.

        `sides` [games, sides] holds indices into `entrants`, one entrant per side; `ranks` [games,
        sides] their ranks; `groups` [games] the deal groups' numbers (None: each game its own).
        """
        members = np.asarray(sides, dtype=np.int64)
        places = np.asarray(ranks, dtype=np.int64)
        if members.ndim != 2 or members.shape != places.shape or members.shape[1] < 2:
            raise ValueError(
                "Sides and ranks need the same shape [games, sides] with two sides or more; got "
                f"{members.shape} and {places.shape}."
            )
        if members.size and not 0 <= members.min() <= members.max() < len(entrants):
            raise ValueError(f"Sides hold indices from 0 to {len(entrants) - 1}.")
        if groups is None:
            numbers, count = np.arange(len(members), dtype=np.int64), len(members)
        else:
            known, inverse = np.unique(np.asarray(groups), return_inverse=True)
            numbers, count = inverse.astype(np.int64).reshape(-1), len(known)
        present = np.unique(members)
        order = _ordered({entrants[i] for i in present})
        place = {name: i for i, name in enumerate(order)}
        renumber = np.zeros(len(entrants), dtype=np.int64)
        for i in present:
            renumber[i] = place[entrants[i]]
        members = renumber[members][:, :, None]
        weights = np.ones(members.shape)
        return cls(order, tuple(_buckets(members, weights, places, numbers, len(order))), count)


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


def _distinct(side: tuple[Entrant, ...]) -> tuple[Entrant, ...]:
    """A side of copies of one bot is that bot; other sides stay as they are."""
    return side[:1] if len(set(side)) == 1 else side


def _ordered(names: Iterable[Entrant]) -> tuple[Entrant, ...]:
    return tuple(sorted(names, key=lambda name: (isinstance(name, str), name)))


def _buckets(
    members: Ints, weights: Floats, ranks: Ints, groups: Ints, entrants: int
) -> list[Bucket]:
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
        blocks = _block_sizes(int(pattern), members.shape[1])
        first, row_of, counts = _distinct_rows(members[here], weights[here], entrants)
        rows = here[first]
        result.append(
            Bucket(
                blocks=blocks,
                members=np.ascontiguousarray(members[rows].transpose(1, 2, 0)),
                weights=np.ascontiguousarray(weights[rows].transpose(1, 2, 0)),
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


def _distinct_rows(members: Ints, weights: Floats, entrants: int) -> tuple[Ints, Ints, Ints]:
    """(index of the first of each distinct row, row of each game, how often), in fixed order."""
    flat = members.reshape(len(members), -1)
    if members.shape[2] > 1:
        # Padding is weight 0: tell it from entrant 0, whose number it bears.
        flat = np.where(weights.reshape(flat.shape) > 0, flat, entrants)
        entrants += 1
    if entrants ** flat.shape[1] < 2**62:
        key = flat @ (entrants ** np.arange(flat.shape[1] - 1, -1, -1, dtype=np.int64))
        _, first, inverse, counts = np.unique(
            key, return_index=True, return_inverse=True, return_counts=True
        )
    else:
        _, first, inverse, counts = np.unique(
            flat, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
    return first, inverse.reshape(-1), counts
