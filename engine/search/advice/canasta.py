"""Advice for Canasta: each card has a worth in the hand and another on the table.

How near the end of the deal seems decides how much card points count, and how much the way to a
canasta is worth. A discard is weighed by its own worth and by the chance that the next seat takes
the pile with it. Worths are in points of the score sheet (CAN-65).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.cards import CODE, parse_cards
from engine.games.canasta.card_kinds import BLACK, KIND, KINDS, POINTS, RED, is_wild, kind_counts
from engine.games.canasta.deal import CanastaDeal
from engine.games.canasta.moves import DISCARD
from engine.games.canasta.options import CanastaRules
from engine.games.canasta.scoring import red3_bonus
from engine.search.advice.canasta_steps import PILE, CanastaOutlook, bonus, end_is_near, held

if TYPE_CHECKING:
    from engine.game import Deal, Format

CLOSED: Final = 80.0
"""Worth of having no meld yet while the deal lasts; at a table of six its cost."""


class CanastaAdviser:
    """`engine.game.Adviser` for all variants of Canasta."""

    def __init__(self, fmt: Format) -> None:
        rules = fmt.rules
        assert isinstance(rules, CanastaRules)  # noqa: S101 - the format is Canasta's
        self.rules: CanastaRules = rules
        self.horizon: int = max(12, 4 * rules.playing)
        self.doubt: float = 25.0

    def weigh(self, deal: Deal) -> list[float]:
        """What each step is worth beside what its cards are worth in the hand."""
        assert isinstance(deal, CanastaDeal)  # noqa: S101 - the format is Canasta's
        look = CanastaOutlook(self.rules, deal)
        listed = deal._legal()  # noqa: SLF001 - the moves just listed
        weights = [look.move(move) for move in listed]
        thrown = [
            value for move, value in zip(listed, weights, strict=True) if move.action == DISCARD
        ]
        if thrown:  # a discard follows in any case: only beside each other are they good or bad
            best = max(thrown)
            for at, move in enumerate(listed):
                if move.action == DISCARD:
                    weights[at] -= best
        return weights

    def recall(
        self, view: Mapping[str, Any], seen: Sequence[Mapping[str, Any]]
    ) -> tuple[list[list[int]], list[int]]:
        """By seat, the cards that came to the hand from a pile and did not leave it; the pile."""
        held: list[list[int]] = [[] for _ in view["hand_sizes"]]
        pile: list[int] = []
        for event in seen:
            kind = event["type"]
            if kind == "deal":
                held = [[] for _ in held]
                pile = []
            elif kind == "upcard":
                pile = parse_cards(event["cards"])
            elif kind == "discard":
                card = CODE[event["card"]]
                pile.append(card)
                _leave(held[event["seat"]], [card])
            elif kind == "take":
                hand = held[event["seat"]]
                hand += [card for card in pile[:-1] if KIND[card] != RED or self.rules.red3discard]
                pile = []
                _leave(hand, parse_cards(event["with"]))
            elif kind in ("meld", "red3"):
                _leave(held[event["seat"]], parse_cards(event["cards"]))
        whole = len(pile) == view["pile"]["size"] and not view["step"]["pending"]
        return held, pile if whole else []

    def worth(self, deal: Deal, before: Sequence[int]) -> list[float]:
        """Melds on the table, hands, and the chance to take the pile."""
        if deal.to_act < 0:
            return [float(new - old) for new, old in zip(deal.scores(), before, strict=True)]
        assert isinstance(deal, CanastaDeal)  # noqa: S101 - the format is Canasta's
        sides = [self._side(deal, side) for side in range(len(deal.sides))]
        mover = deal.side_of(deal.turn)
        if deal.pile:
            sides[mover] += self._pile(deal, mover)
        if len(sides) == len(before):
            return sides
        return [sides[deal.side_of(seat)] for seat in range(len(before))]

    def _side(self, deal: CanastaDeal, side: int) -> float:
        """What a side's melds, red threes and hands are worth."""
        rules = self.rules
        melds = deal.melds[side]
        goes_on = 1.0 - end_is_near(rules, deal, side)
        total = 0.0
        kinds = 0
        for meld in melds:
            total += meld.points + bonus(len(meld.cards) - meld.wild, meld.wild, goes_on)
            kinds |= 1 << meld.kind
        red = sum([len(deal.red3[seat]) for seat in deal.sides[side]])
        worth = float(red3_bonus(rules, red))
        if not melds:
            total += (CLOSED if rules.playing <= 4 else -CLOSED) * goes_on
            worth *= 2.0 * goes_on - 1.0 if rules.red3minus else goes_on
        total += worth
        for seat in deal.sides[side]:
            counts = kind_counts(deal.hands[seat])
            for kind in range(KINDS):
                n = counts[kind]
                if n:
                    value = held(kind, n, 4, fits=bool(kinds >> kind & 1))
                    points = POINTS[kind] * n
                    total += goes_on * (value + points) - (1.0 - goes_on) * points
        return total

    def _pile(self, deal: CanastaDeal, side: int) -> float:
        """What the pile is worth to the seat that may take it now."""
        top = KIND[deal.pile[-1]]
        if is_wild(top) or top in (BLACK, RED):
            return 0.0
        n = 0
        for card in deal.hands[deal.turn]:
            if KIND[card] == top:
                n += 1
        able = n > 1
        if not able and not deal.frozen_for(side):
            able = any(meld.kind == top for meld in deal.melds[side])
        if not able:
            return 0.0
        part = 0.8 if deal.melds[side] else 0.4
        return part * PILE * len(deal.pile)


def _leave(hand: list[int], cards: Sequence[int]) -> None:
    """Take `cards` out of a hand, as far as they are known to be there."""
    for card in cards:
        if card in hand:
            hand.remove(card)
