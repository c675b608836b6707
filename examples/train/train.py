"""Train a net for Cassino by self-play, and write it into the folder of the bot that plays it."""

import argparse
import os
from time import process_time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # numpy reads it when it is imported

import numpy as np
from learner.bot import WEIGHTS, Net

from cardroom.env import aec

FORMAT = "cassino/standard/1v1"
HIDDEN = 128
TRACE = 0.8  # weight of what followed in a target; the rest is what the net expected
COLLECTED = 2_000  # decisions between two rounds of learning
PASSES = 2
BATCH = 256
STEPS = 1e-3, 1e-4  # at the beginning and at the end
EXPLORED = 0.1, 0.02  # share of moves chosen at random, likewise


class Trainer:
    """A net, and the state of its optimizer Adam (Kingma and Ba, 2015)."""

    def __init__(self, inputs, rows, rng):
        """inputs, rows: the lengths of an observation and of the row of a move."""
        shapes = {
            "observation": (0.1, (inputs, HIDDEN)),
            "moves": (0.2, (rows, HIDDEN)),
            "bias": (0.0, HIDDEN),
            "out": (0.5, HIDDEN),
            "mean": (0.0, 1),
        }
        self.rng = rng
        self.weights = {
            name: rng.normal(0, spread, shape).astype("float32")
            for name, (spread, shape) in shapes.items()
        }
        self.net = Net(self.weights)
        self.slopes = {name: np.zeros_like(array) for name, array in self.weights.items()}
        self.squares = {name: np.zeros_like(array) for name, array in self.weights.items()}
        self.updates = 0

    def learn(self, decisions, step):
        """Fit the net to decisions: observation, row of the move, target."""
        columns = [np.array(column, "float32") for column in zip(*decisions, strict=True)]
        for _ in range(PASSES):
            order = self.rng.permutation(len(decisions))
            for at in range(0, len(order), BATCH):
                chosen = order[at : at + BATCH]
                self.update(*(column[chosen] for column in columns), step)

    def update(self, observations, moves, targets, step):
        out = self.weights["out"]
        hidden = self.net.hidden(observations, moves)
        errors = (hidden @ out + self.weights["mean"] - targets) / len(targets)
        inner = np.outer(errors, out) * (hidden > 0)
        gradients = {
            "observation": observations.T @ inner,
            "moves": moves.T @ inner,
            "bias": inner.sum(0),
            "out": hidden.T @ errors,
            "mean": errors.sum(keepdims=True),
        }
        self.updates += 1
        step *= (1 - 0.999**self.updates) ** 0.5 / (1 - 0.9**self.updates)
        for name, gradient in gradients.items():
            slope, square = self.slopes[name], self.squares[name]
            slope += 0.1 * (gradient - slope)
            square += 0.001 * (gradient**2 - square)
            self.weights[name] -= step * slope / (np.sqrt(square) + 1e-7)


def play(env, trainer, explored):
    """Play one match against itself; returns the decisions of both seats with their targets."""
    env.reset()
    decisions = {agent: [] for agent in env.agents}
    for agent in env.agent_iter():
        observation, reward, termination, _, info = env.last()
        if decisions[agent]:
            decisions[agent][-1]["reward"] = reward
        if termination:
            env.step(None)
            continue
        values = trainer.net.values(observation["observation"], info["moves"])
        best = action = int(values.argmax())
        if trainer.rng.random() < explored:
            action = int(trainer.rng.integers(len(values)))
        decision = {"observation": observation["observation"], "move": info["moves"][action]}
        decisions[agent].append(decision | {"value": values[best], "deal": info["view"]["deal"]})
        env.step(action)
    return [decision for rows in decisions.values() for decision in with_targets(rows)]


def with_targets(rows):
    """The decisions of one seat as `Trainer.learn` takes them.

    The target of a deal's last decision is the reward. The others mix the target and the value of
    the next decision: TD(λ) with λ = TRACE.
    """
    following = None
    for row in reversed(rows):
        if following is None or following["deal"] != row["deal"]:
            target = row["reward"]
        else:
            target = TRACE * target + (1 - TRACE) * following["value"]
        following = row
        yield row["observation"], row["move"], target


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    env = aec(FORMAT)
    env.reset(seed=asked.seed)
    encoding = env.table.encoding
    rng = np.random.default_rng(asked.seed)
    trainer = Trainer(len(encoding.names), len(encoding.move_names), rng)
    collected, total = [], 0
    for number in range(1, asked.matches + 1):
        left = 1 - number / asked.matches
        step, explored = (end + left * (start - end) for start, end in (STEPS, EXPLORED))
        collected += play(env, trainer, explored)
        if len(collected) >= COLLECTED or number == asked.matches:
            trainer.learn(collected, step)
            total, collected = total + len(collected), []
        if number % 1_000 == 0 or number == asked.matches:
            seconds = process_time()
            print(f"{number} matches, {total} decisions, {seconds:.0f} s of one core", flush=True)
            np.savez(WEIGHTS, version=encoding.version, **trainer.weights)


if __name__ == "__main__":
    main()
