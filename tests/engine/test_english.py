from typing import Any

import pytest

from engine import Format, english
from engine.declarations import TABLES


@pytest.mark.parametrize("seats", sorted({table.seats for table in TABLES.values()}))
def test_every_table_has_a_name_for_each_seat(seats: Any) -> None:
    names = [english.seat_name(seats, seat) for seat in range(seats)]
    assert len(set(names)) == seats
    assert names[0] == "South"


def test_sides_and_cards_in_words() -> None:
    assert english.side_name(((0, 2), (1, 3)), 0) == "South and North"
    assert english.the_cards([4, 23]) == "the two of clubs and the six of spades"
    assert english.number_word(7) == "seven"
    assert english.number_word(30) == "30"
    assert english.count_of(1, "point") == "1 point"
    assert english.count_of(2, "sweep") == "2 sweeps"
    assert english.rank_name(0) == "ace"
    assert english.rank_plural(5) == "sixes"


def test_points_and_remaining_counts() -> None:
    fmt = Format.parse("cassino/standard/2v2")
    assert english.points_of(fmt, [1, 3]) == "@0 and @2 1 point and @1 and @3 3 points"
    assert english.the_card("6C") == "the six of clubs"
    one, two = (english.last_cards(fmt, [0], cards, "CAS-28") for cards in (["6C"], ["6C", "TD"]))
    assert one[:3] == ("The last card goes to South, who captured last.", "CAS-28", ("6C",))
    assert two.sentence == "The last two cards go to South, who captured last."


@pytest.mark.parametrize(
    ("text", "winners", "reason", "sentence"),
    [
        ("cassino/standard/1v1", [1], "target", "The target is reached: North wins."),
        ("cassino/standard/2v2", [1], "deals", "That was the last deal: West and East win."),
        (
            "cassino/standard/1v1",
            [0, 1],
            "decks",
            "No deck is left: a draw between South and North.",
        ),
        ("cassino/standard/1v1", [0], "false_claim", "The claim is wrong: South wins."),
        ("cassino/standard/1v1", [0], "position", "The position is played out: South wins."),
    ],
)
def test_the_end_of_a_match(text: Any, winners: Any, reason: Any, sentence: Any) -> None:
    telling = english.ending(Format.parse(text), winners, reason, {reason: "CAS-39"})
    assert telling[:3] == (sentence, "CAS-39", ())
