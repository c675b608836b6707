"""Advice for Cassino: captures by what they take; the most cards and spades as chances.

What a card is worth goes by the score sheet (CAS-29, CAS-31), a share of the most cards and the
most spades included. All captured cards are open, so only hands are guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import TYPE_CHECKING, Final

from engine.cards import CODE, mask_of
from engine.fishing import CAPTURE, TRAIL, card_of, kind_of, what_of
from engine.games.cassino.deal import CassinoDeal
from engine.games.cassino.moves import OUT
from engine.games.cassino.options import Rules
from engine.games.cassino.scoring import SPADES

if TYPE_CHECKING:
    from engine.game import Deal, Format

CARD: Final = 0.13
"""What one more card is worth towards the most cards, in points."""
SPADE: Final = 0.17
TRAILED: Final = 0.6
"""Part of its worth that a card laid on the table loses."""
BUILT: Final = 0.35
"""Part of what a build holds that it is worth to who made it."""
NARROW: Final = 0.85
"""How far the most cards stay open: times the root of the cards not yet captured."""


class CassinoAdviser:
    """`engine.game.Adviser` for all variants of Cassino."""

    def __init__(self, fmt: Format) -> None:
        rules = fmt.rules
        assert isinstance(rules, Rules)  # noqa: S101 - the format is Cassino's
        self.rules: Rules = rules
        self.horizon: int = 2 * rules.seats
        self.doubt: float = 2.0
        self.sweep: float = 1.0 if rules.sweeps else 0.0
        self.cards: list[float] = [self._price(card) for card in range(52)]

    def _price(self, card: int) -> float:
        """What a card is worth to who captures it."""
        rules = self.rules
        price = CARD
        if rules.spade:
            price += 1.0 if SPADES >> card & 1 else 0.0
            price += 1.0 if card in (CODE["AS"], CODE["JS"], CODE["2S"]) else 0.0
        elif SPADES >> card & 1:
            price += SPADE
        plain = not rules.spade or rules.spade_plus
        if card < 4 and (plain or card != CODE["AS"]):
            price += 1.0
        if card == CODE["2S"] and plain:
            price += 1.0
        return price + (2.0 if card == CODE["TD"] else 0.0)

    def weigh(self, deal: Deal) -> list[float]:
        """Captures by the worth of all that they bring, trails by what they give away."""
        assert isinstance(deal, CassinoDeal)  # noqa: S101 - the format is Cassino's
        prices = self.cards
        table = deal.table
        worth = [self._worth(item.cards) for item in table]
        whole = (1 << len(table)) - 1
        found: list[float] = []
        for code in deal.coded():
            kind = kind_of(code)
            card = card_of(code)
            if kind == CAPTURE:
                mask = what_of(code)
                value = prices[card] + (self.sweep if mask == whole else 0.0)
                bit = 1 << len(table)
                for price in worth:
                    bit >>= 1
                    if mask & bit:
                        value += price
                found.append(value)
            elif kind == TRAIL:
                found.append(-TRAILED * prices[card] - 0.1)
            elif kind == OUT:
                found.append(-5.0)
            else:
                found.append(BUILT * (prices[card] + worth[what_of(code)]) - 0.1)
        return found

    def _worth(self, cards: Sequence[int]) -> float:
        total = 0.0
        for card in cards:
            total += self.cards[card]
        return total

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
