"""Advice for Zwicker: captures by what they take, zwicks and jokers above all."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import TYPE_CHECKING, Final

from engine.cards import CODE
from engine.fishing import CAPTURE, TRAIL, card_of, kind_of, what_of
from engine.games.zwicker.deal import ZwickerDeal
from engine.games.zwicker.options import JOKER, Rules

if TYPE_CHECKING:
    from engine.game import Deal, Format

CARD: Final = 0.04
"""What one more card is worth towards the most cards, in points."""
ZWICK: Final = 3.0
TRAILED: Final = 0.6
BUILT: Final = 0.3
HELD: Final = 1.5
"""What a wild joker is worth in the hand: it takes whatever there will be."""
_POINTS: Final[dict[str, float]] = {
    "TD": 10.0, "7D": 1.0, "7S": 1.0, "X15": 4.0, "X20": 5.0, "X25": 6.0, "X30": 7.0
}  # fmt: skip


class ZwickerAdviser:
    """`engine.game.Adviser` for all variants of Zwicker."""

    def __init__(self, fmt: Format) -> None:
        rules = fmt.rules
        assert isinstance(rules, Rules)  # noqa: S101 - the format is Zwicker's
        self.rules: Rules = rules
        self.horizon: int = 2 * rules.seats
        self.doubt: float = 3.0
        self.points: list[float] = [2.0 if card < 4 else 0.0 for card in range(57)]
        for text, points in _POINTS.items():
            self.points[CODE[text]] = points
        self.cards: list[float] = [points + CARD for points in self.points]

    def weigh(self, deal: Deal) -> list[float]:
        """Captures by the worth of all that they bring, trails by what they give away."""
        assert isinstance(deal, ZwickerDeal)  # noqa: S101 - the format is Zwicker's
        prices = self.cards
        worth: list[float] = []
        for item in deal.table:
            total = 0.0
            for card in item.cards:
                total += prices[card]
            worth.append(total)
        whole = (1 << len(worth)) - 1
        found: list[float] = []
        for code in deal.coded():
            kind = kind_of(code)
            card = card_of(code)
            value = -HELD if card == JOKER else 0.0
            if kind == CAPTURE:
                mask = what_of(code)
                value += prices[card]
                if mask == whole and (card != JOKER or self.rules.joker_zwick):
                    value += ZWICK
                bit = 1 << len(worth)
                for price in worth:
                    bit >>= 1
                    if mask & bit:
                        value += price
            elif kind == TRAIL:
                value -= TRAILED * prices[card] + 0.1
            else:
                value += BUILT * (prices[card] + worth[what_of(code)]) - 0.2
            found.append(value)
        return found

    def worth(self, deal: Deal, before: Sequence[int]) -> list[float]:
        """The sheet of the cards captured so far, with a chance for the most cards."""
        if deal.to_act < 0:
            return [float(new - old) for new, old in zip(deal.scores(), before, strict=True)]
        assert isinstance(deal, ZwickerDeal)  # noqa: S101 - the format is Zwicker's
        counts = [len(pile) for pile in deal.captured]
        wide = 0.85 * sqrt(52 * self.rules.packs + 6 - sum(counts))
        found: list[float] = []
        for seat, pile in enumerate(deal.captured):
            most = max([other for at, other in enumerate(counts) if at != seat])
            points = 1.0 / (1.0 + exp(-max(-30.0, min(30.0, (counts[seat] - most) / wide))))
            for card in pile:
                points += self.points[card]
            for card in deal.hands[seat]:
                if card == JOKER:
                    points += HELD
            found.append(points)
        for seat in deal.cleared:
            found[seat] += ZWICK
        return found
