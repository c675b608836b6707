"""Takes what is best at once: points first, then what lies before its side, then an emptier hand.

Plays any game: it tries each move on a copy of the match and looks at what its side then has.
It never looks further than that, and knows of a game only what `WORTH` says its cards are worth.
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
        worth = WORTH.get(view["game"])
        return own - max(scores), worth(view, side) if worth else 0.0, -len(view["hand"])


def canasta(view, side):
    """Card points of the melds, with the part of its bonus that an unfinished canasta has."""
    points = {"A": 20, "2": 20, "X": 50, "3": 5, "4": 5, "5": 5, "6": 5, "7": 5}
    worth = 100 * sum(view["red3"][seat] for seat in view["sides"][side])
    for meld in view["melds"][side]:
        bonus = 300 if meld["wild"] else 500
        worth += sum(points.get(card[0], 10) for card in meld["cards"])
        worth += bonus * min(len(meld["cards"]) / 7, 1) ** 2
    return worth


def cassino(view, side):
    """Captured cards by what they may score, and sweeps."""
    points = {"TD": 2.0, "2S": 1.0, "AC": 1.0, "AD": 1.0, "AH": 1.0, "AS": 1.0}
    pile = view["captured"][side]
    cards = sum(0.2 + 0.1 * (card[-1] == "S") + points.get(card, 0) for card in pile)
    return cards + view["sweeps"].count(side)


def zwicker(view, side):
    """Captured cards by what they score, a little for each towards the most cards, and zwicks."""
    points = {"TD": 10, "7D": 1, "7S": 1, "X15": 4, "X20": 5, "X25": 6, "X30": 7}
    points.update(dict.fromkeys(("AC", "AD", "AH", "AS"), 2))
    pile = view["captured"][side]
    return sum(points.get(card, 0) + 0.04 for card in pile) + 3 * view["zwicks"].count(side)


def spoon_eye(view, side):
    """Cards won ahead of the others and cards on own masts; in hand a card is worth most."""
    won = [len(pile["single"]) + 2 * len(pile["double"]) for pile in view["won"]]
    if view["raised"]:
        owner = next(i for i, seats in enumerate(view["sides"]) if view["raised"]["seat"] in seats)
        won[owner] += len(view["raised"]["cards"])
    masts = sum(len(mast) for seat in view["sides"][side] for mast in view["masts"][seat])
    own = won.pop(side)
    return own - max(won) + 0.1 * masts + 0.2 * len(view["hand"])


def paks(view, side):
    """Cards in paks by their final values; in hand a card is worth more: it still takes."""
    final = {"A": 20, **dict.fromkeys("KQJT98", 10)}
    laid = [card for seat in view["sides"][side] for pak in view["paks"][seat] for card in pak]
    hand = sum(final.get(card[0], 5) for card in view["hand"])
    return sum(final.get(card[0], 5) for card in laid) + 1.1 * hand


WORTH = {
    "canasta": canasta,
    "cassino": cassino,
    "zwicker": zwicker,
    "spoon-eye": spoon_eye,
    "paks": paks,
}
"""What lies before a side after a move, as far as it can be seen; by game."""
