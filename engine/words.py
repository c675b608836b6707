"""Words for what is seen at the table, shared by the games' sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.cards import RANK_NAMES, RANK_PLURALS, name
from engine.formats import listed

# Where the seats sit, seat 0 in the south, then clockwise.
_PLACES: Final[dict[int, tuple[str, ...]]] = {
    2: ("South", "North"),
    3: ("South", "West", "East"),
    4: ("South", "West", "North", "East"),
    5: ("South", "South-west", "North-west", "North-east", "South-east"),
    6: ("South", "South-west", "North-west", "North", "North-east", "South-east"),
    7: ("South", "South-west", "West", "North-west", "North-east", "East", "South-east"),
    8: (
        *("South", "South-west", "West", "North-west"),
        *("North", "North-east", "East", "South-east"),
    ),
}
_NUMBERS: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen"),
)


def place(seats: int, seat: int) -> str:
    """The name of a seat at a table of so many: ``South``."""
    return _PLACES[seats][seat]


def side_name(sides: Sequence[Sequence[int]], side: int) -> str:
    """The name of a side by its seats: ``South and North``."""
    seats = sum(map(len, sides))
    return listed([place(seats, seat) for seat in sides[side]])


def the_cards(cards: Sequence[int]) -> str:
    """``the two of hearts and the six of diamonds``."""
    return listed([f"the {name(card)}" for card in cards])


def number_word(number: int) -> str:
    """A small number as a word, else its digits."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def rank_plural(rank: int) -> str:
    """``sixes``."""
    return RANK_PLURALS[rank]


def rank_name(rank: int) -> str:
    """``six``."""
    return RANK_NAMES[rank]


def count_of(number: int, one: str, many: str = "") -> str:
    """``1 point``, ``3 points``."""
    return f"{number} {one if number == 1 else many or one + 's'}"
