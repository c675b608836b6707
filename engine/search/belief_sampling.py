"""Guesses of what is hidden: one match that a view allows, or the likelier ones of several.

`Match.from_view` deals the hidden cards evenly among what a view allows. What the seat has seen
tells more: cards that came to a hand in sight or lie in a covered pile, which the view does not
show any more (`recall`, if the game's adviser has it), and what the others played from their hands
(`engine.search.opponent_model`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from engine.deals import BaseDeal
from engine.match import Match
from engine.search.opponent_model import OpponentModel

TRIES: Final = 16
"""Deals of the hidden cards for a guess, at most; then the likeliest of them is taken."""


class Beliefs:
    """Deals that look the same to the seat of a view. `held`: by seat, cards known to be there.
    `pile`: the cards of the pile (`pile` of the deal) in their order, if they are known.

    `past`: what the others played since hands were dealt. `truth`: the match itself, for hindsight;
    then each guess is right.
    """

    def __init__(
        self,
        view: Mapping[str, Any],
        rng: Random,
        held: Sequence[Sequence[int]] = (),
        pile: Sequence[int] = (),
        past: OpponentModel | None = None,
        truth: Match | None = None,
    ) -> None:
        self.past: OpponentModel | None = past
        self.truth: Match | None = truth
        self.view: Mapping[str, Any] = view
        self.rng: Random = rng
        seat: int = view["seat"]
        self.held: list[tuple[int, list[int]]] = [
            (other, list(cards)) for other, cards in enumerate(held) if cards and other != seat
        ]
        self.pile: list[int] = list(pile)

    def deal(self) -> Any:
        """A new guess; the caller may change it."""
        if self.past is None:
            return self.possible()
        best: Any = None
        least = float("inf")
        for _ in range(TRIES):
            guess = self.possible()
            most = self.past.patience(self.rng)
            lack = self.past.lack(guess, max(most, least))
            if lack <= most:
                return guess
            if lack < least:
                best, least = guess, lack
        return best

    def possible(self) -> Any:
        """A deal that the seat cannot rule out, each as likely as another."""
        match = Match.from_view(self.view, self.rng) if self.truth is None else self.truth.sketch()
        deal = match._deal  # noqa: SLF001 - the search plays deals, not matches
        if isinstance(deal, BaseDeal):
            deal.quiet = True
        if self.held or self.pile:
            self.settle(deal)
        return deal

    def settle(self, deal: Any) -> None:
        """Bring the cards that are known to lie somewhere there, each against one that is not."""
        seat: int = self.view["seat"]
        stock: list[int] = deal.stock[deal.stock_at :]
        hands: list[list[int]] = deal.hands
        held: dict[int, list[int]] = dict(self.held)
        for at, card in enumerate(self.pile):
            pile: list[int] = deal.pile
            if pile[at] == card:
                continue
            if card in pile[at:]:
                place = pile.index(card, at)
                pile[at], pile[place] = card, pile[at]
                continue
            pile_of_card = self._fetch(card, seat, seat, hands, stock, {})
            if pile_of_card is not None:
                pile_of_card[pile_of_card.index(card)] = pile[at]
                pile[at] = card
        for owner, cards in self.held:
            hand = hands[owner]
            spare = _less(hand, cards)
            for card in _less(cards, hand):
                if not spare:
                    break
                pile_of_card = self._fetch(card, owner, seat, hands, stock, held)
                if pile_of_card is None:
                    continue
                exchanged = spare.pop(int(self.rng.random() * len(spare)))
                pile_of_card[pile_of_card.index(card)] = exchanged
                hand[hand.index(exchanged)] = card
        for owner, hand in enumerate(hands):
            if owner != seat:
                hand.sort()
        deal.stock = [*deal.stock[: deal.stock_at], *stock]

    def _fetch(
        self,
        card: int,
        owner: int,
        seat: int,
        hands: list[list[int]],
        stock: list[int],
        held: Mapping[int, list[int]],
    ) -> list[int] | None:
        """The hidden pile from which a card can be had: the stock, or a hand that has one more."""
        if card in stock:
            return stock
        for other, hand in enumerate(hands):
            if other not in (owner, seat) and card in _less(hand, held.get(other, [])):
                return hand
        return None


def _less(cards: Sequence[int], without: Sequence[int]) -> list[int]:
    """`cards` without those of `without`, each as often as it is there."""
    left = list(cards)
    for card in without:
        if card in left:
            left.remove(card)
    return left
