"""Pair entrants by a perfect matching of least cost (Edmonds 1965).

The cost of a pair is a tuple of whole numbers, gravest fault first; no number of small faults
outweighs a graver one. A last element, drawn by lot, makes the best matching unique, so that every
correct algorithm finds the same one.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import TypeAlias

from tournaments.pairing.types import Pairing

Cost: TypeAlias = tuple[int, ...]
"""Faults of a pair, gravest first; all costs of a matching have the same length."""

_CHEAPEST = (8, 30)
"""The search first tries only each player's 8 cheapest partners, then 30, then all."""

_NEIGHBOURS = 3
"""Neighbours on each side that are always tried; they keep score groups connected."""

_ALL = 128
"""Maximum number of players for trying all pairs; with more it takes too long."""

_LOT = 48
"""Bits of the draw by lot."""


def pairs_of_least_cost(
    players: Sequence[int], cost: Callable[[int, int], Cost | None], lot: str
) -> list[Pairing] | None:
    """Pair all players (best first) at the least cost; None if that is impossible.

    `cost` gets the smaller number first and returns None for a forbidden pair. `lot` seeds the
    draw between equal costs. With many players, only neighbours and each player's cheapest partners
    are tried first; the sum may then be slightly above the minimum. If a player remains without a
    partner, all pairs are tried, for at most `_ALL` players.
    """
    if len(players) % 2:
        return None
    costs: dict[Pairing, Cost] = {}
    for a, b in combinations(sorted(players), 2):
        faults = cost(a, b)
        if faults is not None:
            costs[a, b] = (*faults, _lot_of(lot, a, b))
    for cheapest in _CHEAPEST:
        if cheapest + 1 < len(players):
            matching = _best_matching(_cheap_pairs(costs, players, cheapest), len(players))
            if matching is not None:
                return matching
    return _best_matching(costs, len(players)) if len(players) <= _ALL else None


def _lot_of(lot: str, a: int, b: int) -> int:
    digest = hashlib.blake2b(f"{lot}/{a}/{b}".encode(), digest_size=_LOT // 8).digest()
    return int.from_bytes(digest, "big")


def _cheap_pairs(
    costs: dict[Pairing, Cost], players: Sequence[int], cheapest: int
) -> dict[Pairing, Cost]:
    """The pairs of neighbours, and each player's `cheapest` pairs."""
    by_player: dict[int, list[tuple[Cost, Pairing]]] = {}
    for pair, pair_cost in costs.items():
        for player in pair:
            by_player.setdefault(player, []).append((pair_cost, pair))
    pairs_to_try = {pair for pairs in by_player.values() for _, pair in sorted(pairs)[:cheapest]}
    for index, a in enumerate(players):
        for b in players[index + 1 : index + 1 + _NEIGHBOURS]:
            pairs_to_try.add((min(a, b), max(a, b)))
    return {pair: costs[pair] for pair in sorted(pairs_to_try) if pair in costs}


def _best_matching(costs: dict[Pairing, Cost], players: int) -> list[Pairing] | None:
    # The import takes half a second, and most commands never need it.
    import networkx as nx

    if not costs:
        return None if players else []
    graph = nx.Graph()
    weights = _weights(costs.values(), players)
    graph.add_weighted_edges_from(
        (a, b, weight) for (a, b), weight in zip(costs, weights, strict=True)
    )
    pairs = nx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(pairs) < players:
        return None
    return sorted((min(pair), max(pair)) for pair in pairs)


def _weights(costs: Iterable[Cost], players: int) -> list[int]:
    """A whole number for each cost, larger for lower costs.

    The matching with the greatest sum of weights has the least cost.
    """
    rows = list(costs)
    sums = [0] * len(rows)
    for column in zip(*rows, strict=True):
        # The sum of this column over a matching stays below one step of the column before.
        step = players // 2 * max(column) + 1
        sums = [sum_ * step + part for sum_, part in zip(sums, column, strict=True)]
    largest = max(sums)
    return [largest - sum_ for sum_ in sums]
