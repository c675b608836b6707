"""Advice for Cassino: the values of moves and positions, in points.

A captured card is worth its points (CAS-29, CAS-31), plus a share of the points for most cards and
most spades. The score of a position counts these points by the chance to get them. All captured
cards are open, so only hands are guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, sqrt
from typing import TYPE_CHECKING, Any, Final

from engine.cards import CODE, mask_of
from engine.fishing import CAPTURE, TRAIL, card_of, kind_of, number_of, target_of
from engine.games.cassino import capture
from engine.games.cassino.deal import ROUND, CassinoDeal
from engine.games.cassino.moves import BUILD_PAIR, OUT
from engine.games.cassino.options import CassinoRules
from engine.games.cassino.scoring import SPADES
from engine.score_sheet import deal_points
from engine.search.advisers.board_risk import BoardRisk, best_sums, chance_to_hold, item_worths
from engine.search.advisers.cassino_past import observations
from engine.search.opponent_model import Observation

if TYPE_CHECKING:
    from engine.game import Deal, Format

CARD: Final = 0.13
"""The points that one more card is worth towards most cards."""
SPADE: Final = 0.17
"""The points that one more spade is worth towards most spades."""
RANKS: Final = list(range(13))
MAJORITY_DOUBT: Final = 0.85
"""The uncertainty about a majority, in cards: this times the root of the number of cards that no
side has captured."""


class CassinoAdviser:
    """`engine.game.Adviser` for all variants of Cassino."""

    def __init__(self, fmt: Format) -> None:
        rules = fmt.rules
        assert isinstance(rules, CassinoRules)  # noqa: S101 - the format is Cassino's
        self.rules: CassinoRules = rules
        self.horizon: int = 2 * rules.seats
        self.doubt: float = 1.0
        self.sweep: float = 1.0 if rules.sweeps else 0.0
        self.priced: list[list[float]] = [
            [self._price(card, CARD * (index < 2), SPADE * (index % 2 == 0)) for card in range(52)]
            for index in range(4)
        ]
        self.values: list[list[int]] = [[number] if number else [] for number in rules.number]
        self.numbers: list[int] = list(rules.takes)
        self.wanted: int = 0
        for number in rules.takes:
            self.wanted |= 1 << number
        self.wanted &= ~1
        self.turns: list[list[float]] = [
            [
                1.0 if rules.side_of[(seat + step) % rules.seats] == rules.side_of[seat] else -1.0
                for step in range(1, rules.seats)
            ]
            for seat in range(rules.seats)
        ]

    def _price(self, card: int, card_share: float, spade_share: float) -> float:
        """The value of a card to its captor.

        `card_share`: its value towards most cards. `spade_share`: that of a spade towards most
        spades.
        """
        rules = self.rules
        price = card_share
        if rules.spade:
            price += 1.0 if SPADES >> card & 1 else 0.0
            price += 1.0 if card in (CODE["AS"], CODE["JS"], CODE["2S"]) else 0.0
        elif SPADES >> card & 1:
            price += spade_share
        has_card_points = not rules.spade or rules.spade_plus
        if card < 4 and (has_card_points or card != CODE["AS"]):
            price += 1.0
        if card == CODE["2S"] and has_card_points:
            price += 1.0
        return price + (2.0 if card == CODE["TD"] else 0.0)

    def weigh(self, deal: Deal) -> list[float]:
        """For each move, its gain minus the likely captures of the others, plus own later ones."""
        assert isinstance(deal, CassinoDeal)  # noqa: S101 - the format is Cassino's
        prices = self._prices(deal)
        hand = deal.hands[deal.turn]
        board = self._board_risk(deal, prices)
        turns = self.turns[deal.turn]
        weights: list[float] = []
        for code in deal.coded():
            kind = kind_of(code)
            card = card_of(code)
            target = target_of(code)
            value = 0.0
            if kind == CAPTURE:
                value = prices[card] + board.set_weight(target)
                if target == board.whole:
                    value += self.sweep
                gains = board.after_capture(target)
            elif kind == TRAIL:
                gains = board.after_trail(card >> 2, self.values[card >> 2], prices[card])
            elif kind == OUT:
                weights.append(-5.0)
                continue
            else:
                taker = card >> 2 if kind == BUILD_PAIR else self.rules.holder(number_of(code))
                gains = board.after_build(target, [taker], board.worth[target] + prices[card])
            other_cards = [other for other in hand if other != card]
            own_kinds = [other >> 2 for other in other_cards]
            extra = [prices[other] - board.prices[other >> 2] for other in other_cards]
            weights.append(value + board.expected_balance(gains, own_kinds, extra, turns))
        return weights

    def _prices(self, deal: CassinoDeal) -> list[float]:
        """The value of each card; most cards and most spades count only while undecided."""
        piles = deal.captured
        cards = decided([pile.bit_count() for pile in piles], 52)
        spades = decided([(pile & SPADES).bit_count() for pile in piles], 13)
        return self.priced[2 * cards + spades]

    def _board_risk(self, deal: CassinoDeal, prices: list[float]) -> BoardRisk:
        """The table that the next hands find."""
        rules = self.rules
        table = deal.table
        sets = capture.sets_adding_up(table, self.wanted) or []
        by_sum: list[list[int]] = [[] for _ in range(16)]
        for entry in sets:
            by_sum[entry & 15].append(entry >> 4)
        by_sum[0] = []
        pairs = capture.pair_builds(table)
        held_ranks = {card >> 2 for card in deal.hands[deal.turn]}
        unseen = unseen_cards(deal)
        hidden = unseen.bit_count()
        size = len(deal.hands[(deal.turn + 1) % rules.seats]) or ROUND
        groups: list[list[int]] = []
        chances: list[float] = []
        means: list[float] = []
        live: list[bool] = []
        for rank in range(13):
            suits = unseen >> (4 * rank) & 15
            chances.append(chance_to_hold(suits.bit_count(), hidden, size))
            means.append(_mean(prices, 4 * rank, suits))
            live.append(suits > 0 or rank in held_ranks)
            groups.append(
                capture.single_groups(rules, table, rank, sets, pairs) if live[rank] else []
            )
        worth = item_worths(table, prices)
        sums = best_sums(by_sum, worth)
        return BoardRisk(worth, self.sweep, groups, sums, RANKS, self.numbers, means, chances, live)

    def observations(self, deal: Deal, seen: Sequence[Mapping[str, Any]]) -> list[Observation]:
        """The decisions of the other seats since hands were dealt."""
        assert isinstance(deal, CassinoDeal)  # noqa: S101 - the format is Cassino's
        return observations(deal, seen)

    def worth(self, deal: Deal, before: Sequence[int]) -> list[float]:
        """The expected points of each side in the deal.

        These are the points of captured cards and sweeps, the points for majorities by their
        chances, and the best move of the seat to act. A finished deal gets its score.
        """
        if deal.to_act < 0:
            return deal_points(deal.scores(), before)
        assert isinstance(deal, CassinoDeal)  # noqa: S101 - the format is Cassino's
        rules = self.rules
        captured = deal.captured
        points = _majority_points([pile.bit_count() for pile in captured], 52, 3.0)
        if not rules.spade:
            spades = [(pile & SPADES).bit_count() for pile in captured]
            points = [a + b for a, b in zip(points, _majority_points(spades, 13, 1.0), strict=True)]
        for side, pile in enumerate(captured):
            points[side] += self._card_points(pile)
        if self.sweep:
            for side in deal.cleared:
                points[side] += 1.0
        points[rules.side_of[deal.turn]] += max(self.weigh(deal))
        return points

    def _card_points(self, pile: int) -> float:
        """The points of the single cards in a captured pile, which is a bit mask."""
        rules = self.rules
        points = 2.0 if pile & _TEN_OF_DIAMONDS else 0.0
        aces = pile & _ACES
        if rules.spade:
            points += (pile & SPADES).bit_count() + (pile & _DOUBLED_SPADES).bit_count()
            if not rules.spade_plus:
                return points + (aces & ~SPADES).bit_count()
        return points + aces.bit_count() + (1.0 if pile & _TWO_OF_SPADES else 0.0)


def unseen_cards(deal: CassinoDeal) -> int:
    """The cards that the seat to act does not see, as a bit mask."""
    seen = 0
    for pile in deal.captured:
        seen |= pile
    for item in deal.table:
        seen |= item.mask
    for card in deal.hands[deal.turn]:
        seen |= 1 << card
    return _ALL & ~seen


def _mean(prices: Sequence[float], lowest_card: int, suits: int) -> float:
    """The mean value of a rank's cards in some suits; that of its club if `suits` is empty.

    `lowest_card`: the rank's club. `suits`: a bit for each suit.
    """
    count = suits.bit_count()
    if not count:
        return prices[lowest_card]
    total = 0.0
    for suit in range(4):
        if suits >> suit & 1:
            total += prices[lowest_card + suit]
    return total / count


def decided(counts: Sequence[int], whole: int) -> bool:
    """Whether a majority is decided: one side has more than any other can still reach.

    `counts`: the cards of each side. `whole`: the number of all such cards.
    """
    highest = second_highest = 0
    for count in counts:
        if count > highest:
            highest, second_highest = count, highest
        elif count > second_highest:
            second_highest = count
    return highest > second_highest + whole - sum(counts)


_ALL: Final = (1 << 52) - 1
_ACES: Final = 15
_TEN_OF_DIAMONDS: Final = mask_of([CODE["TD"]])
_TWO_OF_SPADES: Final = mask_of([CODE["2S"]])
_DOUBLED_SPADES: Final = mask_of([CODE["AS"], CODE["JS"], CODE["2S"]])


def _majority_points(counts: Sequence[int], whole: int, points: float) -> list[float]:
    """For each side, the points for a majority times the chance to get it."""
    cards_left = whole - sum(counts)
    width = MAJORITY_DOUBT * sqrt(cards_left + 0.2)
    chances: list[float] = []
    for side, own_count in enumerate(counts):
        most_of_others = max(
            [other for other_side, other in enumerate(counts) if other_side != side]
        )
        chances.append(
            points / (1.0 + exp(-max(-30.0, min(30.0, (own_count - most_of_others) / width))))
        )
    return chances
