"""Captures against a brute-force division into groups.

ZWI-10, ZWI-11, ZWI-12, ZWI-13, ZWI-21, ZWI-24, ZWI-25, ZWI-33.
"""

from itertools import combinations, islice
from random import Random
from typing import Any

import pytest

from engine import Format
from engine.cards import CODE, FIRST_JOKER
from engine.games.zwicker import capture
from engine.games.zwicker.capture import (
    Captures,
    capture_lists,
    next_different,
    sets_adding_up,
    sets_by_sum,
    sets_with_sum,
    values_below,
)
from engine.games.zwicker.items import ZwickerItem, insert
from engine.games.zwicker.moves import legal
from engine.games.zwicker.position import full_pack
from engine.sums import Sums

FORMATS = [
    "zwicker/grupp/1v1",
    "zwicker/grupp/ffa5",
    "zwicker/grupp/1v1?joker_table=joker",
    "zwicker/grupp/1v1?joker_table=never",
    "zwicker/grupp/ffa5?joker_single=true",
    "zwicker/christiansen/1v1",
]


def random_table(rules: Any, rng: Random, size: int) -> tuple[list[ZwickerItem], list[int]]:
    """A table with a build or two, and the remaining cards."""
    deck = full_pack(rules)
    rng.shuffle(deck)
    deck.sort(key=lambda card: rng.random() + (card < FIRST_JOKER) * 0.5)  # many jokers
    table: list[ZwickerItem] = []
    for _ in range(size):
        insert(table, rules.loose[deck.pop(0)])
    if rng.random() < 0.5:
        build = ZwickerItem(sorted([deck.pop(0), deck.pop(0)]), (rng.randint(4, 14),), 0)
        insert(table, build)
    return table, deck


def divides(rules: Any, card: int, items: list[ZwickerItem], value: int) -> bool:
    """ZWI-10, by trying every group of the first item."""
    if not items:
        return True
    head, tail = items[0], items[1:]
    equal_cards = card < FIRST_JOKER and len(head.cards) == 1 and head.cards[0] < FIRST_JOKER
    if equal_cards and head.cards[0] >> 2 == card >> 2 and divides(rules, card, tail, value):
        return True
    for size in range(len(tail) + 1):
        for group in combinations(range(len(tail)), size):
            sums = {0}
            for item in (head, *(tail[index] for index in group)):
                sums = {partial + own_value for partial in sums for own_value in item.values}
            remaining = [item for index, item in enumerate(tail) if index not in group]
            if value in sums and divides(rules, card, remaining, value):
                return True
    return False


def captures_by_brute_force(rules: Any, card: int, items: list[ZwickerItem]) -> bool:
    joker = card == CODE["X"]
    for item in items:
        with_joker = CODE["X"] in item.cards
        if with_joker and (
            rules.joker_table == "never" or (rules.joker_table == "joker" and not joker)
        ):
            return False
    if joker and rules.joker_single and len(items) > 1:
        return False
    return any(divides(rules, card, items, value) for value in rules.values[card])


def all_sets(rules: Any, card: int, table: list[ZwickerItem]) -> list[int]:
    """All sets that may be captured, one for each effect, in the order of ZWI-49."""
    count = len(table)
    sets, effects = [], set()
    for mask in range((1 << count) - 1, 0, -1):
        items = [item for index, item in enumerate(table) if mask >> (count - 1 - index) & 1]
        effect = tuple(item.key for item in items)
        if effect not in effects and captures_by_brute_force(rules, card, items):
            effects.add(effect)
            sets.append(mask)
    return sets


@pytest.mark.parametrize("name", FORMATS)
def test_the_walk_agrees_with_brute_force(name: Any) -> None:
    rules = Format.parse(name).rules
    rng = Random(name)
    for _ in range(25):
        table, deck = random_table(rules, rng, rng.randint(1, 6))
        captures = Captures(rules, table)
        cards = sorted(rng.sample(deck, 3))
        expected = [all_sets(rules, card, table) for card in cards]
        assert [list(captures.walk(card)) for card in cards] == expected
        assert (capture_lists(rules, table, cards) or [[], [], []]) == expected


@pytest.mark.parametrize("name", FORMATS)
def test_tabulated_captures_equal_those_of_the_walk(name: Any) -> None:
    """ZWI-49, ZWI-50: two ways to the same list, on tables too wide to try everything."""
    rules = Format.parse(name).rules
    rng = Random(f"few {name}")
    compared = 0
    for _ in range(12):
        table, deck = random_table(rules, rng, rng.randint(7, 10))
        captures = Captures(rules, table)
        for card in rng.sample(deck, 3):
            lists = capture_lists(rules, table, [card])
            if lists is not None:
                assert (lists or [[]]) == [list(captures.walk(card))]
                compared += 1
    assert compared > 3


