"""Items on Cassino's table: loose cards, sum builds, pair builds (CAS-7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from engine.cards import CODE, RANKS, TEXT, mask_of
from engine.fishing import TableItem

if TYPE_CHECKING:
    from engine.games.cassino.json_types import ItemJson

CARD: Final = 0
SUM: Final = 1
PAIR: Final = 2
_KINDS: Final[tuple[Literal["card", "sum", "pair"], ...]] = ("card", "sum", "pair")


class CassinoItem(TableItem):
    """One item of the table.

    `kind`: `CARD`, `SUM` or `PAIR`. `value`: the item's number in sums, 0 if it has none (CAS-8,
    CAS-14). `rank`: the rank of a loose card or a pair build, -1 for a sum build. `mask`: the
    item's cards as a bit mask.
    """

    __slots__ = ("_card_texts", "_view", "kind", "mask", "rank", "value")

    def __init__(self, kind: int, cards: Sequence[int], value: int, rank: int, by: int) -> None:
        own_cards = tuple(cards)
        text = TEXT[own_cards[0]]
        if kind != CARD:
            declared = f"={value}" if kind == SUM else f":{RANKS[rank]}"
            text = f"[{'+'.join([TEXT[card] for card in own_cards])}{declared}]"
        super().__init__(own_cards, text, by)
        self.kind: int = kind
        self.value: int = value
        self.rank: int = rank
        self.mask: int = mask_of(cards)
        self._view: ItemJson | None = None
        self._card_texts: list[str] = []  # those of `_view`

    def count(self, rank: int) -> int:
        """The number of cards of this rank in the item."""
        return sum([card >> 2 == rank for card in self.cards])

    def view(self) -> ItemJson:
        """The item as views show it (CAS-48)."""
        if self._view is None:
            self._view = self._make_view()
            self._card_texts = self._view["cards"]
        view = self._view.copy()
        view["cards"] = self._card_texts[:]
        return view

    def _make_view(self) -> ItemJson:
        view: ItemJson = {
            "id": self.id,
            "kind": _KINDS[self.kind],
            "cards": [TEXT[card] for card in self.cards],
            "by": None if self.by < 0 else self.by,
        }
        if self.kind == PAIR:
            view["rank"] = RANKS[self.rank]
        else:
            view["value"] = self.value or None
        return view


def loose_items(number: Sequence[int]) -> list[CassinoItem]:
    """The 52 loose cards, indexed by card. `number`: the number of each rank (0: none)."""
    return [CassinoItem(CARD, (card,), number[card >> 2], card >> 2, -1) for card in range(52)]


def insert(table: list[CassinoItem], item: CassinoItem) -> None:
    """Insert an item into a table in item order, which is the order of first cards (CAS-45)."""
    first = item.first
    place = len(table)
    while place and table[place - 1].first > first:
        place -= 1
    table.insert(place, item)


def parse_build(text: str) -> tuple[list[int], int, int] | None:
    """The cards, the number and the rank of a build, read from its id (CAS-45).

    A pair build has number 0, and a sum build rank -1. None if `text` is not the id of a build with
    its cards in card order.

    >>> parse_build("[3D+4C=7]")  # 4C comes after 3D, since ranks go before suits
    ([9, 12], 7, -1)
    >>> parse_build("[JC+JD:J]")
    ([40, 41], 0, 10)
    >>> parse_build("[4C+3D=7]") is None
    True
    """
    if len(text) < 9 or text[0] != "[" or text[-1] != "]":
        return None
    pair = text[-3] == ":"
    body, _, declared = text[1:-1].partition(":" if pair else "=")
    cards = [CODE.get(part, 99) for part in body.split("+")]
    if len(cards) < 2 or any(card >= 52 for card in cards) or sorted(set(cards)) != cards:
        return None
    if pair:
        return (
            (cards, 0, RANKS.index(declared)) if declared in RANKS and len(declared) == 1 else None
        )
    number = parse_number(declared)
    return (cards, number, -1) if number else None


def parse_number(text: str) -> int:
    """The declared number, 2 to 14, that `text` writes without a leading zero; else 0 (CAS-45)."""
    for number in range(2, 15):
        if text == str(number):
            return number
    return 0
