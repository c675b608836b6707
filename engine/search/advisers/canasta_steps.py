"""Estimates of the moves of a Canasta turn: the gain minus the value of the cards in the hand.

Values are in points of the score sheet (CAN-65). Most numbers were tuned for the Canasta house
bot.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Final

from engine.games.canasta.card_kinds import (
    BLACK,
    JOKER,
    KIND,
    KINDS,
    POINTS,
    RED,
    TWO,
    is_wild,
    kind_counts,
)
from engine.games.canasta.deal import CanastaDeal
from engine.games.canasta.melds import Meld
from engine.games.canasta.moves import (
    ASK,
    DISCARD,
    DRAW,
    MELD,
    PASS,
    PHASE_MELD,
    REPLY,
    TABLE,
    TAKE,
    CanastaMove,
)
from engine.games.canasta.options import CanastaRules
from engine.games.canasta.turn_state import CANASTA

MAX_WILD: Final = 3
"""Maximum number of wild cards in a meld without `wildcanasta` (CAN-38)."""
PROGRESS: Final[tuple[float, ...]] = (0.0, 0.0, 0.0, 0.15, 0.25, 0.4, 0.65, 1.0)
"""By number of a meld's cards: its value as a share of a canasta's bonus."""
NATURALS_HELD: Final[tuple[float, ...]] = (0.0, 3.0, 35.0, 50.0)
"""The value in the hand of 0 to 3 naturals of a rank. Pairs can take piles."""
FURTHER_NATURAL_HELD: Final = 15.0
"""The value in the hand of each natural of a rank after the third."""
FITTING_HELD: Final = 20.0
"""The value in the hand of a card that can be laid off."""
JOKER_HELD: Final = 85.0
TWO_HELD: Final = 65.0
THREE_HELD: Final = 10.0
DRAWN_CARD: Final = 30.0
"""The value of a drawn card: it may be wild, or a red three."""
PILE_CARD: Final = 22.0
"""The value of each card of the pile to the seat that takes it."""
FREEZE: Final = 5.0
"""The value of a discard that freezes the pile for opponents, per card of the pile."""
OPENING_WITH_FOUR: Final = -100.0
"""The value of a first meld in games of up to four players.

It breaks pairs, which could take larger piles."""
OPENING_WITH_SIX: Final = 80.0
"""The value of a first meld in games of six players: the deal is too short for waiting."""
OPENING_BY_TAKING: Final = -80.0
"""The value of a first meld that takes the pile, in games of up to four players."""
MISSING_POINT: Final = 1.0
"""The cost of each point that the first meld still lacks."""
CHANCE_OUT_NEXT: Final[tuple[float, ...]] = (1.0, 0.6, 0.5, 0.4, 0.25, 0.15)
"""By number of a seat's cards: the chance that it goes out in its next turn."""
GOING_OUT: Final = 300.0
"""The additional value of a meld if the seat can go out in this turn."""
MIN_PARTNER_CARDS: Final = 5
"""The seat asks before going out only if the partner holds at least this many cards."""
MAX_PARTNER_POINTS: Final = 110
"""A partner with more card points than this in the hand prefers that the deal continues."""


