"""Perfect matchings of least cost."""

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
        for more in all_pairings(rest):
            yield [(players[0], other), *more]


@settings(max_examples=50, deadline=None)
@given(st.sampled_from([2, 4, 6, 8]), st.integers(0, 10**6), st.floats(0, 0.7))
def test_no_other_way_costs_less(players: int, seed: int, forbidden: float) -> None:
    """Against all ways; costs have two parts of which the first comes first."""
    rng = Random(seed)
    costs: dict[Pairing, Cost | None] = {
        pair: None if rng.random() < forbidden else (rng.randrange(3), rng.randrange(100))
        for pair in combinations(range(players), 2)
    }

    def total(pairs: list[Pairing]) -> Cost | None:
        each = [costs[pair] for pair in pairs]
        known = [cost for cost in each if cost is not None]
        if len(known) < len(each):
            return None
        return tuple(map(sum, zip(*known, strict=True)))

    ways = [cost for cost in map(total, all_pairings(tuple(range(players)))) if cost is not None]
    found = pairs_of_least_cost(range(players), lambda a, b: costs[a, b], "lot")
    if found is None:
        assert not ways
    else:
        assert total(found) == min(ways)


def test_the_lot_decides_between_equals() -> None:
    def equal(_a: int, _b: int) -> Cost:
        return (0,)

    draws = [pairs_of_least_cost(range(8), equal, str(lot)) for lot in range(20)]
    assert len({str(draw) for draw in draws}) > 10
    assert draws == [pairs_of_least_cost(range(8)[::-1], equal, str(lot)) for lot in range(20)]


def test_an_odd_number_cannot_be_paired_and_nobody_can() -> None:
    assert pairs_of_least_cost([1, 2, 3], lambda a, b: (0,), "lot") is None
    assert pairs_of_least_cost([], lambda a, b: (0,), "lot") == []


def test_a_group_of_an_odd_number_is_not_cut_off() -> None:
    """Two groups of 25 that cost nothing inside: one of each must meet the other."""
    found = pairs_of_least_cost(range(50), lambda a, b: (int((a < 25) != (b < 25)),), "lot")
    assert found is not None
    assert sum((a < 25) != (b < 25) for a, b in found) == 1


def test_all_pairs_are_looked_at_where_the_cheapest_leave_somebody_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Fifty who would all sooner meet one of 34, so that sixteen must meet each other."""

    def cost(a: int, b: int) -> Cost | None:
        return (0,) if a < 34 else (1,) if b - a == 25 else None

    found = pairs_of_least_cost(range(84), cost, "lot")
    assert found is not None
    assert sorted(player for pair in found for player in pair) == list(range(84))
    assert sum(min(pair) >= 34 for pair in found) == 8
    monkeypatch.setattr(matching, "_ALL", 83)
    assert pairs_of_least_cost(range(84), cost, "lot") is None


@pytest.mark.parametrize("players", [30, 60])
def test_looking_at_the_cheapest_finds_what_looking_at_all_finds(
    players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = Random("scores")
    scores = sorted((rng.randrange(20) for _ in range(players)), reverse=True)

    def cost(a: int, b: int) -> Cost:
        return ((scores[a] - scores[b]) ** 2,)

    quick = pairs_of_least_cost(range(players), cost, "lot")
    monkeypatch.setattr(matching, "_CHEAPEST", ())
    exact = pairs_of_least_cost(range(players), cost, "lot")
    assert quick is not None
    assert exact is not None
    assert sum(cost(*pair)[0] for pair in quick) == sum(cost(*pair)[0] for pair in exact)


def test_the_library_is_imported_only_to_pair() -> None:
    code = "import sys, tournaments.pairing; print('networkx' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
