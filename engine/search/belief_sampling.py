"""Guess the hidden cards: sample deals that the seat's view allows, likelier ones more often.

`Match.from_view` samples uniformly from the deals that a view allows. The earlier events reveal
more: cards that a hand took openly or that lie in a covered pile, although the view no longer shows
them (`recall`, if the game's adviser has it), and the moves of the others
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
"""Maximum sampled deals for one guess; if none is accepted, the likeliest is used."""


class Beliefs:
    """Samples deals that look the same to the seat of a view.

    `held`: for each seat, cards known to be in its hand. `pile`: the cards of the deal's pile in
    order, if they are known. `past`: the moves of the others since hands were dealt. `truth`: the
    match itself, for hindsight; then every guess is the real deal.
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
        """A deal that the seat cannot rule out; all are equally likely."""
        match = Match.from_view(self.view, self.rng) if self.truth is None else self.truth.sketch()
        deal = match._deal  # noqa: SLF001 - the search plays deals, not matches
        if isinstance(deal, BaseDeal):
            deal.quiet = True
        if self.held or self.pile:
            self.settle(deal)
        return deal

    def settle(self, deal: Any) -> None:
        """Move cards to their known places, each in exchange for a card that is not known."""
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
            spare = _minus(hand, cards)
            for card in _minus(cards, hand):
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
        """Where to take a card from: the stock, or a hand with more of it than is known there."""
        if card in stock:
            return stock
        for other, hand in enumerate(hands):
            if other not in (owner, seat) and card in _minus(hand, held.get(other, [])):
                return hand
        return None


def _minus(cards: Sequence[int], without: Sequence[int]) -> list[int]:
    """`cards` minus `without`, as multisets."""
    left = list(cards)
    for card in without:
        if card in left:
            left.remove(card)
    return left
