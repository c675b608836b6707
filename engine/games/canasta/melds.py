"""Melds on the table (CAN-36, CAN-41, CAN-44)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from engine.cards import RANKS, TEXT, texts
from engine.games.canasta.card_kinds import KIND, KINDS, POINTS, SYMBOLS, is_wild
from engine.games.canasta.turn_state import CANASTA, MeldCounts

if TYPE_CHECKING:
    from engine.games.canasta.json_types import MeldJson


class Meld:
    """Cards of one rank, of one side. Immutable: a grown meld is a new object (CAN-42).

    `cards` are in card order.
    """

    __slots__ = ("_view", "cards", "counts", "kind", "opened_in_turn", "order", "wild")

    def __init__(self, kind: int, cards: list[int], number: int, turn: int) -> None:
        self.kind: int = kind
        self.cards: tuple[int, ...] = tuple(cards)
        self.wild: int = 0
        for card in self.cards:
            if is_wild(KIND[card]):
                self.wild += 1
        self.counts: MeldCounts = ((len(self.cards) - self.wild, self.wild),)
        self.order: int = number  # its number in the order in which the deal's melds were opened
        self.opened_in_turn: int = turn  # the turn of the deal in which it was opened
        self._view: MeldJson | None = None

    def with_cards(self, cards: Sequence[int]) -> Meld:
        all_cards = [*self.cards, *cards]
        all_cards.sort()
        return Meld(self.kind, all_cards, self.order, self.opened_in_turn)

    @property
    def canasta(self) -> Literal["natural", "mixed"] | None:
        """CAN-44: ``natural``, ``mixed`` or None."""
        if len(self.cards) < CANASTA:
            return None
        return "mixed" if self.wild else "natural"

    @property
    def points(self) -> int:
        """CAN-3: the card points."""
        value = 0
        for card in self.cards:
            value += POINTS[KIND[card]]
        return value

    def view(self) -> MeldJson:
        """The meld in the form of CAN-94."""
        if self._view is None:
            self._view = {
                "rank": SYMBOLS[self.kind],
                "cards": texts(self.cards),
                "wild": self.wild,
                "canasta": self.canasta,
            }
        view = self._view.copy()
        view["cards"] = view["cards"][:]
        return view


def meld_counts_of(melds: list[Meld]) -> list[MeldCounts]:
    """The cards in each meld of a side, by kind, in the given order; for `TurnState`."""
    meld_counts: list[MeldCounts] = [()] * KINDS
    for meld in melds:
        rank_melds = meld_counts[meld.kind]
        meld_counts[meld.kind] = (*rank_melds, *meld.counts) if rank_melds else meld.counts
    return meld_counts


def sorted_melds(melds: Sequence[Meld]) -> list[Meld]:
    """By rank, then number (CAN-94)."""
    return sorted(melds, key=lambda meld: (meld.kind, meld.order))


def parse_meld(cards: Sequence[int], number: int) -> Meld:
    """The meld of these cards; ValueError if its rank cannot be seen.

    >>> from engine.cards import parse_cards
    >>> meld = parse_meld(parse_cards(["KC", "KD", "KH", "2C"]), 0)
    >>> meld.points, meld.canasta, meld.view()["rank"]
    (50, None, 'K')
    """
    kinds = {KIND[card] for card in cards if not is_wild(KIND[card])}
    if len(kinds) != 1 or len(cards) < 3:
        raise ValueError(
            f"{[TEXT[card] for card in cards]} is not a meld: three cards or more of one rank "
            f"(of {' '.join(RANKS)}) and wild cards."
        )
    return Meld(kinds.pop(), sorted(cards), number, -1)


def merged_melds(melds: Sequence[Meld]) -> list[Meld]:
    """CAN-72: melds of equal rank become one, however many wild cards meet."""
    by_kind: dict[int, Meld] = {}
    for meld in sorted(melds, key=lambda meld: meld.order):
        merged = by_kind.get(meld.kind)
        by_kind[meld.kind] = meld if merged is None else merged.with_cards(meld.cards)
    return sorted_melds(list(by_kind.values()))
