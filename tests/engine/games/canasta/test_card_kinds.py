"""Kinds of cards and their points (CAN-2, CAN-3)."""

from engine.cards import CODE
from engine.games.canasta.card_kinds import (
    CARDS,
    KIND,
    POINTS,
    SYMBOLS,
    freezes,
    kind_counts,
    lowest,
)


def points(card: str) -> int:
    return POINTS[KIND[CODE[card]]]


def test_kinds_and_points() -> None:
    # CAN-2, CAN-3
    assert [SYMBOLS[KIND[CODE[card]]] for card in ("3C", "3S", "3D", "3H", "X", "2H", "TD")] == [
        *("3", "3", "R", "R", "X", "2", "T"),
    ]
    assert [points(card) for card in ("X", "2C", "AC", "KC", "8D", "7D", "4S", "3C", "3D")] == [
        *(50, 20, 20, 10, 10, 5, 5, 5, 0),
    ]
    assert [SYMBOLS[kind] for kind in range(15) if freezes(kind)] == ["2", "R", "X"]  # CAN-25
    assert sum(map(len, CARDS)) == 53


def test_a_move_takes_the_lowest_card_of_its_kind() -> None:
    # CAN-84
    hand = [CODE[card] for card in ("3S", "KC", "KH", "X")]
    assert hand[lowest(hand, SYMBOLS.index("K"))] == CODE["KC"]
    assert lowest(hand, SYMBOLS.index("R")) == -1
    assert kind_counts(hand)[SYMBOLS.index("K")] == 2
