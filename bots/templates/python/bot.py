"""A Cardroom bot. `choose` is called for each of its moves; print writes to the bot's own log."""

import random


class Bot:
    def start(self, info):
        """Called once. info has format, seat, sides, players, clock, and rng, a random seed."""
        self.random = random.Random(info["rng"])

    def choose(self, view, legal):
        """Called for each move. view has all that your seat can see; return a legal move."""
        return self.random.choice(legal)

    def event(self, event):
        """Called for each event since your last move, in order. Optional."""

    def deal(self, sheet):
        """Called after each deal with its score sheet. Optional."""

    def end(self, result):
        """Called at the end with scores and ranks. Optional."""
