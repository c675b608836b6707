"""Plays random legal moves, each with equal probability: the opponent that every bot must beat."""

import random


class Bot:
    def start(self, info):
        self.random = random.Random(info["rng"])

    def choose(self, view, legal):
        return self.random.choice(legal)
