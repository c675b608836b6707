"""Captures against a brute-force division into groups, and the bound on the work (CAS-47)."""

from itertools import islice
from random import Random
from typing import Any

import pytest

from engine import Format, Match
from engine.cards import CODE, RANKS, texts
from engine.games.cassino import capture
from engine.games.cassino.items import PAIR, SUM, CassinoItem, insert
from engine.sums import Sums

FORMATS = [
    "cassino/standard/1v1",
    "cassino/royal/1v1",
    "cassino/royal/1v1?ace_high=true",
    "cassino/standard/1v1?face_pairs=false",
    "cassino/royal/1v1?face_pairs=false",
]


def group(rules: Any, items: Any, rank: Any) -> Any:
    """Whether these items are one group of kind a, b, c or d, by the text of CAS-9."""
    numbers = {rules.number[rank], rules.takes[rank]} - {0}
    if len(items) == 1:
        item = items[0]
        if item.kind == SUM:
            return item.value in numbers  # c
        return item.rank == rank  # a, d
    if any(item.kind == PAIR or not item.value for item in items):
        return False  # CAS-13, CAS-14
    sums = {0}
    for item in items:
        ace = item.rank == 0 and rules.ace_high
        sums = {
            partial + value for partial in sums for value in ((1, 14) if ace else (item.value,))
        }
    return bool(sums & numbers)  # b


def divides(rules: Any, items: Any, rank: Any) -> Any:
    if not items:
        return True
    head, tail = items[0], items[1:]
    for pick in range(1 << len(tail)):
        taken = [item for index, item in enumerate(tail) if pick >> index & 1]
        others = [item for index, item in enumerate(tail) if not pick >> index & 1]
        if group(rules, [head, *taken], rank) and divides(rules, others, rank):
            return True
    return False


def allowed(rules: Any, items: Any, rank: Any) -> Any:
    equal_cards = sum(card >> 2 == rank for item in items for card in item.cards)
    faces = rank >= 10 and not rules.face_pairs and equal_cards == 2  # CAS-13
    return bool(items) and divides(rules, items, rank) and not faces


def random_table(rules: Any, rng: Any, size: Any) -> Any:
    """A table of loose cards and builds, mostly low, so that sums occur."""
    cards = rng.sample(range(52), 26)
    cards.sort(key=lambda card: (card >> 2) + rng.random() * 12)
    table: list[CassinoItem] = []
    while len(table) < size:
        card = cards.pop()
        number = rules.number[card >> 2]
        other = cards[0]
        total = number + rules.number[other >> 2]
        if rng.random() < 0.25 and number and rules.number[other >> 2] and total <= rules.top:
            insert(table, CassinoItem(SUM, sorted((card, cards.pop(0))), total, -1, 0))
        elif rng.random() < 0.1 and any(c >> 2 == card >> 2 for c in cards):
            twin = next(c for c in cards if c >> 2 == card >> 2)
            cards.remove(twin)
            insert(table, CassinoItem(PAIR, sorted((card, twin)), 0, card >> 2, 0))
        else:
            insert(table, rules.loose[card])
    return table


@pytest.mark.parametrize("text", FORMATS)
def test_captures_are_exactly_the_sets_that_divide_into_groups(text: Any) -> None:
    # CAS-9 to CAS-14, CAS-41, CAS-42; CAS-12: smaller sets are captures too
    rules, rng = Format.parse(text).rules, Random(text)
    for _ in range(25):
        table = random_table(rules, rng, rng.randrange(1, 7))
        size = len(table)
        pairs = sum(item.kind == PAIR for item in table)
        sums = capture.sets_adding_up(table, (2 << max(rules.takes)) - 2)
        assert sums is not None
        for rank in range(13):
            expected = []
            for mask in range((1 << size) - 1, 0, -1):
                items = [item for index, item in enumerate(table) if mask >> (size - 1 - index) & 1]
                legal = allowed(rules, items, rank)
                shape = capture.can_take(rules, items, rank) and (
                    rules.face_pairs or rank < 10 or capture.faces_allowed(table, mask, rank)
                )
                assert shape == legal, (RANKS[rank], [item.id for item in items])
                expected += [mask] if legal else []
            assert capture.all_captures(rules, table, rank, sums, pairs) == expected
            assert list(capture.walk_captures(rules, table, rank)) == expected


@pytest.mark.parametrize("text", FORMATS)
def test_the_walk_and_the_tables_agree_on_wider_tables(text: Any) -> None:
    rules, rng = Format.parse(text).rules, Random(text + " wide")
    for _ in range(10):
        table = random_table(rules, rng, 11)
        pairs = sum(item.kind == PAIR for item in table)
        sums = capture.sets_adding_up(table, (2 << max(rules.takes)) - 2)
        assert sums is not None
        for rank in range(13):
            captures = capture.all_captures(rules, table, rank, sums, pairs)
            if captures is not None:
                assert list(islice(capture.walk_captures(rules, table, rank), 700)) == captures


def test_the_work_for_forty_loose_cards_is_limited(monkeypatch: Any) -> None:
    # CAS-47: counted in states of the search, not in time
    searches: list[Sums] = []

    class Counted(Sums):
        def __init__(self, target: Any, values: Any) -> None:
            super().__init__(target, values)
            searches.append(self)

    monkeypatch.setattr(capture, "Sums", Counted)
    rng = Random(40)
    for text in FORMATS[:3]:
        for _ in range(4):
            cards = rng.sample(range(52), 44)
            match = Match.from_position(
                text, {"table": texts(cards[:40]), "hands": [texts(cards[40:])]}
            )
            searches.clear()
            legal = match.legal_moves()
            assert match.truncated == (len(legal) == 512)
            assert sum(search.nodes for search in searches) < 40_000
            for move in rng.sample(legal, 20):
                searches.clear()
                assert match.is_legal(move)
                ids = move[3:].split(",")
                half = f"{move[:2]}x{','.join(rng.sample(ids, len(ids) // 2))}"
                match.is_legal(half)
                assert sum(search.nodes for search in searches) < 4_000


def test_a_move_beyond_the_list_is_legal() -> None:
    # CAS-46, CAS-47
    cards = [card for card in range(40) if card != CODE["TS"]]
    match = Match.from_position("cassino/standard/1v1", {"table": texts(cards), "hands": [["TS"]]})
    move = "TSxTH"
    assert match.truncated
    assert move not in match.legal_moves()
    assert match.is_legal(move)
    match.play(move)
    assert match.view(0)["captured"][0][-2:] == ["TH", "TS"]
