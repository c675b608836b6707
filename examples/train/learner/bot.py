"""Plays the move that a small neural net values most. `train.py` writes its weights."""

from pathlib import Path

import numpy as np

from engine.encoding import encoding_of
from engine.game import Format

WEIGHTS = Path(__file__).with_name("weights.npz")


class Net:
    """A net with one hidden layer. Its values are expected leads after the deal, in points."""

    def __init__(self, weights):
        self.weights = weights

    def hidden(self, observation, moves):
        weights = self.weights
        layer = observation @ weights["observation"] + moves @ weights["moves"] + weights["bias"]
        return np.maximum(layer, 0)

    def values(self, observation, moves):
        """The value of the move in each row of `moves`."""
        return self.hidden(observation, moves) @ self.weights["out"] + self.weights["mean"]


def load(version):
    """The trained net. ValueError if it was trained with another version of the encoding."""
    with np.load(WEIGHTS) as file:
        weights = dict(file)
    trained_version = int(weights.pop("version"))
    if trained_version != version:
        raise ValueError(
            f"{WEIGHTS.name} was trained with version {trained_version} of the game's encoding, "
            f"and this engine has version {version}: train it again."
        )
    return Net(weights)


class Bot:
    def start(self, info):
        self.encoding = encoding_of(Format.parse(info["format"]))
        self.net = load(self.encoding.version)

    def choose(self, view, legal):
        observation = np.frombuffer(self.encoding.observe(view), "float32")
        moves = np.frombuffer(self.encoding.describe(view, legal), "float32")
        return legal[self.net.values(observation, moves.reshape(len(legal), -1)).argmax()]
