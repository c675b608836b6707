"""Words for what is seen at the table, shared by the games' sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from engine.cards import CODE, FIRST_JOKER, RANK_NAMES, RANK_PLURALS, name
from engine.declarations import PLACES, listed
from engine.game import Format, Telling
from engine.parts import Part, Path

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
_SIGNS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
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
    return PLACES[seats][seat]


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


def sign(text: str) -> str:
    """A card in as few characters as a table has room for.

    >>> sign("9C"), sign("TD"), sign("X"), sign("X15")
    ('9♣', '10♦', 'a joker', 'joker 15')
    """
    if text == "X":
        return "a joker"
    if CODE[text] >= FIRST_JOKER:
        return name(CODE[text])
    return ("10" if text[0] == "T" else text[0]) + _SIGNS[text[1]]


def signs(texts: Sequence[str]) -> str:
    """``2♦ and 7♥``."""
    return listed([sign(text) for text in texts])


def card_parts(cards: Sequence[str], kind: str = "hand") -> dict[str, Part]:
    """The cards of a list of the view, by their texts, equal ones together.

    `kind`: of the parts, and the view's key of the list.
    """
    where: dict[str, list[Path]] = {}
    for at, card in enumerate(cards):
        where.setdefault(card, []).append((kind, at))
    return {card: Part(f"{kind}:{card}", sign(card), tuple(at)) for card, at in where.items()}


def capital(sentence: str) -> str:
    """The same with a large first letter."""
    return sentence[:1].upper() + sentence[1:]


def article(word: str) -> str:
    """``a nine``, ``an ace``."""
    return f"{'an' if word[0] in 'ae' else 'a'} {word}"


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
