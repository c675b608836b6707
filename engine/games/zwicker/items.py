"""Items on Zwicker's table: loose cards and builds (ZWI-9)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from engine.cards import CODE, FIRST_JOKER, TEXT
from engine.fishing import TableItem

if TYPE_CHECKING:
    from engine.games.zwicker.json_types import ItemJson

CARD: Final = re.compile(r"X(?:15|20|25|30)?|[A2-9TJQK][CDHS]")
_JOKER: Final = CODE["X"]
HIGHEST: Final = 30  # the largest number of the grammar (ZWI-47)

_BUILD: Final = re.compile(r"\[([0-9A-Z+]+)=([1-9][0-9]?)\]")


class ZwickerItem(TableItem):
    """One item of the table.

    `values`: its possible numbers in a sum, from which the taker chooses (ZWI-13). `rank`: the rank
    of a loose card, -1 for jokers and builds. `joker`: whether it is a wild joker, or a build that
    contains one (ZWI-24). `bits`: the values as a set, bit v for value v. Equal items have equal
    `key`; sorting by it gives the item order (ZWI-48).
    """

    __slots__ = ("_declared", "bits", "joker", "key", "rank", "values")

    def __init__(self, cards: Sequence[int], values: tuple[int, ...], by: int) -> None:
        text = TEXT[cards[0]]
        if len(cards) > 1:
            text = f"[{'+'.join([TEXT[card] for card in cards])}={values[0]}]"
        super().__init__(cards, text, by)
        self.values: tuple[int, ...] = values
        self.bits: int = value_bits(values)
        self.joker: bool = _JOKER in self.cards
        self.rank: int = -1
        if len(self.cards) == 1 and cards[0] < FIRST_JOKER:
            self.rank = cards[0] >> 2
        self.key: tuple[tuple[int, ...], int] = (self.cards, values[0])
        self._declared: list[str] = []  # by value

    def declared(self, value: int) -> str:
        """The item's text with the value of a build on it, as in a move; cached."""
        if not self._declared:
            self._declared = [""] * (HIGHEST + 1)
        text = self._declared[value]
        if not text:
            text = self._declared[value] = f"{self.id}={value}"
        return text

    def view(self) -> ItemJson:
        """The item in the form of ZWI-51."""
        return {
            "id": self.id,
            "kind": "card" if len(self.cards) == 1 else "sum",
            "cards": [TEXT[card] for card in self.cards],
            "value": self.values[0] if len(self.values) == 1 else None,
            "by": None if self.by < 0 else self.by,
        }


def value_bits(values: Iterable[int]) -> int:
    """A set of values as bits."""
    bits = 0
    for value in values:
        bits |= 1 << value
    return bits


def loose_item(card: int, values: tuple[int, ...]) -> ZwickerItem:
    return ZwickerItem((card,), values, -1)


def insert(table: list[ZwickerItem], item: ZwickerItem) -> None:
    """Insert an item after its equals, in item order (ZWI-48)."""
    first = item.cards[0]
    place = len(table)
    while place and table[place - 1].cards[0] > first:
        place -= 1
    while place and table[place - 1].cards[0] == first and table[place - 1].key > item.key:
        place -= 1
    table.insert(place, item)


def parse_build(text: str) -> tuple[list[int], int] | None:
    """The cards and the value of a build's id.

    None unless `text` is in the grammar of ZWI-47, with its cards in card order (ZWI-48).

    >>> parse_build("[3D+4C=7]"), parse_build("[3D=3]")
    (([9, 12], 7), None)
    """
    match = _BUILD.fullmatch(text)
    if match is None:
        return None
    cards = [CODE.get(part, -1) for part in match[1].split("+")]
    if len(cards) < 2 or cards[0] < 0 or sorted(cards) != cards:
        return None
    value = int(match[2])
    return (cards, value) if value <= 30 else None
