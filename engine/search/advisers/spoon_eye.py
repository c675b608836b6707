"""Advice for Spoon Eye: the values of moves and positions, in points.

The value of a mast is an estimate of the score from raising it. The card that brings it to 21
(SPO-19) can come from the hand, from the stock, or from another mast, whose crow's nest a seat
moves or steals with a nine. The values of opponents' masts are subtracted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from engine.games.spoon_eye import masts, moves
from engine.games.spoon_eye.deal import SpoonEyeDeal
from engine.games.spoon_eye.masts import JACK, Cards
from engine.games.spoon_eye.options import FULL, SpoonEyeRules

if TYPE_CHECKING:
    from engine.game import Deal, Format

SUITS: Final[tuple[float, ...]] = (-1.0, 2.0, 0.0, 1.0)
"""By suit: the bonus above the line for a won card (SPO-47)."""
BONUS_VALUE: Final = 0.4
"""The value of a point above the line if the match has a target: it may not count (SPO-49)."""
READY_SHARE: Final = 0.2
"""The value of a mast whose owner holds the missing card, as a share of the gain from raising."""
LIKELY_SHARE: Final = 0.3
"""The same share if the owner's hand is not seen; it is multiplied by the chance of the card."""
LATER_SHARE: Final = 0.7
"""The value of raising a mast in a later turn, as a share of the value of raising it now."""
DRAW_SHARE: Final = 0.2
"""The same share for raising a mast with a drawn card, if the hand can raise other masts."""
SPOILT_SHARE: Final = 0.5
"""If a seat can raise a mast, the turns of later seats lose this share of their value."""
MAST_SHARE: Final = 0.15
"""The additional value of a mast to its owner, as a share of its points."""
HAND_SHARE: Final = 0.3
"""The value of a card in hand, as a share of its points."""
_TENS: Final = 1 << 9 | 1 << 11 | 1 << 12  # the ranks that count ten on any mast: ten, queen, king


class SpoonEyeAdviser:
    """`engine.game.Adviser` for Spoon Eye."""

    def __init__(self, fmt: Format) -> None:
        rules = fmt.rules
        assert isinstance(rules, SpoonEyeRules)  # noqa: S101 - the format is Spoon Eye's
        self.rules: SpoonEyeRules = rules
        self.horizon: int = 2 * rules.seats
        self.doubt: float = 2.0
        bonus_value = 0.0
        if rules.bonus:
            bonus_value = BONUS_VALUE if rules.target else 1.0
        self.prices: list[float] = [1.0 + bonus_value * SUITS[card & 3] for card in range(52)]
        self.mean: float = 1.0 + 0.5 * bonus_value

    def weigh(self, deal: Deal) -> list[float]:
        """For each move, the change of the total value of all masts."""
        assert isinstance(deal, SpoonEyeDeal)  # noqa: S101 - the format is Spoon Eye's
        outlook = SpoonEyeOutlook(self, deal, deal.to_act, blind=True)
        weights: list[float] = []
        for move in deal.legal():
            if move == "draw":
                weights.append(outlook.draw_value())
                continue
            parsed = moves.parse(move)
            weights.append(outlook.gain(parsed) if parsed is not None else 0.0)
        return weights

    def worth(self, deal: Deal, before: Sequence[int]) -> list[float]:  # noqa: ARG002 - scores do not matter
        """By side: the value of its won cards, masts and hands. All cards of `deal` are known."""
        assert isinstance(deal, SpoonEyeDeal)  # noqa: S101 - the format is Spoon Eye's
        totals: list[float] = []
        for singles, doubles in zip(deal.single, deal.double, strict=True):
            totals.append(self.won_value(singles) + self.won_value(doubles) + doubles.bit_count())
        if deal.to_act < 0:
            return totals
        side_of = self.rules.side_of
        outlook = SpoonEyeOutlook(self, deal, deal.turn, blind=False)
        seats = self.rules.seats
        turn_share = 1.0
        for step in range(seats):
            seat = (deal.turn + step) % seats
            gains, draw_gain = outlook.raisings(seat)
            value = draw_gain * (DRAW_SHARE if gains else LATER_SHARE)
            weight = 1.0 if step == 0 else LATER_SHARE
            for gain in gains[:3]:
                value += weight * gain
                weight *= 0.5
            hand_value = HAND_SHARE * self.mean * len(deal.hands[seat])
            mast_points = sum([outlook.points(mast.cards) for mast in deal.masts[seat]])
            totals[side_of[seat]] += turn_share * value + hand_value + MAST_SHARE * mast_points
            if gains:
                turn_share *= 1.0 - SPOILT_SHARE
        return totals

    def won_value(self, pile: int) -> float:
        """The value of cards, given as a bit mask, to the side that won them."""
        total = 0.0
        while pile:
            lowest_bit = pile & -pile
            total += self.prices[lowest_bit.bit_length() - 1]
            pile ^= lowest_bit
        return total


