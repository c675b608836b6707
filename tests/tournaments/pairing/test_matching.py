"""Perfect matchings of minimal cost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.pairing import Pairing, matching
from tournaments.pairing.matching import Cost, pairs_of_least_cost


def all_pairings(players: tuple[int, ...]) -> Iterator[list[Pairing]]:
    if not players:
        yield []
        return
    for other in players[1:]:
        rest = tuple(player for player in players[1:] if player != other)
        for other_pairs in all_pairings(rest):
            yield [(players[0], other), *other_pairs]


@settings(max_examples=50, deadline=None)
@given(st.sampled_from([2, 4, 6, 8]), st.integers(0, 10**6), st.floats(0, 0.7))
def test_no_other_matching_costs_less(players: int, seed: int, forbidden: float) -> None:
    """Compare with all matchings; costs have two parts, compared in order."""
    rng = Random(seed)
    costs: dict[Pairing, Cost | None] = {
        pair: None if rng.random() < forbidden else (rng.randrange(3), rng.randrange(100))
        for pair in combinations(range(players), 2)
    }

    def total(pairs: list[Pairing]) -> Cost | None:
        pair_costs = [costs[pair] for pair in pairs]
        finite = [cost for cost in pair_costs if cost is not None]
        if len(finite) < len(pair_costs):
            return None
        return tuple(map(sum, zip(*finite, strict=True)))

    ways = [cost for cost in map(total, all_pairings(tuple(range(players)))) if cost is not None]
    pairs = pairs_of_least_cost(range(players), lambda a, b: costs[a, b], "lot")
    if pairs is None:
        assert not ways
    else:
        assert total(pairs) == min(ways)


def test_the_lot_decides_between_equal_matchings() -> None:
    def equal(_a: int, _b: int) -> Cost:
        return (0,)

    draws = [pairs_of_least_cost(range(8), equal, str(lot)) for lot in range(20)]
    assert len({str(draw) for draw in draws}) > 10
    assert draws == [pairs_of_least_cost(range(8)[::-1], equal, str(lot)) for lot in range(20)]


def test_odd_numbers_are_refused_and_none_is_allowed() -> None:
    assert pairs_of_least_cost([1, 2, 3], lambda a, b: (0,), "lot") is None
    assert pairs_of_least_cost([], lambda a, b: (0,), "lot") == []


def test_two_odd_groups_exchange_one_entrant() -> None:
    """Two groups of 25 with free pairs inside: one member of each must meet the other."""
    pairs = pairs_of_least_cost(range(50), lambda a, b: (int((a < 25) != (b < 25)),), "lot")
    assert pairs is not None
    assert sum((a < 25) != (b < 25) for a, b in pairs) == 1


def test_all_pairs_are_searched_if_the_cheapest_do_not_suffice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Fifty entrants that all prefer one of 34, so that sixteen must meet each other."""

    def cost(a: int, b: int) -> Cost | None:
        return (0,) if a < 34 else (1,) if b - a == 25 else None

    pairs = pairs_of_least_cost(range(84), cost, "lot")
    assert pairs is not None
    assert sorted(player for pair in pairs for player in pair) == list(range(84))
    assert sum(min(pair) >= 34 for pair in pairs) == 8
    monkeypatch.setattr(matching, "_ALL", 83)
    assert pairs_of_least_cost(range(84), cost, "lot") is None


@pytest.mark.parametrize("players", [30, 60])
def test_searching_the_cheapest_pairs_gives_the_optimum(
    players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = Random("scores")
    scores = sorted((rng.randrange(20) for _ in range(players)), reverse=True)

    def cost(a: int, b: int) -> Cost:
        return ((scores[a] - scores[b]) ** 2,)

    pairs = pairs_of_least_cost(range(players), cost, "lot")
    monkeypatch.setattr(matching, "_CHEAPEST", ())
    exact = pairs_of_least_cost(range(players), cost, "lot")
    assert pairs is not None
    assert exact is not None
    assert sum(cost(*pair)[0] for pair in pairs) == sum(cost(*pair)[0] for pair in exact)


def test_networkx_is_imported_only_for_pairing() -> None:
    code = "import sys, tournaments.pairing; print('networkx' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
