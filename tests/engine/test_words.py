from typing import Any

import pytest

from engine import words
from engine.formats import TABLES


@pytest.mark.parametrize("seats", sorted({table.seats for table in TABLES.values()}))
def test_every_table_has_a_name_for_each_seat(seats: Any) -> None:
    names = [words.place(seats, seat) for seat in range(seats)]
    assert len(set(names)) == seats
    assert names[0] == "South"


def test_sides_and_cards_in_words() -> None:
    assert words.side_name(((0, 2), (1, 3)), 0) == "South and North"
    assert words.the_cards([4, 23]) == "the two of clubs and the six of spades"
    assert words.number_word(7) == "seven"
    assert words.number_word(30) == "30"
    assert words.count_of(1, "point") == "1 point"
    assert words.count_of(2, "sweep") == "2 sweeps"
    assert words.rank_name(0) == "ace"
    assert words.rank_plural(5) == "sixes"