class SpoonEyeOutlook:
    """A deal as one seat sees it.

    `blind`: whether other hands are hidden from the seat, so that it estimates them from the unseen
    cards.
    """

    def __init__(
        self, adviser: SpoonEyeAdviser, deal: SpoonEyeDeal, seat: int, *, blind: bool
    ) -> None:
        self.adviser: SpoonEyeAdviser = adviser
        self.deal: SpoonEyeDeal = deal
        self.seat: int = seat
        self.blind: bool = blind
        self.side: int = adviser.rules.side_of[seat]
        self.unseen: list[int] = [0] * 13
        self.hidden_count: int = 0
        for card in deal.stock[deal.stock_at :]:
            self.unseen[card >> 2] += 1
        self.hidden_count = len(deal.stock) - deal.stock_at
        self.ranks: list[int] = []  # for each seat, the ranks in its hand as a set
        for other, hand in enumerate(deal.hands):
            ranks = 0
            for card in hand:
                ranks |= 1 << (card >> 2)
                if blind and other != seat:
                    self.unseen[card >> 2] += 1
            if blind and other != seat:
                self.hidden_count += len(hand)
            self.ranks.append(ranks)
        self.plunder_points: list[float] = []  # for each seat, those of an opponent's best mast
        for other in range(len(deal.masts)):
            best_points = 0.0
            for victim in adviser.rules.opponents[other]:
                for mast in deal.masts[victim]:
                    best_points = max(best_points, self.points(mast.cards))
            self.plunder_points.append(best_points)

    def points(self, mast: Cards) -> float:
        """The value of a mast's cards to the side that wins them."""
        prices = self.adviser.prices
        total = 0.0
        for card in mast:
            total += prices[card]
        return total

    def raised_score(self, mast: Cards) -> float:
        """The score of a raised mast, without that of the mast plundered for it."""
        points = self.points(mast)
        if not self.adviser.rules.double:
            return points
        suit = mast[0] & 3
        for card in mast:
            if card & 3 != suit:
                return points + max(0, len(mast) - 3)
        return points + len(mast)

    def mast_value(self, seat: int, mast: Cards, ranks: int) -> float:
        """The value of a mast to its owner.

        `ranks`: the ranks in the owner's hand, as a set; they count only if that hand is seen.
        """
        points = self.points(mast)
        ranks_needed = raising_ranks(mast)
        value = MAST_SHARE * points
        if not ranks_needed:
            return value
        gain = points + self.adviser.mean + self.plunder_points[seat]
        if self.adviser.rules.double:
            gain += max(0, len(mast) - 2)
        if (seat == self.seat or not self.blind) and ranks_needed & ranks:
            return value + READY_SHARE * gain
        return value + LIKELY_SHARE * self.chance(seat, ranks_needed) * gain

    def raisings(self, seat: int) -> tuple[list[float], float]:
        """The gains of the masts that a seat can raise in one turn, and the gain from a draw.

        The gains are sorted, best first. A seat can raise a mast by playing a card from its hand,
        moving a crow's nest, or stealing one with a nine. The gain from a draw is the expected gain
        from the masts that only a drawn card can raise.
        """
        deal = self.deal
        rules = self.adviser.rules
        row = [mast.cards for mast in deal.masts[seat]]
        hand = deal.hands[seat]
        ranks = self.ranks[seat]
        has_played = seat == deal.turn and deal.phase == "play"
        stock_count = len(deal.stock) - deal.stock_at
        nest_ranks = 0
        if rules.nest and stock_count and not has_played and deal.nest_run[seat] < rules.run:
            for mast in row:
                nest_ranks |= 1 << (mast[-1] >> 2)
        stolen_ranks = self.stealable_ranks(seat) if ranks & 1 << 8 else 0
        gains: list[float] = []
        draw_gain = 0.0
        for mast in row:
            needed = raising_ranks(mast)
            if not needed:
                continue
            gain = self.points(mast) + self.adviser.mean + self.plunder_points[seat]
            if rules.double:
                gain += max(0, len(mast) - 2)
            best_gain = 0.0
            if needed & ranks:
                best_gain = gain + self.extra_gain(mast, needed, hand)
            elif needed & (nest_ranks & ~(1 << (mast[-1] >> 2)) | stolen_ranks):
                best_gain = gain
            if best_gain:
                gains.append(best_gain)
            elif stock_count:
                draw_gain += self.chance_to_draw(needed, stock_count) * gain
        gains.sort(reverse=True)
        return gains, draw_gain

    def stealable_ranks(self, seat: int) -> int:
        """The ranks of the crow's nests that a seat could steal, as a set."""
        ranks = 0
        for victim in self.adviser.rules.opponents[seat]:
            for mast in self.deal.masts[victim]:
                ranks |= 1 << (mast.cards[-1] >> 2)
        return ranks

    def extra_gain(self, mast: Cards, needed: int, hand: Sequence[int]) -> float:
        """The gain from the best card in the hand that raises a mast, minus that of a mean card."""
        prices = self.adviser.prices
        suit = mast[0] & 3
        for card in mast:
            if card & 3 != suit:
                suit = -1
        best_gain = -9.0
        for card in hand:
            if needed >> (card >> 2) & 1:
                gain = prices[card] - self.adviser.mean
                if self.adviser.rules.double and card & 3 == suit:
                    gain += len(mast) + 1 - max(0, len(mast) - 2)
                best_gain = max(best_gain, gain)
        return best_gain

    def chance_to_draw(self, needed: int, stock_count: int) -> float:
        """The chance that the next card of the stock has one of these ranks."""
        count = 0
        for card in self.deal.stock[self.deal.stock_at :]:
            if needed >> (card >> 2) & 1:
                count += 1
        return count / stock_count

    def chance(self, seat: int, needed: int) -> float:
        """The chance that a seat holds a card of one of these ranks, or draws one next."""
        count = 0
        for rank in range(13):
            if needed >> rank & 1:
                count += self.unseen[rank]
        if not count or not self.hidden_count:
            return 0.0
        cards = 1
        if self.blind and seat != self.seat:
            cards += len(self.deal.hands[seat])
        return 1.0 - (1.0 - count / self.hidden_count) ** cards

    def sign(self, seat: int) -> float:
        """1 if `seat` is on the side of `self.seat`, else -1."""
        return 1.0 if self.adviser.rules.side_of[seat] == self.side else -1.0

    def draw_value(self) -> float:
        """The value of drawing: the value of the best mast that the hand can raise afterwards."""
        best_value = 0.5
        for mast in self.deal.masts[self.seat]:
            if raising_ranks(mast.cards) & self.ranks[self.seat]:
                best_value = max(
                    best_value,
                    self.points(mast.cards) + self.adviser.mean + self.plunder_points[self.seat],
                )
        return best_value

    def gain(self, move: moves.SpoonEyeMove) -> float:
        """The change of the total value of all masts by a move."""
        kind = move.kind
        if kind == "play":
            return self.change_by_play(move.card, move.target)
        if kind == "take":
            return self.plunder_gain(move.target)
        if kind in ("move", "steal"):
            return self.change_by_nest(move.source, move.target)
        return 0.0

    def change_by_play(self, card: int, place: moves.Place) -> float:
        """The change of the total value by a card played on a mast, or as a new one."""
        ranks = 0
        for held_card in self.deal.hands[self.seat]:
            if held_card != card:
                ranks |= 1 << (held_card >> 2)
        value = self.change_by_card(card, place, ranks) - HAND_SHARE * self.adviser.prices[card]
        if ranks != self.ranks[self.seat]:  # the hand loses its last card of this rank
            for index, mast in enumerate(self.deal.masts[self.seat]):
                if index != place[1] or place[0] != self.seat:
                    value_before = self.mast_value(self.seat, mast.cards, self.ranks[self.seat])
                    value += self.mast_value(self.seat, mast.cards, ranks) - value_before
        rank = card >> 2
        if rank == 2:
            return value + 0.5
        return value + (0.8 if rank == 8 else 0.4 if rank == 3 else 0.0)

    def change_by_card(self, card: int, place: moves.Place, ranks: int) -> float:
        """The change of a mast's value by a card put on it. `ranks`: the hand's ranks after it."""
        seat, index = place
        if index < 0:
            return self.mast_value(seat, (card,), ranks)
        mast = self.deal.masts[seat][index].cards
        value_before = self.mast_value(seat, mast, self.ranks[seat])
        extended = (*mast, card)
        if masts.value(extended) == FULL:
            return self.sign(seat) * (
                self.raised_score(extended) + self.plunder_points[seat] - value_before
            )
        return self.sign(seat) * (self.mast_value(seat, extended, ranks) - value_before)

    def plunder_gain(self, place: moves.Place) -> float:
        """The gain from plundering a mast: its points, and the value that its owner loses."""
        seat, index = place
        if seat < 0:
            return 0.0
        mast = self.deal.masts[seat][index].cards
        return self.points(mast) + self.mast_value(seat, mast, 0)

    def change_by_nest(self, source: moves.Place, target: moves.Place) -> float:
        """The change of the value of two masts by moving or stealing a crow's nest."""
        seat, index = source
        mast = self.deal.masts[seat][index].cards
        ranks = self.ranks[self.seat]
        value_left = self.mast_value(seat, mast[:-1], ranks) if len(mast) > 1 else 0.0
        change = self.sign(seat) * (value_left - self.mast_value(seat, mast, ranks))
        return change + self.change_by_card(mast[-1], target, ranks)


def raising_ranks(mast: Cards) -> int:
    """The ranks of the cards that raise a mast, as a set (SPO-7, SPO-8, SPO-19)."""
    total, nest_value = masts.measure(mast)
    gap = FULL - total
    ranks = 0
    if gap == 10:
        ranks = _TENS
    elif gap < 10:
        ranks = 1 << (gap - 1)
    if gap == nest_value:
        ranks |= 1 << JACK
    return ranks