class CanastaOutlook:
    """Values the moves of the seat to act, using only what this seat knows."""

    def __init__(self, rules: CanastaRules, deal: CanastaDeal) -> None:
        self.rules: CanastaRules = rules
        self.deal: CanastaDeal = deal
        seat = deal.to_act
        self.seat: int = seat
        self.side: int = deal.side_of(seat)
        self.hand: list[int] = kind_counts(deal.hands[seat])
        self.melds: list[Meld] = deal.melds[self.side]
        self.fitting_kinds: int = 0
        for meld in self.melds:
            self.fitting_kinds |= 1 << meld.kind
        self.end_chance: float = chance_of_end(rules, deal, self.side)
        self.continue_chance: float = 1.0 - self.end_chance
        self.unseen: list[int] = [0] * KINDS
        self.hidden: int = 0
        # Hands and stock are counted together, because the seat does not know where a card is.
        for other, hand in enumerate(deal.hands):
            if other != seat:
                self._count_unseen(hand)
        self._count_unseen(deal.stock[deal.stock_at :])
        self.can_go_out: bool = deal.phase == PHASE_MELD and self.goes_out()

    def _count_unseen(self, cards: Sequence[int]) -> None:
        for card in cards:
            self.unseen[KIND[card]] += 1
        self.hidden += len(cards)

    def value_of(self, move: CanastaMove) -> float:
        """The value of a move; 0 is the value of doing nothing."""
        action = move.action
        if action == DISCARD:
            return self.value_of_discard(move.kind)
        if action == MELD:
            return self.value_of_meld(move)
        if action == TAKE:
            return self.value_of_take(move)
        if action == DRAW:
            return DRAWN_CARD * self.rules.draw * self.continue_chance
        if action == TABLE:
            return 200.0
        if action == REPLY:
            points = sum([POINTS[kind] * n for kind, n in enumerate(self.hand[:KINDS])])
            prefers_end = points <= MAX_PARTNER_POINTS or self.end_chance > 0.3
            return 50.0 if move.yes == prefers_end else -50.0
        if action == ASK:
            partner_holds_many = len(self.deal.hands[move.seat]) >= MIN_PARTNER_CARDS
            return 2 * GOING_OUT if self.can_go_out and partner_holds_many else -30.0
        return -200.0 if action == PASS else 0.0

    def hand_value_of(self, kind: int, count: int) -> float:
        """The value of `count` cards of a kind in the hand."""
        fits = bool(self.fitting_kinds >> kind & 1)
        return hand_value(kind, count, self.unseen[kind] + 1, fits=fits)

    def hand_cost(self, kind: int, count: int) -> float:
        """The value that the hand loses if `count` cards of a kind leave it."""
        held_count = self.hand[kind]
        worth = self.hand_value_of(kind, held_count) - self.hand_value_of(kind, held_count - count)
        return self.continue_chance * worth - self.end_chance * POINTS[kind] * count

    def growth(self, kind: int, number: int, naturals: int, wild: int) -> float:
        """The gain if the side's meld `number` (from 1) of a kind gets these cards.

        A number above those of the existing melds begins a new meld.
        """
        same_kind = [meld for meld in self.melds if meld.kind == kind]
        naturals_before = wild_before = 0
        if number <= len(same_kind):
            wild_before = same_kind[number - 1].wild
            naturals_before = len(same_kind[number - 1].cards) - wild_before
        return bonus(naturals_before + naturals, wild_before + wild, self.continue_chance) - bonus(
            naturals_before, wild_before, self.continue_chance
        )

    def value_of_meld(self, move: CanastaMove) -> float:
        """The gain of a meld, minus the value of its cards in the hand.

        The other naturals of the rank can follow in later moves, so each move gets its share of
        the total.
        """
        naturals = wild = 0
        wild_value = 0.0
        for kind in move.cards:
            if is_wild(kind):
                wild += 1
                wild_value += self.end_chance * POINTS[kind] - self.hand_cost(kind, 1)
            else:
                naturals += 1
        if naturals:
            held_count = self.hand[move.kind]
            share = naturals / held_count
            total_change = self.end_chance * POINTS[move.kind] * held_count
            total_change -= self.hand_cost(move.kind, held_count)
            gain = self.growth(move.kind, move.number, held_count if not wild else naturals, wild)
            value = gain * (share if not wild else 1.0) + total_change * share + wild_value
        else:
            value = self.wild_step_value(move)
        # The move begins the side's first meld.
        if not self.deal.had_meld and not self.deal.stepped and not self.deal.took:
            opening = OPENING_WITH_FOUR if self.rules.playing <= 4 else OPENING_WITH_SIX
            value += opening * self.continue_chance
            value += 40.0 * self.end_chance
        return value + (GOING_OUT if self.can_go_out else 0.0)

    def wild_step_value(self, move: CanastaMove) -> float:
        """The gain per card of wild cards added to a meld, for the best possible number of them."""
        held_wild = self.hand[TWO] + self.hand[JOKER]
        first_kind = move.cards[0]
        other_kind = JOKER if first_kind == TWO else TWO
        best_gain = -1e9
        hand_change = 0.0
        wild_counts = [meld.wild for meld in self.melds if meld.kind == move.kind]
        wild = wild_counts[move.number - 1] if move.number <= len(wild_counts) else 0
        for wild_count in range(1, min(held_wild, max(1, MAX_WILD - wild)) + 1):
            kind = first_kind if wild_count <= self.hand[first_kind] else other_kind
            hand_change += self.end_chance * POINTS[kind] - self.hand_cost(kind, 1)
            best_gain = max(
                best_gain,
                (self.growth(move.kind, move.number, 0, wild_count) + hand_change) / wild_count,
            )
        return best_gain

    def goes_out(self) -> bool:
        """An estimate whether the seat can go out in this turn.

        It can if it can meld all cards but one, and its side then has the canastas that it needs.
        """
        if not self.melds or self.deal.refused:
            return self.deal.committed
        unfitting_cards = 0
        needed_wild = usable_wild = 0  # wild cards that must or can be laid
        lacking: list[int] = []  # for each meld, the number of cards that a canasta lacks
        for kind in range(KINDS):
            if is_wild(kind):
                continue
            count = self.hand[kind]
            naturals = wild = 0
            for meld in self.melds:
                if meld.kind == kind and not naturals:
                    wild = meld.wild
                    naturals = len(meld.cards) - wild
            if not naturals and count < 3:
                pair = count == 2 and kind not in (BLACK, RED)
                unfitting_cards += 0 if pair else count
                needed_wild += pair
                usable_wild += 2 * pair
            elif kind not in (BLACK, RED):
                usable_wild += max(0, 3 - wild)
                lacking.append(max(0, CANASTA - naturals - wild - count))
        if len(lacking) < self.rules.canastas:
            return False
        needed_wild += sum(sorted(lacking)[: self.rules.canastas])
        held_wild = self.hand[TWO] + self.hand[JOKER]
        max_wild = usable_wild + 1 - unfitting_cards
        return unfitting_cards <= 1 and needed_wild <= held_wild <= max_wild

    def value_of_take(self, move: CanastaMove) -> float:
        """The value of taking the pile by this move."""
        deal = self.deal
        top = move.kind
        naturals = 0
        value = 0.0
        for kind in move.cards:
            if is_wild(kind):
                value += self.end_chance * POINTS[kind] - self.hand_cost(kind, 1)
            else:
                naturals += 1
        value += self.end_chance * POINTS[top] * (naturals + 1) - self.hand_cost(top, naturals)
        value += self.growth(top, move.number, naturals + 1, len(move.cards) - naturals)
        hand = self.hand[:]
        for card in deal.pile[:-1]:
            kind = KIND[card]
            if kind == RED:
                value += 90.0
                continue
            fits = bool(self.fitting_kinds >> kind & 1)
            count = hand[kind] + 1
            hand[kind] = count
            available = self.unseen[kind] + 1
            gain = hand_value(kind, count, available, fits=fits) - hand_value(
                kind, count - 1, available, fits=fits
            )
            useful = fits or count >= 3 or is_wild(kind)
            points = POINTS[kind] if useful else -POINTS[kind]
            value += self.continue_chance * gain + self.end_chance * points
        if not deal.had_meld:
            value += self.opening_value(move)
        if self.rules.finds_sides and len(deal.sides) == 3:
            # The seat that takes the pile plays alone against the other two (CAN-71).
            value -= 400.0 * self.continue_chance
        return value

    def opening_value(self, move: CanastaMove) -> float:
        """The value of taking the pile with the first meld.

        It is mostly negative, because the first meld uses up wild cards and pairs.
        """
        deal = self.deal
        need = deal.minimum(self.side, self.seat) - sum([POINTS[kind] for kind in move.cards])
        if self.rules.topcounts:
            need -= POINTS[move.kind]
        value = OPENING_BY_TAKING if self.rules.playing <= 4 else 0.0
        return value - max(0, need) * MISSING_POINT * self.continue_chance

    def value_of_discard(self, kind: int) -> float:
        """The value of a discard: minus its cost to the hand and the risk to lose the pile."""
        deal, rules = self.deal, self.rules
        chairs = deal.chairs
        follower = chairs[(chairs.index(self.seat) + rules.step) % len(chairs)]
        side = deal.side_of(follower)
        size = len(deal.pile)
        risk = self.chance_taken(kind, follower, side) * PILE_CARD * (size + 1)
        value = -self.hand_cost(kind, 1) + (risk if side == self.side else -risk)
        freezes_it = (is_wild(kind) or kind == RED) and not deal.frozen
        if freezes_it and side != self.side and deal.melds[side]:
            value += (0.5 if self.melds else 1.0) * FREEZE * size
        return value

    def chance_taken(self, kind: int, follower: int, side: int) -> float:
        """The chance that the next seat takes the pile with this card on top."""
        if is_wild(kind) or kind in (BLACK, RED):
            return 0.0
        deal = self.deal
        mean = self.unseen[kind] * len(deal.hands[follower]) / max(1, self.hidden)
        chance_of_none = exp(-mean)
        chance = 1.0 - chance_of_none * (1.0 + mean)
        opened = bool(deal.melds[side])
        if not deal.frozen_for(side):
            if any(meld.kind == kind for meld in deal.melds[side]):
                chance = 1.0
            elif not self.rules.pair:
                chance = max(chance, 0.6 * (1.0 - chance_of_none))  # one natural and a wild card
        if not opened:  # a higher minimum makes a first meld less likely
            minimum = deal.minimum(side, follower)
            chance *= (
                0.9 if minimum < 50 else 0.7 if minimum < 90 else 0.5 if minimum < 120 else 0.35
            )
        return chance


