"""Takes what is best at once: points first, then captured cards, then an emptier hand.

Plays any game: it tries each move on a copy of the match and looks at what its side then has.
"""

import random

from engine import Match

MOST_MOVES = 200
"""Moves tried; where there are more, the list begins with the large ones."""

POINTS = {"TD": 2.0, "2S": 1.0, "AC": 1.0, "AD": 1.0, "AH": 1.0, "AS": 1.0}
"""What cards are worth in Cassino, besides being cards."""


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
        """(score ahead of the others, worth of what is captured, cards got rid of)."""
        after = match.copy()
        after.step(move)
        view = after.view(seat)
        side = next(i for i, seats in enumerate(view["sides"]) if seat in seats)
        scores = list(after.scores)
        own = scores.pop(side) if len(scores) == len(view["sides"]) else scores.pop(seat)
        return own - max(scores), worth(view, side), -len(view["hand"])


def worth(view, side):
    """The worth of a side's captured cards, sweeps included; 0 where nothing is captured."""
    captured = view.get("captured")
    if not captured or side >= len(captured) or not isinstance(captured[side], list):
        return 0.0
    cards = sum(0.2 + 0.1 * (card[-1] == "S") + POINTS.get(card, 0) for card in captured[side])
    return cards + view.get("sweeps", []).count(side)
