"""Infer hands from moves: the better a move was from a hand, the likelier is that hand.

A guess assigns every seat a hand. Its likelihood is exp(-points / temper), where the points are how
much better the seat could have played from that hand by the adviser's first look. This is the
usual model of players who mostly choose the best move (Boltzmann).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from random import Random
from typing import Any, Final

SURE: Final = 0.4
"""The temper, as a multiple of the adviser's usual error."""
IMPOSSIBLE: Final = 1e9
"""Points assumed for a move that the hand does not allow."""


class Observation:
    """A decision of another seat since hands were dealt; only the hands are unknown.

    `deal`: the state before the decision, with unknown hands. `code`: the move played, as
    `deal.coded()` lists it. `gone`: for each seat, the cards that it has played since then, this
    move's included.
    """

    def __init__(self, deal: Any, code: int, gone: Sequence[Sequence[int]]) -> None:
        self.deal: Any = deal
        self.code: int = code
        self.gone: list[list[int]] = [list(cards) for cards in gone]

    def lack(self, adviser: Any, guess: Any) -> float:
        """How much better the best move would have looked, in points, if `guess` is right."""
        deal = self.deal.copy([])
        hands: list[list[int]] = guess.hands
        deal.hands = [sorted(hand + gone) for hand, gone in zip(hands, self.gone, strict=True)]
        codes: list[int] = deal.coded()
        if self.code not in codes:
            return 0.0 if deal.truncated else IMPOSSIBLE
        weights: list[float] = adviser.weigh(deal)
        return max(weights) - weights[codes.index(self.code)]


class OpponentModel:
    """Tests guesses against the observed decisions of a deal."""

    def __init__(self, adviser: Any, moments: Sequence[Observation]) -> None:
        self.adviser: Any = adviser
        self.moments: list[Observation] = list(moments)
        self.temper: float = SURE * adviser.doubt

    def patience(self, rng: Random) -> float:
        """A random limit for `lack`: a guess is accepted below it, with its likelihood as
        probability."""
        return -self.temper * log(1.0 - rng.random())

    def lack(self, guess: Any, most: float) -> float:
        """The sum of `lack` over all observations; stops once it exceeds `most`."""
        total = 0.0
        for moment in self.moments:
            total += moment.lack(self.adviser, guess)
            if total > most:
                break
        return total