def hand_value(kind: int, count: int, available: int, *, fits: bool) -> float:
    """The value of `count` cards of a kind in the hand if the deal continues.

    `available`: the number of unseen cards of the kind plus 1; so pairs keep some value if no more
    cards are unseen. `fits`: whether the side has a meld of the kind.
    """
    if count <= 0:
        return 0.0
    if kind == JOKER:
        return JOKER_HELD * count
    if kind == TWO:
        return TWO_HELD * count
    if kind in (BLACK, RED):
        return THREE_HELD * count
    if fits:
        return FITTING_HELD * count
    worth = NATURALS_HELD[min(count, 3)] + FURTHER_NATURAL_HELD * max(0, count - 3)
    return worth * min(1.0, available / 4) + 0.3 * count * POINTS[kind]


def bonus(naturals: int, wild: int, continue_chance: float) -> float:
    """The bonus of a canasta, or a share of it for a smaller meld.

    The share grows with the number of cards and with the chance that the deal continues.
    """
    full_bonus = 300.0 if wild else 500.0
    size = naturals + wild
    return full_bonus if size >= CANASTA else full_bonus * PROGRESS[size] * continue_chance


def chance_of_end(rules: CanastaRules, deal: CanastaDeal, side: int) -> float:
    """The chance that the deal ends before any seat of this side plays again."""
    chairs = deal.chairs
    if len(deal.stock) - deal.stock_at < len(chairs) * rules.draw or not deal.has_discard:
        return 1.0
    chance = 0.02
    for seat in chairs:
        other_side = deal.side_of(seat)
        if other_side != side:
            canastas = 0
            for meld in deal.melds[other_side]:
                if len(meld.cards) >= CANASTA:
                    canastas += 1
            readiness = 1.0 if canastas >= rules.canastas else 0.25
            size = len(deal.hands[seat])
            chance = max(chance, readiness * (CHANCE_OUT_NEXT[size] if size < 6 else 0.04))
    return chance
