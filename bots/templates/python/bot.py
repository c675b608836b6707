"""A Cardroom bot. `choose` is called whenever it must decide; print goes to the bot's own log."""

import random


class Bot:
    def start(self, info):
        """Called once. info has format, seat, sides, players, clock, and rng: a seed for you."""
        self.random = random.Random(info["rng"])

    def choose(self, view, legal):
        """Called for each move. view is what you may know; return one of the legal moves."""
        return self.random.choice(legal)

    def event(self, event):
        """Called for everything that happened since your last move, in order. May be left out."""

    def deal(self, sheet):
        """Called after each deal with its score sheet. May be left out."""

    def end(self, result):
        """Called at the end with scores and ranks. May be left out."""
