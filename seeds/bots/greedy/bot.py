"""Plays any game greedily: prefers points, then valuable cards on its side, then a smaller hand.

The bot tries each move on a copy of the match, and looks only at the position directly after it.
The game itself values the cards on a side.
"""

import random

from engine import IllegalMove, Match

MAX_MOVES = 200
"""Maximum number of moves that the bot tries, from the start of the list."""

UNTRIED = (float("-inf"), 0.0, 0)
"""The value of a move that cannot be tried."""


class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"])

    def choose(self, view, legal):
        if len(legal) == 1:
            return legal[0]
        match = Match.from_view(view, self.random)
        moves = legal[:MAX_MOVES]
        return max(
            moves, key=lambda move: (*self.value(match, view["seat"], move), self.random.random())
        )

    def value(self, match, seat, move):
        """(lead over the best other score, value of the side's cards, minus the hand's size)."""
        after = match.copy()
        try:
            after.step(move)
        except IllegalMove:  # the guess at the hidden cards, such as those of a pile, forbids it
            return UNTRIED
        view = after.view(seat)
        side = next(i for i, seats in enumerate(view["sides"]) if seat in seats)
        scores = list(after.scores)
        # Where sides form during play, each seat has a score of its own.
        own = scores.pop(side if len(scores) == len(view["sides"]) else seat)
        worth = match.format.spec.worth(view, side)
        return own - max(scores), worth, -len(view["hand"])
