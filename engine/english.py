"""Words for what is seen at the table, shared by the games' sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from engine.cards import CODE, RANK_NAMES, RANK_PLURALS, name
from engine.declarations import listed
from engine.game import Format, Telling

# Where the seats sit, seat 0 in the south, then clockwise.
_PLACES: Final[dict[int, tuple[str, ...]]] = {
    2: ("South", "North"),
    3: ("South", "West", "East"),
    4: ("South", "West", "North", "East"),
    5: ("South", "South-west", "North-west", "North-east", "South-east"),
    6: ("South", "South-west", "North-west", "North", "North-east", "South-east"),
    7: ("South", "South-west", "West", "North-west", "North-east", "East", "South-east"),
    8: (
        "South",
        "South-west",
        "West",
        "North-west",
        "North",
        "North-east",
        "East",
        "South-east",
    ),
}
_NUMBERS: Final = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
)
_ENDINGS: Final = {  # by the reason of a result
    "target": "The target is reached",
    "count": "Several have the target, and the deal is counted again",
    "claim": "The claim is right",
    "false_claim": "The claim is wrong",
    "deals": "The last deal is played",
    "decks": "No deck is left",
    "position": "The position is played out",
}


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


def the_card(text: str) -> str:
    """A card by its text: ``the two of hearts``."""
    return f"the {name(CODE[text])}"


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


def last_cards(who: str, cards: Sequence[str], clause: str) -> Telling:
    """What is left on the table goes to `who`."""
    left = "card goes" if len(cards) == 1 else f"{number_word(len(cards))} cards go"
    return Telling(f"The last {left} to {who}, who captured last.", clause, tuple(cards))


def points_of(fmt: Format, points: Sequence[int]) -> str:
    """Points by side: ``South 3 points and North 1 point``."""
    return listed(
        [f"{side_name(fmt.sides, side)} {count_of(n, 'point')}" for side, n in enumerate(points)]
    )


def ending(fmt: Format, winners: Sequence[int], reason: str, clauses: Mapping[str, str]) -> Telling:
    """The end of a match: `winners` are sides, `reason` is the result's, `clauses` go by it."""
    names = listed([side_name(fmt.sides, side) for side in winners])
    if len(winners) > 1:
        won = f"a draw between {names}"
    else:
        won = f"{names} {'win' if len(fmt.sides[winners[0]]) > 1 else 'wins'}"
    return Telling(f"{_ENDINGS[reason]}: {won}.", clauses[reason])
