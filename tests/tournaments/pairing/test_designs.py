"""Block designs: balance, the table of difficult ones, rounds."""

import random
from collections import Counter

import pytest

from tournaments.pairing import designs
from tournaments.pairing.hard_designs import HARD


@pytest.mark.parametrize("key", HARD, ids=str)
def test_tabulated_designs_have_even_differences(key: tuple[int, int]) -> None:
    entrants, sides = key
    meetings = Counter(
        (x - y) % entrants for block in HARD[key] for x in block for y in block if x != y
    )
    counts = [meetings[d] for d in range(1, entrants)]
    assert all(len(set(block)) == sides for block in HARD[key])
    assert min(counts) >= 1
    assert max(counts) <= min(counts) + 1


def test_tabulated_designs_are_used() -> None:
    assert len(designs.balanced_pairings(57, 8, 1)) == 57  # the plane of order seven
    assert len(designs.balanced_pairings(43, 7, 1)) == 86  # there is no plane of order six


def test_a_design_without_a_second_half_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    once = designs.balanced_pairings(13, 4, 1)
    monkeypatch.setattr(designs, "_search", lambda *_: ())
    monkeypatch.setitem(HARD, (13, 4), once[::13])
    designs.balanced_pairings.cache_clear()
    try:
        assert designs.balanced_pairings(13, 4, 3) == designs.balanced_pairings(13, 4, 1) * 3
        with pytest.raises(ValueError, match="14 entrants at tables of 4"):
            designs.balanced_pairings(14, 4, 1)
    finally:
        designs.balanced_pairings.cache_clear()


def test_shuffling_keeps_all_items_and_is_repeatable() -> None:
    assert sorted(designs.shuffled(range(20), random.Random(1))) == list(range(20))
    assert designs.shuffled(range(8), random.Random("x")) == [7, 0, 6, 1, 3, 2, 4, 5]


def test_splitting_into_rounds_keeps_every_deal_group() -> None:
    deal_groups = [(0, 1), (1, 2), (2, 0), (3, 4), (0, 1)]
    rounds = designs.arrange_rounds(deal_groups, 5)
    assert sorted(f for r in rounds for f in r) == sorted(deal_groups)
    assert len(rounds) == 4
