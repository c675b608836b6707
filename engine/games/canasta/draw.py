"""Dealing, drawing and red threes in Canasta (CAN-8 to CAN-11, CAN-16 to CAN-24)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.cards import TEXT, insert_card, texts
from engine.events import Event
from engine.games.canasta.card_kinds import BLACK, KIND, RED, freezes, lowest
from engine.games.canasta.options import SEATS
from engine.games.canasta.state import CanastaState

_DRAWN: Final[list[list[Event]]] = [  # by seat and card: the usual draw, of one card
    [("draw", {"seat": seat, "count": 1}, {seat: {"cards": [text]}}) for text in TEXT]
    for seat in range(SEATS)
]


class CanastaDraw(CanastaState):
    """The part of a deal that deals, draws and tables cards."""

    def deal_out(self, deck: Sequence[int]) -> None:
        """Deal the hands (CAN-8), and turn up cards to begin the pile (CAN-9)."""
        self.stock = list(deck)
        order = self.order()
        for _ in range(self.rules.hand):
            for seat in order:
                self.hands[seat].append(self.next_card())
        for hand in self.hands:
            hand.sort()
        data = {"dealer": self.dealer, "chairs": self.chairs[:]}
        own_hands = {seat: {"hand": texts(self.hands[seat])} for seat in sorted(order)}
        self.log.append(("deal", data, own_hands))
        while self.stock_left and (not self.pile or self.is_covered(KIND[self.pile[-1]])):
            self.pile.append(self.next_card())  # CAN-9, CAN-10
        self.frozen = any(freezes(KIND[card]) for card in self.pile)
        self.drained = self.stock_left > 0
        self.log.append(("upcard", {"cards": texts(self.pile)}, None))

    def is_covered(self, kind: int) -> bool:
        """Whether another card is turned up onto an up-card of this kind (CAN-9)."""
        return freezes(kind) or (kind == BLACK and self.rules.coverblack3)

    def next_card(self) -> int:
        """Remove and return the top card of the stock."""
        self.stock_at += 1
        return self.stock[self.stock_at - 1]

    def table_dealt(self, seat: int) -> bool:
        """Table the red threes dealt to a seat, and draw as many cards (CAN-11).

        Return whether the last card of the stock was a red three (CAN-63).
        """
        hand = self.hands[seat]
        red_threes = [card for card in hand if KIND[card] == RED]
        if not red_threes:
            return False
        self.hands[seat] = [card for card in hand if KIND[card] != RED]
        self.table_red3(seat, red_threes, "deal")
        return self.draw(seat, len(red_threes), "deal")

    def table_red3(self, seat: int, cards: list[int], source: str) -> None:
        if cards:
            self.red3[seat] = sorted([*self.red3[seat], *cards])
            self.log.append(("red3", {"seat": seat, "cards": texts(cards), "from": source}, None))

    def draw(self, seat: int, count: int, source: str) -> bool:
        """Draw `count` cards (CAN-16). Table red threes, and replace them (CAN-19).

        Return whether the last card of the stock was a red three (CAN-63).
        """
        rules = self.rules
        cards: list[int] = []
        red_threes: list[int] = []
        last_was_red3 = False
        while count > 0 and self.stock_left:
            card = self.next_card()
            count -= 1
            if KIND[card] != RED or rules.red3discard:
                cards.append(card)
                continue
            last_was_red3 = not self.stock_left
            (cards if last_was_red3 and rules.last3 == "untabled" else red_threes).append(card)
            if rules.red3draw or source == "deal":
                count += 1
        self.table_red3(seat, red_threes, source)
        hand = self.hands[seat]
        for card in cards:
            insert_card(hand, card)
        if source == "deal" and not cards:
            return last_was_red3
        if self.quiet:
            return last_was_red3
        if len(cards) == 1:
            self.log.append(_DRAWN[seat][cards[0]])
        else:
            data = {"seat": seat, "count": len(cards)}
            self.log.append(("draw", data, {seat: {"cards": texts(cards)}}))
        return last_was_red3

    def table_own(self, seat: int) -> None:
        """Table a red three from the hand by the move `R`, and replace it (CAN-24)."""
        self.table_red3(seat, self.from_hand(seat, [RED]), "draw")
        if self.rules.red3draw and self.stock_left:
            self.draw(seat, 1, "draw")

    def from_hand(self, seat: int, kinds: Sequence[int]) -> list[int]:
        """Remove and return the lowest cards of these kinds in the hand (CAN-84)."""
        hand = self.hands[seat]
        return [hand.pop(lowest(hand, kind)) for kind in kinds]
