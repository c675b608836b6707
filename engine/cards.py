"""Cards as small integers whose natural order is the card order of the rules.

A card is ``rank * 4 + suit`` (rank 0 = ace … 12 = king, suit 0 = clubs … 3 = spades), so sorting
the numbers sorts by rank, then suit, jokers last. Cards are texts only in data that enters or
leaves the engine.

>>> parse_cards(["AC", "TD", "X15"])
[0, 37, 53]
>>> texts([0, 37, 53])
['AC', 'TD', 'X15']
>>> name(34)
'nine of hearts'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
JOKERS: Final = ("X", "X15", "X20", "X25", "X30")
FIRST_JOKER: Final = 52

TEXT: Final[tuple[str, ...]] = (*(rank + suit for rank in RANKS for suit in SUITS), *JOKERS)
CODE: Final[dict[str, int]] = {text: card for card, text in enumerate(TEXT)}

_SUITED: Final = [rank * 4 + suit for suit in range(4) for rank in range(13)]

RANK_NAMES: Final = (
    "ace",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
)
RANK_PLURALS: Final = tuple(name + ("es" if name == "six" else "s") for name in RANK_NAMES)
SUIT_NAMES: Final = ("clubs", "diamonds", "hearts", "spades")


class CardGroup(NamedTuple):
    """Cards that lie together in a picture, as texts, with a label below."""

    label: str
    cards: tuple[str, ...]
    fanned: bool = False  # whether they overlap


MAX_PICTURED: Final = 4
"""Maximum number of melds, masts or paks in a picture; with more, the cards would be too small."""


def longest(label: str, rows: Iterable[tuple[str, ...]]) -> list[CardGroup]:
    """The longest rows of cards as groups of a picture; of equally long rows, the first."""
    rows = sorted(rows, key=len, reverse=True)[:MAX_PICTURED]
    return [CardGroup(label, row, fanned=True) for row in rows]


def parse_card(text: object) -> int:
    """The card that `text` denotes; ValueError explains the notation of cards."""
    card = CODE.get(text) if isinstance(text, str) else None
    if card is None:
        raise ValueError(
            f"{text!r} is not a card. A card is a rank ({' '.join(RANKS)}) and a suit "
            f"({' '.join(SUITS)}), such as TD, or a joker ({' '.join(JOKERS)})."
        )
    return card


def parse_cards(texts: object) -> list[int]:
    """The cards of a list of texts, in the same order."""
    if isinstance(texts, str) or not isinstance(texts, Sequence):
        raise ValueError(f"{texts!r} is not a list of cards, such as ['6C', 'TD'].")  # noqa: TRY004 - bad input is a ValueError by contract
    return [parse_card(text) for text in texts]


def insert_card(cards: list[int], card: int) -> None:
    """Insert a card into a list in card order. (Compiled, faster than `bisect.insort`.)"""
    place = len(cards)
    while place and cards[place - 1] > card:
        place -= 1
    cards.insert(place, card)


def texts(cards: Iterable[int]) -> list[str]:
    """The texts of `cards`, in the same order."""
    return [TEXT[card] for card in cards]


def mask_texts(mask: int) -> list[str]:
    """The texts of a set of cards in a bit mask, in card order.

    >>> mask_texts(mask_of([3, 1]))
    ['AD', 'AS']
    """
    names: list[str] = []
    while mask:
        lowest = mask & -mask
        names.append(TEXT[lowest.bit_length() - 1])
        mask ^= lowest
    return names


def pack(jokers: Sequence[str] = ()) -> list[int]:
    """One fresh pack: the suits C D H S, each from A to K, then `jokers`."""
    return _SUITED + [CODE[joker] for joker in jokers]


def mask_cards(mask: int) -> list[int]:
    """The cards of a set in a bit mask, in card order.

    >>> mask_cards(mask_of([3, 1]))
    [1, 3]
    """
    cards: list[int] = []
    while mask:
        lowest = mask & -mask
        cards.append(lowest.bit_length() - 1)
        mask ^= lowest
    return cards


def mask_of(cards: Iterable[int]) -> int:
    """The set of `cards` as a bit mask: bit c for card c."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def name(card: int) -> str:
    """The name of a card: ``nine of hearts``, ``joker``, ``joker 15``."""
    if card >= FIRST_JOKER:
        return f"joker {TEXT[card][1:]}".strip()
    return f"{RANK_NAMES[card >> 2]} of {SUIT_NAMES[card & 3]}"
