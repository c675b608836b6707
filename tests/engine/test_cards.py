from typing import Any

import pytest

from engine import cards


def test_card_order_is_by_rank_then_suit_with_jokers_last() -> None:
    assert cards.TEXT[:5] == ("AC", "AD", "AH", "AS", "2C")
    assert cards.TEXT[-7:] == ("KH", "KS", "X", "X15", "X20", "X25", "X30")
    assert [cards.CODE[text] for text in cards.TEXT] == list(range(57))


def test_fresh_pack_goes_by_suits() -> None:
    pack = cards.texts(cards.pack())
    assert pack[:3] == ["AC", "2C", "3C"]
    assert pack[12:14] == ["KC", "AD"]
    assert len(set(pack)) == 52
    assert cards.texts(cards.pack(["X", "X"]))[-2:] == ["X", "X"]


@pytest.mark.parametrize("text", ["", "1C", "10C", "tc", "CT", "TD ", "X10", None, 3])
def test_an_invalid_card_is_refused_with_the_correct_form(text: Any) -> None:
    with pytest.raises(ValueError, match="A card is a rank"):
        cards.parse_card(text)


def test_a_text_is_not_a_list_of_cards() -> None:
    with pytest.raises(ValueError, match="not a list of cards"):
        cards.parse_cards("TD")
    assert cards.parse_cards(["TD", "AC"]) == [37, 0]


def test_names() -> None:
    assert [cards.name(cards.CODE[text]) for text in ("9H", "AS", "X", "X15")] == [
        "nine of hearts",
        "ace of spades",
        "joker",
        "joker 15",
    ]
    assert cards.RANK_PLURALS[5] == "sixes"
