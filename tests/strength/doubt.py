"""`python -m tests.strength.doubt`: measures the errors of an adviser's first look.

The first look plays matches. At some of their decisions, its six best moves are tried on the same
guesses of the hidden cards. It prints, in points of lead over the best other side:

- the usual error of the first look (`Adviser.doubt`);
- the standard deviation of the difference between two moves in one playout;
- for several weights of the first look, in rounds: the value of the move that the first `--rounds`
  guesses choose, compared with the first look's own move, on the other guesses.

Example: ``zwicker/grupp/ffa4?deals=1 --matches 12``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random
from statistics import fmean, stdev, variance

from engine import Format, Match
from engine.search.advisers import adviser_of
from engine.search.belief_sampling import Beliefs
from engine.search.expert import score_indices
from engine.search.tree import Tree, TreeNode, codes_of, play_at

MOVES = 6
TRUSTS = (0, 1, 3, 10, 30, 100, 300)


@dataclass(frozen=True)
class SampledDecision:
    """One decision.

    looks: the first look's values of the moves, relative to the first move, which it prefers.
    rounds: the lead after each move, for each guess.
    """

    looks: list[float]
    rounds: list[list[float]]

    def difference(self, at: int) -> list[float]:
        return [values[at] - values[0] for values in self.rounds]

    def gain(self, rounds: int, trust: float) -> float:
        """The gain, in the other rounds, of the move that the first rounds choose."""
        sums = [sum(self.difference(at)[:rounds]) for at in range(len(self.looks))]
        standings = [total + trust * look for total, look in zip(sums, self.looks, strict=True)]
        return fmean(self.difference(standings.index(max(standings)))[rounds:])


def trials(fmt: Format, matches: int, share: float, guesses: int) -> Iterator[SampledDecision]:
    """Trials of random decisions with at least three moves."""
    adviser = adviser_of(fmt)
    for number in range(matches):
        rng = Random(f"doubt {number}")
        match = Match(fmt, f"doubt {number}")
        while match.turn is not None:
            legal = match.legal_moves()
            if len(legal) > 2 and rng.random() < share:
                trial = _trial(match, match.turn, rng, guesses)
                if len(trial.rounds) > guesses // 2:
                    yield trial
            deal = match.sketch()._deal
            looks = dict(zip(deal.legal(), adviser.weigh(deal), strict=True))
            match.play(max(legal, key=lambda move: looks.get(move, float("-inf"))))


def _trial(match: Match, seat: int, rng: Random, guesses: int) -> SampledDecision:
    adviser, view = adviser_of(match.format), match.view(seat)
    can_recall = hasattr(adviser, "recall")
    beliefs = Beliefs(view, rng, *(adviser.recall(view, match.events(seat)) if can_recall else ()))
    deal = beliefs.deal()
    sides = score_indices(view, deal.scores())
    tree = Tree(adviser, rng, sides[seat], sides, deal.scores(), deep=False)
    moves = sorted(zip(adviser.weigh(deal), codes_of(deal), strict=True), reverse=True)[:MOVES]
    rounds = []
    for _ in range(guesses):
        guess = beliefs.deal()
        codes = codes_of(guess)
        if all(code in codes for _, code in moves):
            rounds.append([_lead(tree, guess, codes.index(code)) for _, code in moves])
    return SampledDecision([look - moves[0][0] for look, _ in moves], rounds)


def _lead(tree: Tree, guess: object, place: int) -> float:
    deal = guess.copy([])  # type: ignore[attr-defined]
    turn = deal.turn
    play_at(deal, place)
    lead = tree.playout(TreeNode(0, 0.0), deal, turn)
    assert lead is not None
    return lead


def report(all_trials: Sequence[SampledDecision], rounds: int) -> Iterator[str]:
    """The lines to print."""
    pairs = [(trial, at) for trial in all_trials for at in range(1, len(trial.looks))]
    spreads = [variance(trial.difference(at)) for trial, at in pairs]
    errors = [
        (fmean(trial.difference(at)) - trial.looks[at]) ** 2 - spread / len(trial.rounds)
        for (trial, at), spread in zip(pairs, spreads, strict=True)
    ]
    doubt = sqrt(max(0.0, fmean(errors)))
    yield f"{len(all_trials)} decisions: doubt {doubt:.2f}, spread {sqrt(fmean(spreads)):.2f}"
    for trust in TRUSTS:
        gains = [trial.gain(rounds, trust) for trial in all_trials]
        error = 1.96 * stdev(gains) / sqrt(len(gains))
        yield f"{rounds} rounds, first look as {trust}: {fmean(gains):+.3f} ± {error:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.doubt", description=__doc__)
    parser.add_argument("format")
    parser.add_argument("--matches", type=int, default=10)
    parser.add_argument("--share", type=float, default=0.2)
    parser.add_argument("--guesses", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    fmt = Format.parse(arguments.format)
    print(f"{fmt}, the adviser says {adviser_of(fmt).doubt:g}", flush=True)
    all_trials = list(trials(fmt, arguments.matches, arguments.share, arguments.guesses))
    print(*report(all_trials, arguments.rounds), sep="\n")


if __name__ == "__main__":
    main()
