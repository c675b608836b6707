"""Advice for Cassino: captures by what they take; the most cards and spades as chances.

What a card is worth goes by the score sheet (CAS-29, CAS-31), a share of the most cards and the
most spades included. All captured cards are open, so only hands are guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import TYPE_CHECKING, Final

from engine.cards import CODE, mask_of
from engine.fishing import CAPTURE, TRAIL, card_of, kind_of, number_of, what_of
from engine.games.cassino import capture
from engine.games.cassino.deal import CassinoDeal
from engine.games.cassino.moves import BUILD_PAIR, OUT
from engine.games.cassino.options import Rules
from engine.games.cassino.scoring import SPADES
from engine.search.advice.leavings import Leavings, best_sums

if TYPE_CHECKING:
    from engine.game import Deal, Format

CARD: Final = 0.13
"""What one more card is worth towards the most cards, in points."""
SPADE: Final = 0.17
NARROW: Final = 0.85
"""How far the most cards stay open: times the root of the cards not yet captured."""


class CassinoAdviser:
    """`engine.game.Adviser` for all variants of Cassino."""

    def __init__(self, fmt: Format) -> None:
        rules = fmt.rules
        assert isinstance(rules, Rules)  # noqa: S101 - the format is Cassino's
        self.rules: Rules = rules
        self.horizon: int = 2 * rules.seats
        self.doubt: float = 1.0
        self.sweep: float = 1.0 if rules.sweeps else 0.0
        self.priced: list[list[float]] = [
            [self._price(card, CARD * (at < 2), SPADE * (at % 2 == 0)) for card in range(52)]
            for at in range(4)
        ]
        self.values: list[list[int]] = [[number] if number else [] for number in rules.number]
        self.numbers: list[list[int]] = [[number] if number else [] for number in rules.takes]
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

    def _price(self, card: int, most: float, spade: float) -> float:
        """What a card is worth to who captures it, if the most cards and spades count so much."""
        rules = self.rules
        price = most
        if rules.spade:
            price += 1.0 if SPADES >> card & 1 else 0.0
            price += 1.0 if card in (CODE["AS"], CODE["JS"], CODE["2S"]) else 0.0
        elif SPADES >> card & 1:
            price += spade
        plain = not rules.spade or rules.spade_plus
        if card < 4 and (plain or card != CODE["AS"]):
            price += 1.0
        if card == CODE["2S"] and plain:
            price += 1.0
        return price + (2.0 if card == CODE["TD"] else 0.0)

    def weigh(self, deal: Deal) -> list[float]:
        """What each move brings, what it leaves to the others and what to the own hand."""
        assert isinstance(deal, CassinoDeal)  # noqa: S101 - the format is Cassino's
        if deal.count() == 1:
            return [0.0]
        rules = self.rules
        prices = self._prices(deal)
        table = deal.table
        hand = deal.hands[deal.turn]
        left = self._leavings(deal, prices)
        turns = self.turns[deal.turn]
        worth = left.worth
        whole = left.whole
        found: list[float] = []
        for code in deal.coded():
            kind = kind_of(code)
            card = card_of(code)
            rank = card >> 2
            own = [other >> 2 for other in hand if other != card]
            if kind == CAPTURE:
                mask = what_of(code)
                value = prices[card] + (self.sweep if mask == whole else 0.0) + left.weight(mask)
                gains = left.after_capture(mask)
            elif kind == TRAIL:
                value = 0.0
                gains = left.after_trail(rank, self.values[rank], prices[card])
            elif kind == OUT:
                found.append(-5.0)
                continue
            else:
                value = 0.0
                place = what_of(code)
                if kind == BUILD_PAIR:
                    takers = [rank]
                else:
                    takers = [rules.holder(number_of(code))]
                gains = left.after_build(place, takers, worth[place] + prices[card])
            found.append(value + left.promise(gains, own, turns))
        return found

    def _prices(self, deal: CassinoDeal) -> list[float]:
        """What the cards are worth, now that some questions may be decided."""
        piles = deal.captured
        cards = decided([pile.bit_count() for pile in piles], 52)
        spades = decided([(pile & SPADES).bit_count() for pile in piles], 13)
        return self.priced[2 * cards + spades]

    def _leavings(self, deal: CassinoDeal, prices: list[float]) -> Leavings:
        """The table as the next hands find it."""
        rules = self.rules
        table = deal.table
        hand = deal.hands[deal.turn]
        seen = 0
        for pile in deal.captured:
            seen |= pile
        for item in table:
            seen |= item.mask
        wanted = self.wanted
        held = 0
        for card in hand:
            seen |= 1 << card
            held |= 1 << (card >> 2)
        unseen = _ALL & ~seen
        hidden = unseen.bit_count()
        follower = (deal.turn + 1) % rules.seats
        size = len(deal.hands[follower]) or 4
        made = capture.sums(table, wanted)
        if made is None:
            made = []
        worth: list[float] = []
        for item in table:
            total = 0.001
            for card in item.cards:
                total += prices[card]
            worth.append(total)
        by_sum: list[list[int]] = [[] for _ in range(16)]
        for entry in made:
            by_sum[entry & 15].append(entry >> 4)
        by_sum[0] = []
        pairs = capture.pair_builds(table)
        groups: list[list[int]] = []
        chances: list[float] = []
        means: list[float] = []
        for rank in range(13):
            bits = unseen >> (4 * rank) & 15
            count = bits.bit_count()
            chances.append(1.0 - (1.0 - count / hidden) ** size if count else 0.0)
            price = 0.0
            if count:
                for suit in range(4):
                    if bits >> suit & 1:
                        price += prices[4 * rank + suit]
                price /= count
            else:
                price = prices[4 * rank]
            means.append(price)
            if count or held >> rank & 1:
                groups.append(capture.groups(rules, table, rank, made, pairs))
            else:
                groups.append([])
        return Leavings(
            worth, self.sweep, groups, best_sums(by_sum, worth), self.numbers, means, chances
        )

    def worth(self, deal: Deal, before: Sequence[int]) -> list[float]:
        """The sheet of the cards captured so far, with chances for what is not decided."""
        if deal.to_act < 0:
            return [float(new - old) for new, old in zip(deal.scores(), before, strict=True)]
        assert isinstance(deal, CassinoDeal)  # noqa: S101 - the format is Cassino's
        rules = self.rules
        captured = deal.captured
        points = _chances([pile.bit_count() for pile in captured], 52, 3.0)
        if not rules.spade:
            spades = [(pile & SPADES).bit_count() for pile in captured]
            points = [a + b for a, b in zip(points, _chances(spades, 13, 1.0), strict=True)]
        for side, pile in enumerate(captured):
            points[side] += self._sure(pile)
        if self.sweep:
            for side in deal.cleared:
                points[side] += 1.0
        points[rules.side_of[deal.turn]] += max(self.weigh(deal))
        return points

    def _sure(self, pile: int) -> float:
        """The points of single cards."""
        rules = self.rules
        points = 2.0 if pile & _BIG else 0.0
        aces = pile & _ACES
        if rules.spade:
            points += (pile & SPADES).bit_count() + (pile & _DOUBLE).bit_count()
            if not rules.spade_plus:
                return points + (aces & ~SPADES).bit_count()
        return points + aces.bit_count() + (1.0 if pile & _LITTLE else 0.0)


def decided(counts: Sequence[int], whole: int) -> bool:
    """Whether the most can no longer change: one side has more than any other can reach."""
    first = second = 0
    for count in counts:
        if count > first:
            first, second = count, first
        elif count > second:
            second = count
    return first > second + whole - sum(counts)


_ALL: Final = (1 << 52) - 1
_ACES: Final = 15
_BIG: Final = mask_of([CODE["TD"]])
_LITTLE: Final = mask_of([CODE["2S"]])
_DOUBLE: Final = mask_of([CODE["AS"], CODE["JS"], CODE["2S"]])


def _chances(counts: Sequence[int], whole: int, points: float) -> list[float]:
    """By side the points for the most, times the chance to have them in the end."""
    left = whole - sum(counts)
    wide = NARROW * sqrt(left + 0.2)
    found: list[float] = []
    for side, own in enumerate(counts):
        most = max([other for at, other in enumerate(counts) if at != side])
        found.append(points / (1.0 + exp(-max(-30.0, min(30.0, (own - most) / wide)))))
    return found