def test_too_many_captures_are_not_tabulated() -> None:
    rules = Format.parse("zwicker/grupp/ffa5").rules
    table, _ = random_table(rules, Random(5), 30)
    assert sets_by_sum(table, 14) is None
    assert capture_lists(rules, table, [CODE["9S"]]) is None


def test_sets_by_their_sum() -> None:
    """ZWI-13: an ace is 1 or 11, a jack 2 or 12; the first item is the highest bit."""
    rules = Format.parse("zwicker/christiansen/1v1").rules
    found_sets = sets_by_sum([rules.loose[CODE[card]] for card in ("AC", "3D", "JH")], 15)
    assert found_sets is not None
    assert [(value, sorted(sets)) for value, sets in enumerate(found_sets) if sets] == [
        (0, [0]),
        (1, [4]),
        (2, [1]),
        (3, [2, 5]),
        (4, [6]),
        (5, [3]),
        (6, [7]),
        (11, [4]),
        (12, [1]),
        (13, [5]),
        (14, [6]),
        (15, [3]),
    ]


@pytest.mark.parametrize("name", FORMATS)
def test_unrequested_sums_change_nothing(name: Any) -> None:
    rules = Format.parse(name).rules
    rng = Random(f"wanted {name}")
    for _ in range(20):
        table, _ = random_table(rules, rng, rng.randint(0, 6))
        values = rng.sample(range(2, 15), rng.randint(1, 3))
        some_sums, all_sums = (
            sets_adding_up(table, sum(1 << value for value in values)),
            sets_by_sum(table, 14),
        )
        assert some_sums is not None
        assert all_sums is not None
        for value in values:
            assert sorted(sets_with_sum(some_sums, value)) == sorted(all_sums[value])


@pytest.mark.parametrize("name", FORMATS)
def test_the_direct_test_agrees_with_brute_force(name: Any) -> None:
    rules = Format.parse(name).rules
    rng = Random(f"direct {name}")
    for _ in range(120):
        table, deck = random_table(rules, rng, rng.randint(1, 6))
        places = list(range(len(table)))
        assert Captures(rules, table).allows(deck[0], places) == captures_by_brute_force(
            rules, deck[0], table
        )


def test_equal_items_are_adjacent() -> None:
    """ZWI-48: equal cards are interchangeable."""
    rules = Format.parse("zwicker/grupp/ffa5").rules
    cards = ["4C", "4C", "4D", "X", "X", "X"]
    assert next_different([rules.loose[CODE[card]] for card in cards]) == [2, 2, 3, 6, 6, 6]


def test_only_smaller_values_can_be_in_a_sum_with_others() -> None:
    rules = Format.parse("zwicker/christiansen/1v1").rules
    assert values_below(rules.loose[CODE["AC"]], 11) == (1,)
    assert values_below(rules.loose[CODE["KC"]], 30) == (4, 14)


@pytest.mark.parametrize(
    ("name", "size"), [("zwicker/grupp/ffa5", 90), ("zwicker/christiansen/1v1", 44)]
)
def test_the_work_on_extreme_tables_is_limited(name: Any, size: Any) -> None:
    """ZWI-50, counted in visited states, not in time."""
    rules = Format.parse(name).rules
    table, deck = random_table(rules, Random(3), size)
    captures = Captures(rules, table)
    for card in sorted(set(deck))[:4]:
        assert len(list(islice(captures.walk(card), 128))) > 100
    assert captures._searches is not None
    assert sum(search.nodes for search in captures._searches.values()) < 3_000


@pytest.mark.parametrize(
    ("name", "size", "cards", "seed", "max_states"),
    [
        ("zwicker/christiansen/1v1", 20, 8, 52, 3_000),
        ("zwicker/grupp/1v1", 20, 4, 3, 3_000),
        ("zwicker/christiansen/1v1", 44, 8, 28, 3_000),  # one value once took 65,000 states
        ("zwicker/christiansen/1v1", 44, 8, 52, 3_000),
        ("zwicker/grupp/ffa5", 90, 4, 6, 6_000),
    ],
)
def test_the_work_for_the_worst_lists_is_limited(
    name: Any, size: Any, cards: Any, seed: Any, max_states: Any, monkeypatch: Any
) -> None:
    """ZWI-50: whole lists of 512 moves, the slowest among hundreds of shuffles."""
    rules = Format.parse(name).rules
    deck = full_pack(rules)
    Random(seed).shuffle(deck)
    table: list[ZwickerItem] = []
    for card in deck[:size]:
        insert(table, rules.loose[card])
    searches: list[Sums] = []

    class Counted(Sums):
        def __init__(self, target: Any, values: Any) -> None:
            super().__init__(target, values)
            searches.append(self)

    monkeypatch.setattr(capture, "Sums", Counted)
    legal_list, truncated = legal(rules, sorted(deck[size : size + cards]), table)
    assert len(legal_list) == 512
    assert truncated
    assert sum(search.nodes for search in searches) < max_states
