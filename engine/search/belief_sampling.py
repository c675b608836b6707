"""Guess the hidden cards: sample deals that agree with a seat's view, likelier ones more often.

`Match.from_view` samples all these deals equally often. Earlier events tell more. The seat may have
seen cards that its view no longer shows, in a hand or in a covered pile; an adviser with a method
`recall` remembers them. And the moves of the other seats depended on their cards
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
"""Maximum number of deals sampled for one guess.

If the opponent model accepts none of them, the one with the least regret is the guess."""


class Beliefs:
    """Samples deals that agree with the knowledge of a view's seat.

    `held`: for each seat, cards known to be in its hand. `pile`: the cards of the deal's pile in
    order, if the seat knows them. `opponents`: a model of the other seats; if given, it tests
    guesses against their moves. `truth`: the match itself, for hindsight; if given, every guess is
    the real deal.
    """

    def __init__(
        self,
        view: Mapping[str, Any],
        rng: Random,
        held: Sequence[Sequence[int]] = (),
        pile: Sequence[int] = (),
        opponents: OpponentModel | None = None,
        truth: Match | None = None,
    ) -> None:
        self.opponents: OpponentModel | None = opponents
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
        if self.opponents is None:
            return self._sample()
        best_guess: Any = None
        least_regret = float("inf")
        for _ in range(TRIES):
            guess = self._sample()
            limit = self.opponents.regret_limit(self.rng)
            regret = self.opponents.regret(guess, max(limit, least_regret))
            if regret <= limit:
                return guess
            if regret < least_regret:
                best_guess, least_regret = guess, regret
        return best_guess

    def _sample(self) -> Any:
        """A deal that the seat cannot rule out; all such deals are equally likely."""
        match = Match.from_view(self.view, self.rng) if self.truth is None else self.truth.sketch()
        deal = match._deal  # noqa: SLF001 - the search plays deals, not matches
        if isinstance(deal, BaseDeal):
            deal.quiet = True
        if self.held or self.pile:
            self._place_known(deal)
        return deal

    def _place_known(self, deal: Any) -> None:
        """Exchange cards, so that known cards are where the seat knows them to be.

        Each known card changes places with a card whose place is not known.
        """
        seat: int = self.view["seat"]
        stock: list[int] = deal.stock[deal.stock_at :]
        hands: list[list[int]] = deal.hands
        cards_by_owner: dict[int, list[int]] = dict(self.held)
        for index, card in enumerate(self.pile):
            pile: list[int] = deal.pile
            if pile[index] == card:
                continue
            if card in pile[index:]:
                position = pile.index(card, index)
                pile[index], pile[position] = card, pile[index]
                continue
            source = self._source(card, seat, seat, hands, stock, {})
            if source is not None:
                source[source.index(card)] = pile[index]
                pile[index] = card
        for owner, cards in self.held:
            hand = hands[owner]
            spare = _without(hand, cards)
            for card in _without(cards, hand):
                if not spare:
                    break
                source = self._source(card, owner, seat, hands, stock, cards_by_owner)
                if source is None:
                    continue
                exchanged = spare.pop(int(self.rng.random() * len(spare)))
                source[source.index(card)] = exchanged
                hand[hand.index(exchanged)] = card
        for owner, hand in enumerate(hands):
            if owner != seat:
                hand.sort()
        deal.stock = [*deal.stock[: deal.stock_at], *stock]

    def _source(
        self,
        card: int,
        owner: int,
        seat: int,
        hands: list[list[int]],
        stock: list[int],
        cards_by_owner: Mapping[int, list[int]],
    ) -> list[int] | None:
        """The stock or the hand to take `card` from; None if the seat knows all its copies."""
        if card in stock:
            return stock
        for holder, hand in enumerate(hands):
            if holder not in (owner, seat) and card in _without(
                hand, cards_by_owner.get(holder, [])
            ):
                return hand
        return None


def _without(cards: Sequence[int], removed: Sequence[int]) -> list[int]:
    """`cards` without one copy of each card in `removed`."""
    remaining = list(cards)
    for card in removed:
        if card in remaining:
            remaining.remove(card)
    return remaining
