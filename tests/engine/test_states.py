"""Fields of positions."""

from __future__ import annotations

import pytest

from engine.cards import parse_cards
from engine.states import card_rows, integer


def test_a_number_in_its_range_or_the_default() -> None:
    assert integer({"deal": 3}, "deal", 0, 3) == 3
    assert integer({}, "deal", 2, 3) == 2
    for wrong in (4, -1, "1", True, 1.0):
        with pytest.raises(ValueError, match="deal is a whole number from 0 to 3"):
            integer({"deal": wrong}, "deal", 0, 3)


def test_rows_of_cards_as_a_list_or_by_number() -> None:
    rows = [parse_cards(["6C", "TD"]), [], []]
    assert card_rows({"hands": [["6C", "TD"]]}, "hands", 3) == rows
    assert card_rows({"hands": {"0": ["6C", "TD"]}}, "hands", 3) == rows
    assert card_rows({}, "hands", 3) == [[], [], []]
    with pytest.raises(ValueError, match="hands: there is no '3'"):
        card_rows({"hands": {"3": []}}, "hands", 3)
    with pytest.raises(ValueError, match="hands is a list of 1 lists"):
        card_rows({"hands": [[], []]}, "hands", 1)
