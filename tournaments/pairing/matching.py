"""Pairs of near scores by a perfect matching of least cost (Edmonds 1965).

What a pair costs is a tuple of whole numbers, the gravest first: no number of small faults
outweighs one grave one. Last comes a draw by lot, which makes the best matching unique: so every
correct algorithm, in whatever version, finds the same.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import TypeAlias

from tournaments.pairing.types import Pairing

Cost: TypeAlias = tuple[int, ...]
"""Faults of a pair, gravest first; all costs of a matching have the same length."""

_CHEAPEST = (8, 30)
"""How many of its cheapest partners everybody is tried with, before all pairs are."""

_NEIGHBOURS = 3
"""How many neighbours before and behind it as well, so that no group is cut off from the next."""

_ALL = 128
"""Up to this many players, all pairs may be looked at; with more that takes too long."""

_LOT = 48
"""Bits of the draw by lot."""


def pairs_of_least_cost(
    players: Sequence[int], cost: Callable[[int, int], Cost | None], lot: str
) -> list[Pairing] | None:
    """Pair all players (best first) at the least cost; None where that is impossible.

    `cost` gets the smaller number first and gives None for a forbidden pair. `lot` decides between
    equals. Where there are many players, only neighbours, and pairs that are among the cheapest of
    one of the two, are looked at first: the sum may then be a little above the minimum. All pairs
    are looked at if that leaves anybody over and there are at most `_ALL` players.
    """
    if len(players) % 2:
        return None
    costs: dict[Pairing, Cost] = {}
    for a, b in combinations(sorted(players), 2):
        found = cost(a, b)
        if found is not None:
            costs[a, b] = (*found, _drawn(lot, a, b))
    for cheapest in _CHEAPEST:
        if cheapest + 1 < len(players):
            matched = _matched(_some(costs, players, cheapest), len(players))
            if matched is not None:
                return matched
    return _matched(costs, len(players)) if len(players) <= _ALL else None


def _drawn(lot: str, a: int, b: int) -> int:
    digest = hashlib.blake2b(f"{lot}/{a}/{b}".encode(), digest_size=_LOT // 8).digest()
    return int.from_bytes(digest, "big")


def _some(costs: dict[Pairing, Cost], players: Sequence[int], cheapest: int) -> dict[Pairing, Cost]:
    """The pairs of neighbours, and those that are among the `cheapest` of one of the two."""
    of: dict[int, list[tuple[Cost, Pairing]]] = {}
    for pair, each in costs.items():
        for player in pair:
            of.setdefault(player, []).append((each, pair))
    kept = {pair for pairs in of.values() for _, pair in sorted(pairs)[:cheapest]}
    for index, a in enumerate(players):
        for b in players[index + 1 : index + 1 + _NEIGHBOURS]:
            kept.add((min(a, b), max(a, b)))
    return {pair: costs[pair] for pair in sorted(kept) if pair in costs}


def _matched(costs: dict[Pairing, Cost], players: int) -> list[Pairing] | None:
    # Half a second to import, and most commands never pair by results.
    import networkx as nx

    if not costs:
        return None if players else []
    graph = nx.Graph()
    weights = _weights(costs.values(), players)
    graph.add_weighted_edges_from(
        (a, b, weight) for (a, b), weight in zip(costs, weights, strict=True)
    )
    found = nx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(found) < players:
        return None
    return sorted((min(pair), max(pair)) for pair in found)


def _weights(costs: Iterable[Cost], players: int) -> list[int]:
    """One whole number for each cost, larger for a lower one; sums of a matching keep the order."""
    rows = list(costs)
    sums = [0] * len(rows)
    for column in zip(*rows, strict=True):
        # What all pairs of a matching can cost in this column stays below one step of the last.
        step = players // 2 * max(column) + 1
        sums = [sum_ * step + part for sum_, part in zip(sums, column, strict=True)]
    most = max(sums)
    return [most - sum_ for sum_ in sums]
