"""Advice for Canasta: the values of moves and positions, in points of the score sheet (CAN-65).

Each card has one value in the hand and another on the table. The likelier the deal ends soon, the
more card points count, and the less progress towards a canasta is worth. The value of a discard
depends on the card and on the chance that the next seat takes the pile with it.
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
from engine.score_sheet import deal_points
from engine.search.advisers.canasta_steps import (
    PILE_CARD,
    CanastaOutlook,
    bonus,
    chance_of_end,
    hand_value,
)

if TYPE_CHECKING:
    from engine.game import Deal, Format

CLOSED: Final = 80.0
"""The value of having no meld yet while the deal continues; with six players, a cost."""


class CanastaAdviser:
    """`engine.game.Adviser` for all variants of Canasta."""

    def __init__(self, fmt: Format) -> None:
        rules = fmt.rules
        assert isinstance(rules, CanastaRules)  # noqa: S101 - the format is Canasta's
        self.rules: CanastaRules = rules
        self.horizon: int = max(12, 4 * rules.playing)
        self.doubt: float = 25.0

    def weigh(self, deal: Deal) -> list[float]:
        """For each move, its value minus the value that its cards have in the hand."""
        assert isinstance(deal, CanastaDeal)  # noqa: S101 - the format is Canasta's
        outlook = CanastaOutlook(self.rules, deal)
        listed = deal._legal()  # noqa: SLF001 - the moves just listed
        weights = [outlook.value_of(move) for move in listed]
        discards = [
            value for move, value in zip(listed, weights, strict=True) if move.action == DISCARD
        ]
        if discards:  # the turn ends with a discard anyway, so the best of them costs nothing
            best = max(discards)
            for index, move in enumerate(listed):
                if move.action == DISCARD:
                    weights[index] -= best
        return weights

    def recall(
        self, view: Mapping[str, Any], seen: Sequence[Mapping[str, Any]]
    ) -> tuple[list[list[int]], list[int]]:
        """The cards that each seat took from a pile and still holds, and the pile's cards.

        The pile is empty if the seat does not know all its cards.
        """
        known_hands: list[list[int]] = [[] for _ in view["hand_sizes"]]
        pile: list[int] = []
        for event in seen:
            kind = event["type"]
            if kind == "deal":
                known_hands = [[] for _ in known_hands]
                pile = []
            elif kind == "upcard":
                pile = parse_cards(event["cards"])
            elif kind == "discard":
                card = CODE[event["card"]]
                pile.append(card)
                _remove(known_hands[event["seat"]], [card])
            elif kind == "take":
                hand = known_hands[event["seat"]]
                hand += [card for card in pile[:-1] if KIND[card] != RED or self.rules.red3discard]
                pile = []
                _remove(hand, parse_cards(event["with"]))
            elif kind in ("meld", "red3"):
                _remove(known_hands[event["seat"]], parse_cards(event["cards"]))
        whole = len(pile) == view["pile"]["size"] and not view["step"]["pending"]
        return known_hands, pile if whole else []

    def worth(self, deal: Deal, before: Sequence[int]) -> list[float]:
        """The expected points of each score in the deal: melds, hands, and the pile.

        A finished deal gets its score.
        """
        if deal.to_act < 0:
            return deal_points(deal.scores(), before)
        assert isinstance(deal, CanastaDeal)  # noqa: S101 - the format is Canasta's
        sides = [self._side(deal, side) for side in range(len(deal.sides))]
        mover = deal.side_of(deal.turn)
        if deal.pile:
            sides[mover] += self._pile(deal, mover)
        if len(sides) == len(before):
            return sides
        return [sides[deal.side_of(seat)] for seat in range(len(before))]

    def _side(self, deal: CanastaDeal, side: int) -> float:
        """The value of a side's melds, red threes and hands."""
        rules = self.rules
        melds = deal.melds[side]
        continue_chance = 1.0 - chance_of_end(rules, deal, side)
        total = 0.0
        kinds = 0
        for meld in melds:
            total += meld.points + bonus(len(meld.cards) - meld.wild, meld.wild, continue_chance)
            kinds |= 1 << meld.kind
        red = sum([len(deal.red3[seat]) for seat in deal.sides[side]])
        worth = float(red3_bonus(rules, red))
        if not melds:
            total += (CLOSED if rules.playing <= 4 else -CLOSED) * continue_chance
            worth *= 2.0 * continue_chance - 1.0 if rules.red3minus else continue_chance
        total += worth
        for seat in deal.sides[side]:
            counts = kind_counts(deal.hands[seat])
            for kind in range(KINDS):
                count = counts[kind]
                if count:
                    value = hand_value(kind, count, 4, fits=bool(kinds >> kind & 1))
                    points = POINTS[kind] * count
                    total += continue_chance * (value + points) - (1.0 - continue_chance) * points
        return total

    def _pile(self, deal: CanastaDeal, side: int) -> float:
        """The value of the pile to the seat in turn, if it can take the pile; else 0."""
        top = KIND[deal.pile[-1]]
        if is_wild(top) or top in (BLACK, RED):
            return 0.0
        n = 0
        for card in deal.hands[deal.turn]:
            if KIND[card] == top:
                n += 1
        can_take = n > 1
        if not can_take and not deal.frozen_for(side):
            can_take = any(meld.kind == top for meld in deal.melds[side])
        if not can_take:
            return 0.0
        share = 0.8 if deal.melds[side] else 0.4
        return share * PILE_CARD * len(deal.pile)


def _remove(hand: list[int], cards: Sequence[int]) -> None:
    """Remove those of `cards` that are known to be in the hand."""
    for card in cards:
        if card in hand:
            hand.remove(card)
