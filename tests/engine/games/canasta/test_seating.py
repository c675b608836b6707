"""The draw for seats and partners (CAN-7)."""

import pytest

from engine import Format
from engine.cards import parse_cards
from engine.games.canasta.seating import _Draw, draw_seats

FORMAT = Format.parse("canasta/classic/2v2")


def order(*cards: str) -> list[int]:
    return _Draw(parse_cards(cards), 4).settle([0, 1, 2, 3])


def test_the_highest_card_sits_first_and_suits_break_ties() -> None:
    # CAN-7: A high, 2 low; spades, hearts, diamonds, clubs
    assert order("2S", "AC", "KS", "3D") == [1, 2, 3, 0]
    assert order("9C", "9S", "9D", "9H") == [1, 3, 2, 0]


def test_jokers_are_drawn_again_and_equal_cards_settle_their_own_order() -> None:
    # CAN-7
    assert order("X", "5C", "X", "6C", "X", "AS", "4C") == [2, 3, 1, 0]
    assert order("9C", "KS", "9C", "KS", "4C", "5C", "AS", "2S") == [3, 1, 0, 2]
    assert order("9C", "9C", "AS", "2C", "X", "3D", "4D") == [2, 0, 1, 3]


def test_seats_follow_from_the_seed() -> None:
    # CAN-7: the second highest is the partner of the highest
    drawn = draw_seats(FORMAT, "demo")
    assert sorted(drawn.seats) == [0, 1, 2, 3]
    assert drawn == draw_seats(FORMAT, "demo")
    assert any(draw_seats(FORMAT, str(n)).seats != drawn.seats for n in range(9))
    best = max(range(4), key=lambda entrant: _value(drawn.cards[entrant][-1]))
    assert drawn.seats[best] == 0


def _value(card: str) -> int:
    return "23456789TJQKA".index(card[0]) * 4 + "CDHS".index(card[1])


def test_other_tables_have_fixed_partners() -> None:
    with pytest.raises(ValueError, match="drawn for 2v2"):
        draw_seats(Format.parse("canasta/classic/3v3"), "demo")
