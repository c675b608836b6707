"""Seat entrants of near scores at tables of more than two, by a seeded local search.

Neighbours in the order of scores start together; then entrants swap places while that reduces the
faults. Faults, gravest first: pairs to keep apart, repeated partners, rematches, differences of
scores. No number of small faults outweighs a graver one.
"""

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, groupby
from typing import TypeAlias

from tournaments.pairing.designs import shuffled
from tournaments.pairing.history import PairingHistory
from tournaments.pairing.matching import pairs_of_least_cost
from tournaments.pairing.types import Pairing, State

Tables: TypeAlias = list[list[int]]

_SWEEPS = 8
"""Maximum number of sweeps."""

_NEAR = 10
"""A sweep swaps with this many tables below each; random swaps use all tables."""

_TRIES = 1_000
"""Random swaps without gain before the search stops with avoidable grave faults."""

_CHANCE = 0.03
"""The probability of keeping a swap that adds one rematch."""


def seat_tables(
    state: State, order: Sequence[int], history: PairingHistory, lot: str
) -> list[Pairing]:
    """Seat the entrants of `order` (best first; whole tables); the best table comes first.

    A table lists its sides one after another, with the sizes of `State.sizes`.
    """
    rng = random.Random(f"tables {lot}")
    faults = _Faults(state, order, history)
    tables = _improve(_start(state, order, faults, lot), faults, rng)
    rank = {entrant: index for index, entrant in enumerate(order)}
    tables.sort(key=lambda table: sorted(rank[entrant] for entrant in table))
    return [faults.split(sorted(table, key=rank.__getitem__), rng) for table in tables]


