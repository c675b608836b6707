"""Games of one format as arrays, before `result_arrays` counts them."""

import functools
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

EMPTY = -1
"""Marks a missing seat."""


@dataclass(frozen=True, slots=True)
class Block:
    """Games of one format."""

    members: Ints
    """[games, sides, seats]: entrants' indices; `EMPTY` where a side has fewer seats."""

    ranks: Ints
    """[games, sides]: 1 is best, equal ranks are ties."""

    groups: Ints
    """[games]: the deal group's number."""

    form: str = ""
    """The format, if effects of its sides are estimated; else empty."""

    @property
    def sides(self) -> int:
        """Number of sides of every game."""
        return int(self.ranks.shape[1])

    @classmethod
    def from_arrays(
        cls,
        entrants: int,
        sides: ArrayLike,
        ranks: ArrayLike,
        groups: ArrayLike | None,
        form: str = "",
    ) -> "Block":
        """Check the arrays; `sides` [games, sides] has one entrant for each side."""
        members = np.asarray(sides, dtype=np.int64)
        if members.ndim == 2:
            members = members[:, :, None]
        places = np.asarray(ranks, dtype=np.int64)
        if members.ndim != 3 or members.shape[:2] != places.shape or members.shape[1] < 2:
            raise ValueError(
                "Sides and ranks need the same shape [games, sides] with two sides or more; got "
                f"{members.shape[:2]} and {places.shape}."
            )
        if members.size and not EMPTY <= members.min() <= members.max() < entrants:
            raise ValueError(f"Sides hold indices from 0 to {entrants - 1}.")
        if (_highest(members) == EMPTY).any():
            raise ValueError("Every side needs an entrant.")
        numbers = np.arange(len(members)) if groups is None else np.asarray(groups)
        return cls(members, places, numbers.astype(np.int64).reshape(-1), form)

    def take(self, rows: NDArray[np.intp] | slice, seats: int) -> "Block":
        """Some of its games, with this many seats for each side."""
        return Block(self.members[rows, :, :seats], self.ranks[rows], self.groups[rows], self.form)


@dataclass(frozen=True, slots=True)
class Mixtures:
    """The sides of a block as weighted means of entrants."""

    members: Ints
    """[games, sides, depth]: entrants in the table's order, ascending; 0 where the weight is 0."""

    weights: Floats
    """[games, sides, depth]: the weights of each side add up to 1."""

    @classmethod
    def from_block(cls, block: Block, renumber: Ints) -> "Mixtures":
        """The sides of a part of `split_by_depth`. `renumber`: the table's number by entrant."""
        if block.members.shape[2] == 1:
            return cls(renumber[block.members], np.ones(block.members.shape))
        is_seat = block.members != EMPTY
        padding = np.iinfo(np.int64).max
        members = np.sort(np.where(is_seat, renumber[block.members], padding), axis=2)
        is_seat = members < padding
        weights = is_seat / is_seat.sum(axis=2, keepdims=True)
        return cls(np.where(is_seat, members, 0), weights)


def _seats(members: Ints) -> Ints:
    """[seats, games, sides]; numpy is slow along an axis of two."""
    return np.moveaxis(members, 2, 0)


def _highest(members: Ints) -> Ints:
    """[games, sides]: an entrant of each side; `EMPTY` if it has none."""
    return functools.reduce(np.maximum, _seats(members), np.full(members.shape[:2], EMPTY))


def split_by_depth(block: Block) -> list[Block]:
    """Split a block by the width of its widest side, after reducing copies of one bot to one seat.

    Most games need only one part.
    """
    if block.members.shape[2] == 1:
        return [block]
    entrant = _highest(block.members)
    copies = functools.reduce(
        np.logical_and, (((seat == entrant) | (seat == EMPTY)) for seat in _seats(block.members))
    )
    if block.members.min(initial=0) > EMPTY and not copies.any():
        return [block]
    members = np.sort(block.members, axis=2)[:, :, ::-1]
    members[:, :, 1:][copies] = EMPTY
    depth = (members != EMPTY).sum(axis=2).max(axis=1)
    block = Block(members, block.ranks, block.groups, block.form)
    depths = np.flatnonzero(np.bincount(depth))
    if len(depths) == 1:
        return [block.take(slice(None), int(depths[0]))]
    return [block.take(np.flatnonzero(depth == d), int(d)) for d in depths]


def unique_rows(flat: Ints) -> tuple[Ints, Ints, Ints]:
    """(index of the first of each distinct row, number of each row, counts), in a fixed order.

    `flat` [rows, columns] holds numbers from `EMPTY` up.
    """
    key = np.zeros(len(flat), dtype=np.int64)
    bound = 1
    for column in flat.T:
        span = int(column.max(initial=0)) + 2
        if bound * span >= 2**62:
            # Renumber the keys so far: their order stays, the numbers get small.
            first, key, _ = unique_inverse(key)
            bound = len(first)
        key *= span
        key += column
        key += 1
        bound *= span
    return unique_inverse(key)


def unique_inverse(codes: Ints) -> tuple[Ints, Ints, Ints]:
    """(index of the first of each distinct number, ascending; number of each; counts)."""
    least = int(codes.min(initial=0))
    if int(codes.max(initial=0)) - least <= 4 * len(codes):
        return _unique_small(codes - least)
    order = np.argsort(codes)
    sorted_codes = codes[order]
    is_first = np.diff(sorted_codes, prepend=sorted_codes[0] - 1) > 0
    numbers = np.empty_like(order)
    numbers[order] = np.cumsum(is_first) - 1
    starts = np.flatnonzero(is_first)
    return np.minimum.reduceat(order, starts), numbers, np.diff(starts, append=len(codes))


def _unique_small(codes: Ints) -> tuple[Ints, Ints, Ints]:
    """`unique_inverse` for small numbers from 0, without sorting."""
    counts = np.bincount(codes)
    present = np.flatnonzero(counts)
    place = np.zeros(len(counts), dtype=np.int64)
    place[present] = np.arange(len(present))
    first = np.zeros(len(counts), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # the last one written stays
    return first[present], place[codes], counts[present].astype(np.int64)


def sorted_unique(codes: Ints) -> Ints:
    """The distinct numbers, sorted."""
    codes = codes.reshape(-1)
    least, most = int(codes.min(initial=0)), int(codes.max(initial=0))
    if most - least <= 4 * len(codes):
        is_present = np.zeros(most - least + 1, dtype=bool)
        is_present[codes - least] = True
        return least + np.flatnonzero(is_present)
    codes = np.sort(codes)
    return codes[np.diff(codes, prepend=codes[:1] - 1) > 0]
