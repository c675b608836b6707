"""Takes what is best at once: points first, then what lies before its side, then an emptier hand.

Plays any game: it tries each move on a copy of the match and looks at what its side then has.
It never looks further than that, and asks the game what the cards before its side are worth.
"""

import random

from engine import IllegalMove, Match

MOST_MOVES = 200
"""Moves tried; where there are more, the list begins with the large ones."""

NOTHING = (float("-inf"), 0.0, 0)
"""The gain of a move that cannot be tried."""


class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"])

    def choose(self, view, legal):
        if len(legal) == 1:
            return legal[0]
        match = Match.from_view(view, self.random)
        tries = legal[:MOST_MOVES]
        return max(
            tries, key=lambda move: (*self.gain(match, view["seat"], move), self.random.random())
        )

    def gain(self, match, seat, move):
        """(score ahead of the others, worth of what lies there, cards got rid of)."""
        after = match.copy()
        try:
            after.step(move)
        except IllegalMove:  # it depends on hidden cards (what is in a pile), which were guessed
            return NOTHING
        view = after.view(seat)
        side = next(i for i, seats in enumerate(view["sides"]) if seat in seats)
        scores = list(after.scores)
        own = scores.pop(side if len(scores) == len(view["sides"]) else seat)
        worth = match.format.spec.worth(view, side)
        return own - max(scores), worth, -len(view["hand"])
