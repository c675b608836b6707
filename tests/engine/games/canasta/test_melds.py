"""Melds on the table (CAN-36, CAN-41, CAN-44, CAN-72)."""

from typing import Any

import pytest

from engine.cards import parse_cards
from engine.games.canasta.card_kinds import SYMBOLS
from engine.games.canasta.melds import Meld, meld_counts_of, merged_melds, parse_meld, sorted_melds


def meld(text: str, number: int = 1) -> Meld:
    return parse_meld(parse_cards(text.split()), number)


@pytest.mark.parametrize(
    ("text", "rank", "wild", "canasta", "points"),
    [
        ("KC KD X", "K", 1, None, 70),
        ("AC AD AH", "A", 0, None, 60),
        ("5C 5D 5H 5S 5C 5D 5H", "5", 0, "natural", 35),
        ("5C 5D 5H 5S 5C 2D X", "5", 2, "mixed", 95),
    ],
)
def test_rank_wild_cards_canasta_and_points(
    text: Any, rank: Any, wild: Any, canasta: Any, points: Any
) -> None:
    # CAN-3, CAN-44
    parsed_meld = meld(text)
    assert (SYMBOLS[parsed_meld.kind], parsed_meld.wild) == (rank, wild)
    assert (parsed_meld.canasta, parsed_meld.points) == (canasta, points)
    assert parsed_meld.view()["canasta"] == canasta


@pytest.mark.parametrize("text", ["KC KD", "KC QC X", "2C 2D X", ""])
def test_invalid_melds(text: Any) -> None:
    # CAN-36
    with pytest.raises(ValueError, match="is not a meld"):
        meld(text)


def test_a_grown_meld_is_another_object() -> None:
    # CAN-42
    original = meld("KC KD KH", number=4)
    grown = original.with_cards(parse_cards(["2C"]))
    assert len(original.cards) == 3
    assert grown.view() == {
        "rank": "K",
        "cards": ["2C", "KC", "KD", "KH"],
        "wild": 1,
        "canasta": None,
    }
    assert (grown.order, grown.opened_in_turn) == (4, original.opened_in_turn)


def test_order_and_shapes() -> None:
    # CAN-41, CAN-94: by rank, then in the order of making
    melds = [meld("KC KD KH", 1), meld("9C 9D X", 2), meld("KS KC 2D", 3)]
    ordered = sorted_melds(melds[::-1])
    assert [(SYMBOLS[found.kind], found.order) for found in ordered] == [
        ("9", 2),
        ("K", 1),
        ("K", 3),
    ]
    shapes = meld_counts_of(ordered)
    assert shapes[melds[0].kind] == ((3, 0), (2, 1))
    assert shapes[melds[1].kind] == ((2, 1),)
    assert sum(map(len, shapes)) == 3


def test_joined_sides_merge_melds_of_equal_rank() -> None:
    # CAN-72
    merged = merged_melds([meld("KS KC X", 3), meld("9C 9D 9H", 2), meld("KC KD KH 2C", 1)])
    assert [(SYMBOLS[found.kind], len(found.cards), found.wild) for found in merged] == [
        ("9", 3, 0),
        ("K", 7, 2),
    ]
    assert merged[1].canasta == "mixed"
    assert merged[1].order == 1
