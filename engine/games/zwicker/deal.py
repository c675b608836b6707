"""One deal of Zwicker in play (ZWI-2 to ZWI-9, ZWI-28 to ZWI-30)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from engine.cards import TEXT
from engine.events import Event
from engine.fishing import (
    CAPTURE,
    TRAIL,
    FishingDeal,
    card_of,
    kind_of,
    number_of,
    stable_code,
    target_of,
)
from engine.fishing_policy import best_move_index, unlisted_move
from engine.games.zwicker import moves, scoring
from engine.games.zwicker.capture import sets_by_value
from engine.games.zwicker.items import ZwickerItem, insert
from engine.games.zwicker.options import JOKER, ZwickerRules

if TYPE_CHECKING:
    from engine.games.zwicker.json_types import ZwickerSheet, ZwickerView


class ZwickerDeal(FishingDeal):
    """The state of a deal; implements `engine.game.Deal`.

    Cards are integers, and captured piles are sorted lists of cards. Everybody plays alone, so each
    seat is a side.
    """

    __slots__ = ("captured", "rules", "table")

    def __init__(self, rules: ZwickerRules, log: list[Event]) -> None:
        super().__init__(rules.seats, rules.seats, log)  # ZWI-6: seat n-1 deals first
        self.rules: ZwickerRules = rules
        self.table: list[ZwickerItem] = []
        self.captured: list[list[int]] = [[] for _ in range(rules.seats)]

    # ── dealing ──────────────────────────────────────────────────────────────────────────────────

    def start(self, deck: Sequence[int]) -> None:
        """Deal cards one by one to the seats from the dealer's left, then to the table (ZWI-3)."""
        self.turn = self.to_act = (self.dealer + 1) % self.rules.seats  # ZWI-7
        self.stock = list(deck)
        self._give()
        table_cards = self.stock[self.stock_at : self.stock_at + self.rules.laid]
        self.stock_at += len(table_cards)
        for card in table_cards:
            insert(self.table, self.rules.loose[card])
        self.log_deal(self.table)  # ZWI-52

    def _give(self) -> None:
        """Deal cards one by one until all hands are full or the stock is empty (ZWI-3 to ZWI-5)."""
        seats = self.rules.seats
        for card in self.stock[self.stock_at : self.stock_at + seats * self.rules.round]:
            seat = (self.dealer + 1 + self.stock_at) % seats
            self.hands[seat].append(card)
            self.stock_at += 1
        for hand in self.hands:
            hand.sort()

    def next(self, deck: Sequence[int]) -> ZwickerDeal:
        """The next deal of the match. The next seat clockwise deals (ZWI-6)."""
        deal = ZwickerDeal(self.rules, self.log)
        deal.follow(self)
        deal.totals = self.totals[:]
        deal.start(deck)
        return deal

    def copy(self, log: list[Event]) -> ZwickerDeal:
        deal = ZwickerDeal(self.rules, log)
        self.copy_fishing(deal)
        deal.table = self.table[:]
        deal.captured = [pile[:] for pile in self.captured]
        return deal

    # ── moves ────────────────────────────────────────────────────────────────────────────────────

    def coded(self) -> list[int]:
        """The moves of the seat to act as coded moves, at most 512 (ZWI-49)."""
        if self._codes is None:
            self._codes, self.truncated = moves.legal(self.rules, self.hands[self.turn], self.table)
        return self._codes

    def spell(self, codes: list[int]) -> list[str]:
        """The texts of coded moves (ZWI-47)."""
        return moves.spell(self.table, codes)

    def codes(self) -> list[int]:
        return [stable_code(self.table, code) for code in self.coded()]

    def prefer(self, rand: Callable[[], float]) -> int:
        """The index of a move that captures valuable cards, or else leaves few to the next seat."""
        return best_move_index(self.rules.weights, self.table, self.coded(), rand)

    def play_own(self, rand: Callable[[], float]) -> None:
        """Make a move like that of `prefer`; where possible, without listing all moves."""
        rules, hand = self.rules, self.hands[self.turn]
        any_card_takes_jokers = rules.joker_table == "any" and not rules.joker_single
        sets_by_card = sets_by_value(rules, self.table, hand) if any_card_takes_jokers else None
        if sets_by_card is None or not self.quiet:
            self.play_at(self.prefer(rand))
        else:
            self.make_move(unlisted_move(rules.weights, self.table, hand, sets_by_card, rand), "")

    def read(self, move: str) -> int:
        """The coded move for the text of a legal move; IllegalMove for others (ZWI-50)."""
        return moves.read(self.rules, self.hands[self.turn], self.table, move)

    def make_move(self, code: int, move: str) -> None:
        """Play one card as a capture, a build or a trail (ZWI-8). `move`: its text, for the log."""
        seat = self.turn
        self.log_move(code, move)
        kind, card = kind_of(code), card_of(code)
        self.hands[seat].remove(card)
        if kind == TRAIL:
            insert(self.table, self.rules.loose[card])  # ZWI-15
        elif kind == CAPTURE:
            self._capture(seat, card, target_of(code))
        else:  # the build is one item with one value (ZWI-16, ZWI-19, ZWI-23, ZWI-34, ZWI-37)
            item_below = self.table.pop(target_of(code))
            insert(self.table, item_below.with_card(card, number_of(code), seat))
        self._pass_on()

    def _capture(self, seat: int, card: int, taken_items: int) -> None:
        """Move the card and the taken items to the seat's pile (ZWI-10).

        If this empties the table, it is a zwick (ZWI-28).
        """
        pile = self.captured[seat]
        pile.append(card)
        remaining: list[ZwickerItem] = []
        bit = 1 << len(self.table)
        for item in self.table:
            bit >>= 1
            if taken_items & bit:
                pile.extend(item.cards)
            else:
                remaining.append(item)
        pile.sort()
        self.table = remaining
        self.last_capture = seat
        if self.table or (card == JOKER and not self.rules.joker_zwick):  # ZWI-26
            return
        self.cleared.append(seat)
        if not self.quiet:
            self.log.append(("zwick", {"seat": seat}, None))

    def _pass_on(self) -> None:
        """Continue with the next seat clockwise that has a card (ZWI-7).

        If no seat has one, deal new hands or, without a stock, end the deal.
        """
        seats = self.rules.seats
        seat = (self.turn + 1) % seats
        # When compiled, any(self.hands) is slower.
        if not self.hands[seat] and not any(hand for hand in self.hands):
            if self.stock_at >= len(self.stock):
                self._finish()
                return
            self._redeal()
            seat = (self.dealer + 1) % seats
        while not self.hands[seat]:
            seat = (seat + 1) % seats
        self.turn = self.to_act = seat

    def _redeal(self) -> None:
        """Deal new hands, but no cards to the table (ZWI-4, ZWI-5)."""
        self.stock = self.stock[self.stock_at :]
        self.stock_at = 0  # `_give` counts the dealt cards from here, so it starts at the left seat
        self._give()
        if not self.quiet:
            self.log.append(("redeal", {}, self.own_hands()))

    # ── the end ──────────────────────────────────────────────────────────────────────────────────

    def _finish(self) -> None:
        """Score the deal. The remaining cards belong to the seat of the last capture (ZWI-29).

        In the Christiansen family's game they belong to nobody (ZWI-30).
        """
        if self.table:
            seat = self.last_capture if self.rules.wild else -1
            cards_left = sorted([card for item in self.table for card in item.cards])
            self.log_rest("seat", seat, cards_left)
            if seat >= 0:
                self.captured[seat] = sorted(self.captured[seat] + cards_left)
                self.table = []
        self.score_deal(scoring.lines(self.rules, self.captured, self.cleared), "zwicks")

    def result(self, stop: str) -> dict[str, Any] | None:
        """The result of the match, or None if another deal follows (ZWI-46)."""
        return self.log_end(scoring.outcome(self.rules, self.number, self.totals, stop))

    def sheet(self) -> ZwickerSheet:
        counts = [len(pile) for pile in self.captured]
        return cast("ZwickerSheet", self.sheet_json(counts, "zwicks"))

    # ── the view ─────────────────────────────────────────────────────────────────────────────────

    def view(self, seat: int) -> ZwickerView:
        """What a seat sees (ZWI-51, ZWI-52); all cards if `seat` is -1."""
        items = [item.view() for item in self.table]
        captured = [[TEXT[card] for card in pile] for pile in self.captured]
        view = self.open_view("zwicker", "zwicks", self.rules, items, captured, seat)
        return cast("ZwickerView", view)