class _Faults:
    """The faults of tables, as whole numbers."""

    def __init__(self, state: State, order: Sequence[int], history: PairingHistory) -> None:
        """Set the weights of a repeated meeting, a repeated partnership, and a pair to keep apart,
        each of which outweighs all lighter faults together."""
        self.size = state.seats
        self.sizes = state.table
        self.scores = history.scores
        self.history = history
        scores = [self.scores[entrant] for entrant in order]
        pairs = len(order) * self.size
        meetings = max((sum(history.meetings.values()), sum(history.partnerships.values()), 1))
        self.repeat = pairs * (max(scores) - min(scores)) ** 2 + 1
        self.partner = self.repeat * (2 * pairs * meetings + 1)
        self.apart = self.partner * (pairs * meetings + 1)
        self.rotating = self.size > len(self.sizes)
        self.cached_partners: dict[tuple[int, ...], int] = {}
        self.of_pair = {a: {b: self._of_pair(state, a, b) for b in order if b != a} for a in order}

    def _of_pair(self, state: State, a: int, b: int) -> int:
        pair = (min(a, b), max(a, b))
        meetings = self.history.meetings[pair] + self.history.partnerships[pair]
        difference = (self.scores[a] - self.scores[b]) ** 2
        return self.apart * (pair in state.apart) + self.repeat * meetings + difference

    def count(self, table: Sequence[int]) -> int:
        """The faults of a table with its sides split in the best way."""
        faults = sum(self.of_pair[a][b] for a, b in combinations(table, 2))
        return faults + self.partner * self.repeated_partners(table) if self.rotating else faults

    def grave_faults(self, tables: Tables) -> list[int]:
        """The faults of each table, without differences of scores."""
        return [self.count(table) // self.repeat for table in tables]

    def min_grave_faults(self) -> int:
        """A lower bound of grave faults: each entrant sits with those that it met least often."""
        mates = self.size - 1
        rows = (
            sorted(faults // self.repeat for faults in row.values())
            for row in self.of_pair.values()
        )
        return -(-sum(sum(faults[:mates]) for faults in rows) // 2)

    def repeated_partners(self, table: Sequence[int]) -> int:
        """The fewest repeated partnerships of any split of this table."""
        key = tuple(sorted(table))
        if key not in self.cached_partners:
            # By pair of places, in the order of `combinations`.
            partnerships = [self.history.partnerships[pair] for pair in combinations(key, 2)]
            self.cached_partners[key] = any(partnerships) and min(
                sum(partnerships[pair] for pair in split) for split in _partners(self.sizes)
            )
        return self.cached_partners[key]

    def split(self, table: Sequence[int], rng: random.Random) -> Pairing:
        """The sides of a table one after another: new partners first, then even sides."""
        if not self.rotating:
            return tuple(table)

        def faults(sides: list[list[int]]) -> tuple[int, int]:
            # Even sums have the least sum of squares.
            uneven = sum(sum(self.scores[entrant] for entrant in side) ** 2 for side in sides)
            pairs = (pair for side in sides for pair in combinations(sorted(side), 2))
            return sum(self.history.partnerships[pair] for pair in pairs), uneven

        splits = [[[table[i] for i in side] for side in split] for split in _splits(self.sizes)]
        best = min(shuffled(splits, rng), key=faults)
        return tuple(entrant for side in best for entrant in side)


@lru_cache(maxsize=32)
def _splits(sizes: tuple[int, ...]) -> tuple[tuple[Pairing, ...], ...]:
    """All ways to split the places 0, 1, 2, … of a table into sides of these sizes.

    The order of equally large sides does not matter, because deal groups rotate them.
    """
    equal_sizes = len(set(sizes)) == 1

    def splits_of(places: Pairing, sizes_left: tuple[int, ...]) -> Iterator[tuple[Pairing, ...]]:
        if not sizes_left:
            yield ()
            return
        for side in combinations(places, sizes_left[0]):
            if equal_sizes and side[0] != places[0]:
                continue
            others = tuple(place for place in places if place not in side)
            for other_sides in splits_of(others, sizes_left[1:]):
                yield (side, *other_sides)

    return tuple(splits_of(tuple(range(sum(sizes))), sizes))


@lru_cache(maxsize=32)
def _partners(sizes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The pairs of partners in each split, as numbers in the order of `combinations`."""
    numbers = {pair: i for i, pair in enumerate(combinations(range(sum(sizes)), 2))}
    return tuple(
        tuple(numbers[pair] for side in split for pair in combinations(side, 2))
        for split in _splits(sizes)
    )


def _start(state: State, order: Sequence[int], faults: _Faults, lot: str) -> Tables:
    """Start with neighbours together; sides of two are found by matching, which prefers new
    partners."""
    size = state.seats
    if set(state.table) == {2}:
        couples = _couples(state, order, faults, lot)
        line = [entrant for couple in couples for entrant in couple]
    else:
        line = _spread_equals(order, faults.scores, size)
    return [line[start : start + size] for start in range(0, len(line), size)]


def _couples(state: State, order: Sequence[int], faults: _Faults, lot: str) -> list[Pairing]:
    """Pairs of partners, ordered by the sum of their scores; new partners if possible."""

    def cost(a: int, b: int) -> tuple[int, ...]:
        apart, partnerships = (a, b) in state.apart, faults.history.partnerships[a, b]
        return apart, partnerships > 0, partnerships, (faults.scores[a] - faults.scores[b]) ** 2

    couples = pairs_of_least_cost(order, cost, f"{lot}/partners") or []
    return sorted(couples, key=lambda pair: -(faults.scores[pair[0]] + faults.scores[pair[1]]))


def _spread_equals(order: Sequence[int], scores: Sequence[int], size: int) -> list[int]:
    """The order for filling the tables. Entrants with equal scores are spread over their tables, so
    that every table gets high seeds."""
    line: list[int] = []
    for _, equals in groupby(order, key=scores.__getitem__):
        block = list(equals)
        tables = -(-len(block) // size)
        line += [entrant for start in range(tables) for entrant in block[start::tables]]
    return line


def _improve(tables: Tables, faults: _Faults, rng: random.Random) -> Tables:
    """Sweep to a minimum; while grave faults remain, continue with random swaps."""
    best = _sweep(tables, faults)
    grave_faults = faults.grave_faults(best)
    tries, lower_bound = _TRIES, faults.min_grave_faults()
    while sum(grave_faults) > lower_bound and tries and len(best) > 1:
        previous, tables = sum(grave_faults), [list(table) for table in best]
        while tries and sum(grave_faults) >= previous:
            tries -= 1
            _exchange_by_chance(tables, grave_faults, faults, rng)
        if sum(grave_faults) < previous:
            best = _sweep(tables, faults)
            grave_faults = faults.grave_faults(best)
            tries = _TRIES
    return best


def _sweep(tables: Tables, faults: _Faults) -> Tables:
    """Swap two entrants at a time while that reduces the faults; in place."""
    costs = [faults.count(table) for table in tables]
    for _ in range(_SWEEPS):
        previous = sum(costs)
        for i in range(len(tables)):
            for j in range(i + 1, min(len(tables), i + 1 + _NEAR)):
                _exchange_between(tables, costs, i, j, faults)
        if sum(costs) == previous:
            break
    return tables


def _exchange_between(tables: Tables, costs: list[int], i: int, j: int, faults: _Faults) -> None:
    table, other = tables[i], tables[j]
    for a in range(len(table)):
        for b in range(len(other)):
            table[a], other[b] = other[b], table[a]
            new_costs = faults.count(table), faults.count(other)
            if sum(new_costs) < costs[i] + costs[j]:
                costs[i], costs[j] = new_costs
            else:
                table[a], other[b] = other[b], table[a]


def _exchange_by_chance(
    tables: Tables, grave_faults: list[int], faults: _Faults, rng: random.Random
) -> None:
    """Swap an entrant of a table with faults; usually undo a swap that adds faults."""
    faulty = [index for index, fault in enumerate(grave_faults) if fault]
    i = faulty[int(rng.random() * len(faulty))]
    j = (i + 1 + int(rng.random() * (len(tables) - 1))) % len(tables)
    table, other = tables[i], tables[j]
    a, b = int(rng.random() * len(table)), int(rng.random() * len(other))
    table[a], other[b] = other[b], table[a]
    new_faults = faults.grave_faults([table, other])
    change = sum(new_faults) - grave_faults[i] - grave_faults[j]
    if change <= 0 or (change == 1 and rng.random() < _CHANCE):
        grave_faults[i], grave_faults[j] = new_faults
    else:
        table[a], other[b] = other[b], table[a]
