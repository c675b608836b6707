"""One deal of Cassino in play (CAS-2 to CAS-7, CAS-15, CAS-25 to CAS-28)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from engine.cards import mask_texts
from engine.deals import digest
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
from engine.games.cassino import capture, moves, scoring
from engine.games.cassino.items import PAIR, SUM, CassinoItem, insert
from engine.games.cassino.options import CassinoRules

if TYPE_CHECKING:
    from engine.games.cassino.json_types import CassinoSheet, CassinoView

ROUND: Final = 4  # cards per seat in the deal and in each re-deal (CAS-3, CAS-4)
CLAIM: Final = digest("out")  # the move code of a claim, which names no item (CAS-36)


class CassinoDeal(FishingDeal):
    """The state of a deal; implements `engine.game.Deal`.

    Cards are integers, and captured piles are bit masks of cards.
    """

    __slots__ = ("_piles", "captured", "claimed", "rules", "table", "totals_before")

    def __init__(self, rules: CassinoRules, log: list[Event]) -> None:
        sides = len(rules.sides)
        super().__init__(rules.seats, sides, log)  # CAS-5: seat n-1 deals first
        self.rules: CassinoRules = rules
        self.table: list[CassinoItem] = []
        self.captured: list[int] = [0] * sides
        self.totals_before: list[int] = [0] * sides  # the match's totals before this deal
        self.claimed: int = -1  # the side that claimed the win (CAS-36)
        # Cached texts of captured piles, by side.
        self._piles: list[tuple[int, list[str]]] = [(0, [])] * sides

    # ── dealing ──────────────────────────────────────────────────────────────────────────────────

    def start(self, deck: Sequence[int]) -> None:
        """Deal the cards (CAS-3).

        Each seat but the dealer gets two cards, then the table, then the dealer; then all again.
        """
        seats = self.rules.seats
        self.turn = self.to_act = (self.dealer + 1) % seats
        self.stock = list(deck)
        for _ in range(2):
            for step in range(1, seats):
                self._give((self.dealer + step) % seats)
            for card in self._draw():
                insert(self.table, self.rules.loose[card])
            self._give(self.dealer)
        for hand in self.hands:
            hand.sort()
        self.log_deal(self.table)  # CAS-49

    def _redeal(self) -> None:
        """Deal two cards to each seat in turn order, twice, but none to the table (CAS-4)."""
        seats = self.rules.seats
        for _ in range(2):
            for step in range(1, seats + 1):
                self._give((self.dealer + step) % seats)
        for hand in self.hands:
            hand.sort()
        if not self.quiet:
            self.log.append(("redeal", {}, self.own_hands()))

    def _draw(self) -> list[int]:
        index = self.stock_at
        self.stock_at = index + 2
        return self.stock[index : index + 2]

    def _give(self, seat: int) -> None:
        self.hands[seat].extend(self._draw())

    def next(self, deck: Sequence[int]) -> CassinoDeal:
        """The next deal of the match. The next seat clockwise deals (CAS-5)."""
        deal = CassinoDeal(self.rules, self.log)
        deal.follow(self)
        deal.totals_before = self.totals[:]
        deal.totals = self.totals[:]
        deal.start(deck)
        return deal

    def copy(self, log: list[Event]) -> CassinoDeal:
        deal = CassinoDeal(self.rules, log)
        self.copy_fishing(deal)
        deal.table = self.table[:]
        deal.captured = self.captured[:]
        deal.totals_before = self.totals_before
        deal.claimed = self.claimed
        deal._piles = self._piles
        return deal

    # ── moves ────────────────────────────────────────────────────────────────────────────────────

    def coded(self) -> list[int]:
        """The moves of the seat to act as coded moves, at most 512 (CAS-46)."""
        if self._codes is None:
            self._codes, self.truncated = moves.legal(self.rules, self.hands[self.turn], self.table)
        return self._codes

    def spell(self, codes: list[int]) -> list[str]:
        """The texts of coded moves (CAS-45)."""
        return moves.spell(self.table, codes)

    def codes(self) -> list[int]:
        table = self.table
        return [
            CLAIM if kind_of(code) == moves.OUT else stable_code(table, code)
            for code in self.coded()
        ]

    def prefer(self, rand: Callable[[], float]) -> int:
        """The index of a move that captures valuable cards, or else leaves few to the next seat."""
        return best_move_index(self.rules.weights, self.table, self.coded(), rand)

    def play_own(self, rand: Callable[[], float]) -> None:
        """Make a move like that of `prefer`; where possible, without listing all moves."""
        rules, hand, table = self.rules, self.hands[self.turn], self.table
        sets = (
            capture.sets_adding_up(table, capture.wanted_numbers(rules, hand))
            if rules.face_pairs
            else None
        )
        if sets is None or not self.quiet:
            self.play_at(self.prefer(rand))
            return
        groups_by_card = capture.groups_by_card(rules, table, hand, sets)
        self.make_move(unlisted_move(rules.weights, table, hand, groups_by_card, rand), "")

    def read(self, move: str) -> int:
        """The coded move for the text of a legal move; IllegalMove for others (CAS-47)."""
        return moves.read(self.rules, self.hands[self.turn], self.table, move)

    def make_move(self, code: int, move: str) -> None:
        """Play one card as a capture, a build or a trail (CAS-6), or claim the win (CAS-36).

        `move`: the text of the move, for the log.
        """
        seat = self.turn
        self.log_move(code, move)
        kind = kind_of(code)
        if kind == moves.OUT:
            self._claim(self.rules.side_of[seat])
            return
        card = card_of(code)
        self.hands[seat].remove(card)
        if kind == TRAIL:
            insert(self.table, self.rules.loose[card])  # CAS-26
        elif kind == CAPTURE:
            self._capture(seat, card, target_of(code))
        else:
            self._build(seat, card, code)
        self._pass_on()

    def _capture(self, seat: int, card: int, mask: int) -> None:
        """Move the card and the items in `mask` to the side's pile (CAS-9).

        If this empties the table, it is a sweep (CAS-27).
        """
        side = self.rules.side_of[seat]
        pile = self.captured[side] | 1 << card
        remaining: list[CassinoItem] = []
        bit = 1 << len(self.table)
        for item in self.table:
            bit >>= 1
            if mask & bit:
                pile |= item.mask
            else:
                remaining.append(item)
        self.table = remaining
        self.captured[side] = pile
        self.last_capture = side
        if not remaining:
            self.cleared.append(side)
            if not self.quiet:
                self.log.append(("sweep", {"seat": seat}, None))

    def _build(self, seat: int, card: int, code: int) -> None:
        """Lay the card on an item; together they become one item, a build (CAS-15).

        The builder has no duty to take the build (CAS-25). The item's `by` records the builder.
        """
        item_below = self.table.pop(target_of(code))
        cards = sorted([*item_below.cards, card])
        if kind_of(code) == moves.BUILD_PAIR:
            item = CassinoItem(PAIR, cards, 0, card >> 2, seat)
        else:
            item = CassinoItem(SUM, cards, number_of(code), -1, seat)
        insert(self.table, item)

    def _pass_on(self) -> None:
        """Continue with the next seat clockwise that has a card.

        If no seat has one, deal new hands or, without a stock, end the deal.
        """
        seats = self.rules.seats
        hands = self.hands
        seat = self.turn + 1
        if seat == seats:
            seat = 0
        # When compiled, any(hands) is slower.
        if not hands[seat] and not any(hand for hand in hands):
            if self.stock_at >= len(self.stock):
                self._finish()
                return
            self._redeal()
        while not hands[seat]:  # only in a deal read from a position: dealt hands have equal sizes
            seat = (seat + 1) % seats
        self.turn = self.to_act = seat

    # ── the end ──────────────────────────────────────────────────────────────────────────────────

    def _finish(self) -> None:
        """Give the remaining cards to the side of the last capture, if any; score (CAS-28)."""
        if self.table:
            side = self.last_capture
            self.log_rest("side", side, sorted([c for item in self.table for c in item.cards]))
            if side >= 0:
                for item in self.table:
                    self.captured[side] |= item.mask
                self.table = []
        self.score_deal(scoring.lines(self.rules, self.captured, self.cleared), "sweeps")

    def _claim(self, side: int) -> None:
        """End the match by a side's claim of the win (CAS-36, CAS-50).

        The scores count only points that are certain, whoever captures the other cards (CAS-37).
        """
        self.claimed = side
        uncaptured = scoring.uncaptured(self.captured)
        self._sheet = scoring.lines(self.rules, self.captured, self.cleared, uncaptured)
        self.totals = scoring.certain_totals(
            self.rules, self.totals_before, self.captured, self.cleared
        )
        self.turn = self.to_act = -1

    def result(self, stop: str) -> dict[str, Any] | None:
        """The result of the match, or None if another deal follows (CAS-50)."""
        if self.claimed >= 0:
            return self.log_end(scoring.claim(self.rules, self.number, self.totals, self.claimed))
        piles = (self.captured, self.cleared)
        return self.log_end(
            scoring.outcome(self.rules, self.number, self.totals_before, self.totals, piles, stop)
        )

    def sheet(self) -> CassinoSheet:
        counts = [pile.bit_count() for pile in self.captured]
        return cast("CassinoSheet", self.sheet_json(counts, "sweeps"))

    # ── the view ─────────────────────────────────────────────────────────────────────────────────

    def view(self, seat: int) -> CassinoView:
        """What a seat sees (CAS-48, CAS-49); all cards if `seat` is -1."""
        items = [item.view() for item in self.table]
        captured = self._captured_texts()
        view = self.open_view("cassino", "sweeps", self.rules, items, captured, seat)
        return cast("CassinoView", view)

    def _captured_texts(self) -> list[list[str]]:
        """The texts of each side's captured cards; cached until the pile changes."""
        for side, pile in enumerate(self.captured):
            if self._piles[side][0] != pile:
                self._piles = self._piles[:]  # copies of the deal share the list
                self._piles[side] = (pile, mask_texts(pile))
        return [cached[1][:] for cached in self._piles]
