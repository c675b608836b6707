"""Train a net for Cassino by self-play, and store its weights in the folder of its bot."""

import argparse
import os
from time import process_time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # numpy reads it when it is imported

import numpy as np
from learner.bot import WEIGHTS, Net

from cardroom.env import aec

FORMAT = "cassino/standard/1v1"
HIDDEN = 128  # units of the hidden layer
LAMBDA = 0.8  # of TD(λ): weight of the next decision's target; its value has the rest
ROUND_SIZE = 2_000  # decisions per round of learning, at least
PASSES = 2  # over the decisions of a round
BATCH = 256
LEARNING_RATES = 1e-3, 1e-4  # at the beginning and at the end of the training
EXPLORATION = 0.1, 0.02  # share of random moves, at the beginning and at the end


class Trainer:
    """A net, and the state of its optimizer Adam (Kingma and Ba, 2015)."""

    def __init__(self, observation_size, move_size, rng):
        shapes = {
            "observation": (0.1, (observation_size, HIDDEN)),
            "moves": (0.2, (move_size, HIDDEN)),
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
        # Running means of the gradients and of their squares.
        self.means = {name: np.zeros_like(array) for name, array in self.weights.items()}
        self.squares = {name: np.zeros_like(array) for name, array in self.weights.items()}
        self.updates = 0

    def learn(self, decisions, learning_rate):
        """Fit the net to decisions: (observation, row of the chosen move, target)."""
        columns = [np.array(column, "float32") for column in zip(*decisions, strict=True)]
        for _ in range(PASSES):
            order = self.rng.permutation(len(decisions))
            for start in range(0, len(order), BATCH):
                batch = order[start : start + BATCH]
                self.update(*(column[batch] for column in columns), learning_rate)

    def update(self, observations, moves, targets, learning_rate):
        """Make one step of Adam on a batch."""
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
        correction = (1 - 0.999**self.updates) ** 0.5 / (1 - 0.9**self.updates)
        rate = learning_rate * correction
        for name, gradient in gradients.items():
            mean, square = self.means[name], self.squares[name]
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            self.weights[name] -= rate * mean / (np.sqrt(square) + 1e-7)


def self_play(env, trainer, exploration):
    """Play one match with the net in both seats; return all decisions with their targets."""
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
        if trainer.rng.random() < exploration:
            action = int(trainer.rng.integers(len(values)))
        decision = {"observation": observation["observation"], "move": info["moves"][action]}
        decisions[agent].append(decision | {"value": values[best], "deal": info["view"]["deal"]})
        env.step(action)
    return [example for own in decisions.values() for example in with_targets(own)]


def with_targets(decisions):
    """The decisions of one seat in the form that `Trainer.learn` takes, last decision first.

    The target of a deal's last decision is the reward. Earlier targets combine the target and the
    value of the next decision, by TD(λ).
    """
    following = None
    for decision in reversed(decisions):
        if following is None or following["deal"] != decision["deal"]:
            target = decision["reward"]
        else:
            target = LAMBDA * target + (1 - LAMBDA) * following["value"]
        following = decision
        yield decision["observation"], decision["move"], target


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    env = aec(FORMAT)
    env.reset(seed=args.seed)
    encoding = env.table.encoding
    rng = np.random.default_rng(args.seed)
    trainer = Trainer(len(encoding.names), len(encoding.move_names), rng)
    collected, total = [], 0
    for number in range(1, args.matches + 1):
        remaining = 1 - number / args.matches
        learning_rate, exploration = (
            end + remaining * (start - end) for start, end in (LEARNING_RATES, EXPLORATION)
        )
        collected += self_play(env, trainer, exploration)
        if len(collected) >= ROUND_SIZE or number == args.matches:
            trainer.learn(collected, learning_rate)
            total, collected = total + len(collected), []
        if number % 1_000 == 0 or number == args.matches:
            seconds = f"{process_time():.0f} s of processor time"
            print(f"{number} matches, {total} decisions, {seconds}", flush=True)
            np.savez(WEIGHTS, version=encoding.version, **trainer.weights)


if __name__ == "__main__":
    main()
