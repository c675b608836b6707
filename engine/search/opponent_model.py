"""Infer hands from moves: the better a move is with a hand, the likelier is this hand.

A guess assigns a hand to every seat. The *regret* of a seat's move is the value of the best move
with this hand minus the value of the move played, by the adviser's first look. The likelihood of a
guess is exp(-regret / temperature): the usual (Boltzmann) model of players who mostly choose the
best move.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from random import Random
from typing import Any, Final

TEMPERATURE: Final = 0.4
"""The temperature, as a multiple of the adviser's usual error (`Adviser.doubt`)."""
IMPOSSIBLE: Final = 1e9
"""The regret of a move that is not legal with the hand."""


class Observation:
    """A decision that another seat made after the last cards were dealt.

    `deal`: the state before the decision, without hands. `code`: the move played, as
    `deal.coded()` lists it. `played`: for each seat, the cards that it played in this move or
    later.
    """

    def __init__(self, deal: Any, code: int, played: Sequence[Sequence[int]]) -> None:
        self.deal: Any = deal
        self.code: int = code
        self.played: list[list[int]] = [list(cards) for cards in played]

    def regret(self, adviser: Any, guess: Any) -> float:
        """The regret of the move, in points, if the seat had the hand that `guess` assigns."""
        deal = self.deal.copy([])
        hands: list[list[int]] = guess.hands
        deal.hands = [sorted(hand + cards) for hand, cards in zip(hands, self.played, strict=True)]
        codes: list[int] = deal.coded()
        if self.code not in codes:
            return 0.0 if deal.truncated else IMPOSSIBLE
        weights: list[float] = adviser.weigh(deal)
        return max(weights) - weights[codes.index(self.code)]


class OpponentModel:
    """Tests guesses against the observed decisions of a deal."""

    def __init__(self, adviser: Any, observations: Sequence[Observation]) -> None:
        self.adviser: Any = adviser
        self.observations: list[Observation] = list(observations)
        self.temperature: float = TEMPERATURE * adviser.doubt

    def regret_limit(self, rng: Random) -> float:
        """A random limit. The chance that it exceeds a guess's regret is the guess's likelihood."""
        return -self.temperature * log(1.0 - rng.random())

    def regret(self, guess: Any, limit: float) -> float:
        """The sum of the regrets of all observations, or a part of it that exceeds `limit`."""
        total = 0.0
        for observation in self.observations:
            total += observation.regret(self.adviser, guess)
            if total > limit:
                break
        return total
