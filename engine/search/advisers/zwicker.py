"""Advice for Zwicker: the values of moves and positions, in points.

Captures are worth the points of their cards; zwicks and jokers count most.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import TYPE_CHECKING, Final

from engine.cards import CODE, FIRST_JOKER
from engine.fishing import CAPTURE, TRAIL, card_of, kind_of, number_of, target_of
from engine.games.zwicker import capture
from engine.games.zwicker.deal import ZwickerDeal
from engine.games.zwicker.items import ZwickerItem
from engine.games.zwicker.options import JOKER, ZwickerRules
from engine.score_sheet import deal_points
from engine.search.advisers.board_risk import (
    BoardRisk,
    best_sums,
    chance_to_hold,
    heaviest,
    item_worths,
)

if TYPE_CHECKING:
    from engine.game import Deal, Format

CARD: Final = 0.04
"""The points that one more card is worth towards most cards."""
ZWICK: Final = 3.0
"""The points for a zwick (ZWI-38)."""
HELD: Final = 0.3
"""The value of a wild joker in the hand, in addition to its captures in the next turn."""
OTHERS: Final = 0.5
"""The cost of a point that one of several opponents gets; 1 if there is only one opponent."""
KINDS: Final = 18
"""Number of kinds. A kind is a rank or a joker; its cards all take the same items."""
CARDS: Final[list[int]] = [*range(0, 52, 4), *range(FIRST_JOKER, FIRST_JOKER + 5)]
JOKERS: Final = 13
"""The kind of wild jokers."""
_POINTS: Final[dict[str, float]] = {
    "TD": 10.0, "7D": 1.0, "7S": 1.0, "X15": 4.0, "X20": 5.0, "X25": 6.0, "X30": 7.0
}  # fmt: skip


class ZwickerAdviser:
    """`engine.game.Adviser` for all variants of Zwicker."""

    def __init__(self, fmt: Format) -> None:
        rules = fmt.rules
        assert isinstance(rules, ZwickerRules)  # noqa: S101 - the format is Zwicker's
        self.rules: ZwickerRules = rules
        self.horizon: int = 2 * rules.seats
        self.doubt: float = 1.5
        self.points: list[float] = [2.0 if card < 4 else 0.0 for card in range(57)]
        for text, points in _POINTS.items():
            self.points[CODE[text]] = points
        self.cards: list[float] = [points + CARD for points in self.points]
        self.pack: list[int] = [4 * rules.packs] * 13 + [0] * (KINDS - 13)
        for text in rules.jokers:
            self.pack[kind_in(CODE[text])] += rules.packs
        self.kinds: list[int] = []
        self.numbers: list[int] = []
        for kind, card in enumerate(CARDS):
            if self.pack[kind]:
                for number in rules.values[card]:
                    self.kinds.append(kind)
                    self.numbers.append(number)
        self.totals: list[float] = [0.0] * KINDS
        for card in [*range(52), *[CODE[text] for text in rules.jokers]]:
            self.totals[kind_in(card)] += rules.packs * self.cards[card]
        self.top: int = max(self.numbers)
        self.takers: list[list[int]] = [
            [take for take, number in enumerate(self.numbers) if number == value]
            for value in range(32)
        ]
        other = -1.0 if rules.seats == 2 else -OTHERS
        self.turns: list[float] = [other] * (rules.seats - 1)

    def weigh(self, deal: Deal) -> list[float]:
        """For each move, its gain minus the likely captures of the others, plus own later ones."""
        assert isinstance(deal, ZwickerDeal)  # noqa: S101 - the format is Zwicker's
        prices = self.cards
        board = self._board_risk(deal)
        hand = deal.hands[deal.turn]
        held_kinds = [kind_in(card) for card in hand]
        extra_prices = [
            prices[card] - board.prices[held_kinds[index]] for index, card in enumerate(hand)
        ]
        weights: list[float] = []
        for code in deal.coded():
            kind = kind_of(code)
            card = card_of(code)
            target = target_of(code)
            index = hand.index(card)
            own_kinds = held_kinds[:index] + held_kinds[index + 1 :]
            extra_values = extra_prices[:index] + extra_prices[index + 1 :]
            value = -HELD if card == JOKER else 0.0
            if kind == CAPTURE:
                value += prices[card] + board.set_weight(target)
                if target == board.whole and (card != JOKER or self.rules.joker_zwick):
                    value += ZWICK
                gains = board.after_capture(target)
            elif kind == TRAIL:
                gains = board.after_trail(kind_in(card), self.rules.values[card], prices[card])
            else:
                takers = self.takers[number_of(code)]
                gains = board.after_build(target, takers, board.worth[target] + prices[card])
            weights.append(
                value + board.expected_balance(gains, own_kinds, extra_values, self.turns)
            )
        return weights

    def _board_risk(self, deal: ZwickerDeal) -> BoardRisk:
        """The table that the next hands find."""
        rules = self.rules
        table = deal.table
        unseen, means = self._unseen(deal)
        hidden = sum(unseen)
        size = len(deal.hands[(deal.turn + 1) % rules.seats]) or rules.round
        made = capture.sets_by_sum(table, self.top) or []
        worth = item_worths(table, self.cards)
        jokers = joker_items(table)
        chances = [chance_to_hold(count, hidden, size) for count in unseen]
        live = [count > 0 for count in unseen]
        for card in deal.hands[deal.turn]:
            live[kind_in(card)] = True
        groups: list[list[int]] = []
        for take, kind in enumerate(self.kinds):
            number = self.numbers[take]
            sets = made[number] if live[kind] and number < len(made) else []
            groups.append(self._takeable_sets(kind, sets, jokers, worth) if sets else sets)
        sums = best_sums(made, worth)
        return BoardRisk(worth, ZWICK, groups, sums, self.kinds, self.numbers, means, chances, live)

    def _unseen(self, deal: ZwickerDeal) -> tuple[list[int], list[float]]:
        """By kind: the number of cards that the seat to act does not see, and their mean price."""
        counts = self.pack[:]
        prices_by_kind = self.totals[:]
        prices = self.cards
        for pile in [deal.hands[deal.turn], *deal.captured]:
            for card in pile:
                kind = kind_in(card)
                counts[kind] -= 1
                prices_by_kind[kind] -= prices[card]
        for item in deal.table:
            for card in item.cards:
                kind = kind_in(card)
                counts[kind] -= 1
                prices_by_kind[kind] -= prices[card]
        for kind, count in enumerate(counts):
            prices_by_kind[kind] /= max(1, count)
        return counts, prices_by_kind

    def _takeable_sets(
        self, kind: int, sets: list[int], jokers: int, worth: list[float]
    ) -> list[int]:
        """The sets of `sets` that a card of a kind may take. All of them add up to its number.

        `jokers`: the items with a wild joker, as a set. `worth`: the value of each item.
        """
        if jokers and not self.rules.takes_joker(CARDS[kind]):
            sets = [item_set for item_set in sets if not item_set & jokers]
        if kind == JOKERS and self.rules.joker_single:
            best = heaviest([item_set for item_set in sets if not item_set & (item_set - 1)], worth)
            return [best] if best else []
        return sets

    def worth(self, deal: Deal, before: Sequence[int]) -> list[float]:
        """The expected points of each side in the deal.

        These are the points of captured cards and zwicks, the point for most cards by its chance,
        and the best move of the seat to act. A finished deal gets its score.
        """
        if deal.to_act < 0:
            return deal_points(deal.scores(), before)
        assert isinstance(deal, ZwickerDeal)  # noqa: S101 - the format is Zwicker's
        counts = [len(pile) for pile in deal.captured]
        width = 0.85 * sqrt(52 * self.rules.packs + 6 - sum(counts))
        totals: list[float] = []
        for seat, pile in enumerate(deal.captured):
            most_of_others = max([other for index, other in enumerate(counts) if index != seat])
            points = 1.0 / (
                1.0 + exp(-max(-30.0, min(30.0, (counts[seat] - most_of_others) / width)))
            )
            for card in pile:
                points += self.points[card]
            for card in deal.hands[seat]:
                if card == JOKER:
                    points += HELD
            totals.append(points)
        for seat in deal.cleared:
            totals[seat] += ZWICK
        totals[deal.turn] += max(self.weigh(deal))
        return totals


def kind_in(card: int) -> int:
    """The kind of a card: its rank, or 13 and more for jokers."""
    return card >> 2 if card < FIRST_JOKER else 13 + card - FIRST_JOKER


def joker_items(table: Sequence[ZwickerItem]) -> int:
    """The items that are or contain a wild joker, as a set."""
    items = 0
    for item in table:
        items = items << 1 | (1 if item.joker else 0)
    return items
