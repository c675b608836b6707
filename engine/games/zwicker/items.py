"""Items on Zwicker's table: loose cards and builds (ZWI-9)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from engine.cards import CODE, FIRST_JOKER, TEXT, insert_card
from engine.fishing import TableItem

if TYPE_CHECKING:
    from engine.games.zwicker.json_types import ItemJson

CARD: Final = re.compile(r"X(?:15|20|25|30)?|[A2-9TJQK][CDHS]")
_JOKER: Final = CODE["X"]
HIGHEST: Final = 30  # the largest value that a move can write (ZWI-47)

_BUILD: Final = re.compile(r"\[([0-9A-Z+]+)=([1-9][0-9]?)\]")


class ZwickerItem(TableItem):
    """One item of the table.

    `values`: the possible values of the item in a sum; the seat that takes it chooses (ZWI-13).
    `value`: the only possible value, 0 if there are several. `bits`: `values` as a bit mask, bit v
    for value v. `rank`: the rank of a loose card, -1 for jokers and builds. `joker`: whether the
    item is a wild joker or a build that contains one (ZWI-24).
    """

    __slots__ = ("_card_texts", "_view", "bits", "joker", "rank", "value", "values")

    def __init__(self, cards: Sequence[int], values: tuple[int, ...], by: int) -> None:
        own_cards = tuple(cards)
        text = TEXT[own_cards[0]]
        if len(own_cards) > 1:
            text = f"[{'+'.join([TEXT[card] for card in own_cards])}={values[0]}]"
        super().__init__(own_cards, text, by)
        self.values: tuple[int, ...] = values
        self.value: int = values[0] if len(values) == 1 else 0
        self.bits: int = value_bits(values)
        self.joker: bool = own_cards[-1] == _JOKER  # no card of its pack is higher
        self.rank: int = -1
        if len(own_cards) == 1 and own_cards[0] < FIRST_JOKER:
            self.rank = own_cards[0] >> 2
        self._view: ItemJson | None = None
        self._card_texts: list[str] = []  # those of `_view`

    @property
    def key(self) -> tuple[tuple[int, ...], int]:
        """Equal for equal items; items are ordered by it (ZWI-48)."""
        return self.cards, self.values[0]

    def with_card(self, card: int, value: int, by: int) -> ZwickerItem:
        """The build of this value that seat `by` makes when it lays a card on this item."""
        cards = list(self.cards)
        insert_card(cards, card)
        return ZwickerItem(cards, (value,), by)

    def view(self) -> ItemJson:
        """The item as views show it (ZWI-51)."""
        if self._view is None:
            self._view = self._make_view()
            self._card_texts = self._view["cards"]
        view = self._view.copy()
        view["cards"] = self._card_texts[:]
        return view

    def _make_view(self) -> ItemJson:
        return {
            "id": self.id,
            "kind": "card" if len(self.cards) == 1 else "sum",
            "cards": [TEXT[card] for card in self.cards],
            "value": self.values[0] if len(self.values) == 1 else None,
            "by": None if self.by < 0 else self.by,
        }


def value_bits(values: tuple[int, ...]) -> int:
    """A set of values as bits."""
    bits = 0
    for value in values:
        bits |= 1 << value
    return bits


def loose_item(card: int, values: tuple[int, ...]) -> ZwickerItem:
    return ZwickerItem((card,), values, -1)


def insert(table: list[ZwickerItem], item: ZwickerItem) -> None:
    """Insert an item into a table in item order, after equal items (ZWI-48)."""
    first = item.first
    place = len(table)
    while place and table[place - 1].first > first:
        place -= 1
    while place and table[place - 1].first == first and table[place - 1].key > item.key:
        place -= 1
    table.insert(place, item)


def parse_build(text: str) -> tuple[list[int], int] | None:
    """The cards and the value of a build, read from its id (ZWI-47).

    None if `text` is not the id of a build with its cards in card order (ZWI-48).

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
