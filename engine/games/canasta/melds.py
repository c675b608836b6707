"""Melds on the table (CAN-36, CAN-41, CAN-44)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from engine.cards import RANKS, TEXT, texts
from engine.games.canasta.card_kinds import KIND, KINDS, POINTS, SYMBOLS, is_wild
from engine.games.canasta.turn_state import CANASTA, MeldCounts

if TYPE_CHECKING:
    from engine.games.canasta.json_types import MeldJson


class Meld:
    """A side's cards of one rank on the table. Immutable: with more cards, it is another (CAN-42).

    `cards`: in card order. `wild`: the number of wild cards.
    """

    __slots__ = (
        "_card_texts",
        "_view",
        "cards",
        "counts",
        "kind",
        "opened_in_turn",
        "order",
        "wild",
    )

    def __init__(self, kind: int, cards: list[int], number: int, turn: int) -> None:
        self.kind: int = kind
        self.cards: tuple[int, ...] = tuple(cards)
        self.wild: int = 0
        for card in self.cards:
            if is_wild(KIND[card]):
                self.wild += 1
        self.counts: MeldCounts = ((len(self.cards) - self.wild, self.wild),)
        self.order: int = number  # the melds of a deal are numbered in the order of their opening
        self.opened_in_turn: int = turn  # the number of the deal's turn that opened the meld
        self._view: MeldJson | None = None
        self._card_texts: list[str] = []  # those of `_view`

    def with_cards(self, cards: Sequence[int]) -> Meld:
        all_cards = [*self.cards, *cards]
        all_cards.sort()
        return Meld(self.kind, all_cards, self.order, self.opened_in_turn)

    @property
    def canasta(self) -> Literal["natural", "mixed"] | None:
        """``natural`` or ``mixed`` for a canasta; None for a smaller meld (CAN-44)."""
        if len(self.cards) < CANASTA:
            return None
        return "mixed" if self.wild else "natural"

    @property
    def points(self) -> int:
        """The sum of its card points (CAN-3)."""
        value = 0
        for card in self.cards:
            value += POINTS[KIND[card]]
        return value

    def view(self) -> MeldJson:
        """The meld as views show it (CAN-94)."""
        if self._view is None:
            self._view = {
                "rank": SYMBOLS[self.kind],
                "cards": texts(self.cards),
                "wild": self.wild,
                "canasta": self.canasta,
            }
            self._card_texts = self._view["cards"]
        view = self._view.copy()
        view["cards"] = self._card_texts[:]
        return view


_NO_MELDS: Final[list[MeldCounts]] = [()] * KINDS


def meld_counts_of(melds: list[Meld]) -> list[MeldCounts]:
    """By kind: the numbers of naturals and wild cards in each meld of a side, for `TurnState`."""
    meld_counts = _NO_MELDS[:]  # when compiled, a product is slower
    for meld in melds:
        rank_melds = meld_counts[meld.kind]
        meld_counts[meld.kind] = (*rank_melds, *meld.counts) if rank_melds else meld.counts
    return meld_counts


def sorted_melds(melds: Sequence[Meld]) -> list[Meld]:
    """Melds ordered by rank, then by number (CAN-94)."""
    return sorted(melds, key=lambda meld: (meld.kind, meld.order))


def parse_meld(cards: Sequence[int], number: int) -> Meld:
    """The meld of these cards; ValueError unless they are three or more of one rank.

    >>> from engine.cards import parse_cards
    >>> meld = parse_meld(parse_cards(["KC", "KD", "KH", "2C"]), 0)
    >>> meld.points, meld.canasta, meld.view()["rank"]
    (50, None, 'K')
    """
    kinds = {KIND[card] for card in cards if not is_wild(KIND[card])}
    if len(kinds) != 1 or len(cards) < 3:
        raise ValueError(
            f"{[TEXT[card] for card in cards]} is not a meld. A meld has three or more cards, "
            f"of one rank ({' '.join(RANKS)}) or wild."
        )
    return Meld(kinds.pop(), sorted(cards), number, -1)


def merged_melds(melds: Sequence[Meld]) -> list[Meld]:
    """The melds, with those of equal rank put together, with any number of wild cards (CAN-72)."""
    by_kind: dict[int, Meld] = {}
    for meld in sorted(melds, key=lambda meld: meld.order):
        merged = by_kind.get(meld.kind)
        by_kind[meld.kind] = meld if merged is None else merged.with_cards(meld.cards)
    return sorted_melds(list(by_kind.values()))
