"""Try all moves of a decision on the same guesses; moves that fall far behind drop out.

A lucky guess helps every move. Therefore moves are compared on the same guess: their differences
are known after fewer guesses than their values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any, Final

from engine.search.belief_sampling import Beliefs
from engine.search.tree import Tree, TreeNode, codes_of, play_at

ENTRANTS: Final = 20
"""Maximum number of moves in a race: those with the highest first looks of the adviser."""
FIRST_LOOK_GUESSES: Final = 5
"""Number of guesses over which the adviser's first look is averaged, because it may depend on them.
"""
MAX_ERRORS_BEHIND: Final = 3.0
"""A move drops out when it is this many standard errors behind the best."""
MIN_ROUNDS: Final = 8
"""Guesses before any move drops out."""


class Runner:
    """A move in the race.

    In each round, its *excess* is its value minus the mean value of all running moves. `excess`:
    the sum of these differences. `squares`: the sum of their squares.
    """

    __slots__ = ("excess", "move", "node", "rivals", "rounds", "squares")

    def __init__(self, move: str, code: int, first_look: float) -> None:
        self.move: str = move
        self.node: TreeNode = TreeNode(code, first_look)
        self.rounds: int = 0
        self.excess: float = 0.0
        self.squares: float = 0.0
        # By move: the `excess` of the remaining runners when this one dropped out.
        self.rivals: dict[str, float] = {}

    def add_round(self, excess: float) -> None:
        self.rounds += 1
        self.excess += excess
        self.squares += excess * excess

    def standing(self, trust: float) -> float:
        """The mean excess. The adviser's first look counts as `trust` rounds."""
        return (self.excess + trust * self.node.first_look) / max(1e-9, self.rounds + trust)

    @property
    def doubt(self) -> float:
        """The standard error of the mean excess; 0 before the second round."""
        if self.rounds < 2:
            return 0.0
        mean = self.excess / self.rounds
        return sqrt(max(0.0, self.squares / self.rounds - mean * mean) / (self.rounds - 1))

    def place_in(self, deal: Any, codes: Sequence[int]) -> int:
        """The move's index among the legal moves of a guess; -1 if it is not legal there."""
        if self.node.code < 0:
            legal = deal.legal()
            if self.move not in legal:
                return -1
            self.node.code = codes[legal.index(self.move)]
        for place, code in enumerate(codes):
            if code == self.node.code:
                return place
        return -1


class Race:
    """The comparison of the moves of one decision.

    `legal`: the moves as the referee lists them. `required`: moves that never drop out.
    """

    def __init__(
        self,
        tree: Tree,
        guesses: Beliefs,
        legal: Sequence[str],
        required: Sequence[str],
        entrants: int,
    ) -> None:
        self.tree: Tree = tree
        self.guesses: Beliefs = guesses
        self.required: list[str] = list(required)
        self.squares: float = 0.0  # the sum of the squares of all runners
        self.values: int = 0  # the number of terms in `squares`
        self.runners: list[Runner] = self._entrants(legal, min(entrants, ENTRANTS))
        self.running: list[Runner] = self.runners[:]

    def _entrants(self, legal: Sequence[str], max_count: int) -> list[Runner]:
        """The best moves by the adviser's first look, and the moves that must be tried."""
        deal = self.guesses.deal()
        codes = codes_of(deal)
        guessed_legal: list[str] = deal.legal()
        first_looks = self._first_looks(deal, codes)
        legal_set = set(legal)
        runners = [
            Runner(move, code, first_look)
            for move, code, first_look in zip(guessed_legal, codes, first_looks, strict=True)
            if move in legal_set
        ]
        runners.sort(key=_first_look_of, reverse=True)
        chosen = runners[:max_count]
        chosen += [runner for runner in runners[max_count:] if runner.move in self.required]
        lowest_look = chosen[-1].node.first_look if chosen else 0.0
        chosen_moves = {runner.move for runner in chosen}
        # If legality depends on hidden cards, the guess may not list a legal move.
        missing = self.required if chosen else legal[:max_count]
        return chosen + [
            Runner(move, -1, lowest_look) for move in missing if move not in chosen_moves
        ]

    def _first_looks(self, deal: Any, codes: Sequence[int]) -> list[float]:
        """For each move, its weight minus the best weight, averaged over some guesses."""
        weights: list[float] = self.tree.adviser.weigh(deal)
        sums = weights[:]
        for _ in range(FIRST_LOOK_GUESSES - 1):
            guess = self.guesses.deal()
            if codes_of(guess) != codes:
                continue
            weights = self.tree.adviser.weigh(guess)
            sums = [total + weight for total, weight in zip(sums, weights, strict=True)]
        top = max(sums)
        return [(total - top) / FIRST_LOOK_GUESSES for total in sums]

    def run(self, playouts: int, stop: Callable[[], bool]) -> None:
        """Run rounds until the playouts are used up, `stop` returns true, or one move is left."""
        count = 0
        rounds = 0
        while count < playouts and not stop():
            count += max(1, self._round(stop))  # a guess without a legal move costs time, too
            rounds += 1
            if rounds >= MIN_ROUNDS and rounds % 4 == 0:
                self._drop()
                if len(self.running) == 1 < len(self.runners):
                    return

    def _round(self, stop: Callable[[], bool]) -> int:
        """Try every running move once on the same guess; return the number of playouts."""
        guess = self.guesses.deal()
        codes = codes_of(guess)
        values: list[tuple[Runner, float]] = []
        for runner in self.running:
            place = runner.place_in(guess, codes)
            if place < 0:
                continue
            deal = guess.copy([])
            play_at(deal, place)
            value = self.tree.playout(runner.node, deal, guess.turn)
            if value is not None:
                values.append((runner, value))
            if value is None or (stop() and len(values) < len(self.running)):
                return len(values)  # an incomplete round allows no comparison
        if len(values) > 1 or len(self.running) == 1:
            mean = sum([value for _, value in values]) / len(values)
            for runner, value in values:
                runner.add_round(value - mean)
                self.squares += (value - mean) ** 2
            self.values += len(values)
        return len(values)

    def trust(self) -> float:
        """The number of rounds that is as reliable as the adviser's first look."""
        if not self.values:
            return 1.0
        doubt: float = self.tree.adviser.doubt
        return self.squares / self.values / (doubt * doubt)

    def _drop(self) -> None:
        """Remove moves that are far behind the leader, except required ones."""
        trust = self.trust()
        leader = self.running[0]
        for runner in self.running:
            if runner.standing(trust) > leader.standing(trust):
                leader = runner
        remaining: list[Runner] = []
        for runner in self.running:
            certainty = leader.rounds / (leader.rounds + trust)
            doubt = sqrt((leader.doubt**2 + runner.doubt**2) * certainty)
            behind = leader.standing(trust) - runner.standing(trust)
            if (
                runner is leader
                or behind <= MAX_ERRORS_BEHIND * doubt
                or runner.move in self.required
            ):
                remaining.append(runner)
        for runner in self.running:
            if runner not in remaining:
                runner.rivals = {other.move: other.excess for other in remaining}
        self.running = remaining

    def order(self) -> list[Runner]:
        """All moves, best first: by the number of rounds, then by value."""
        trust = self.trust()
        ranked = [(runner.rounds, runner.standing(trust), runner) for runner in self.runners]
        ranked.sort(key=_rank_key, reverse=True)
        return [runner for _, _, runner in ranked]


def behind(runner: Runner, leader: Runner) -> float:
    """The leader's value minus the runner's, averaged over the rounds that both ran.

    If the runner has no rounds, the difference of their first looks.
    """
    if not runner.rounds:
        return leader.node.first_look - runner.node.first_look
    return (runner.rivals.get(leader.move, leader.excess) - runner.excess) / runner.rounds


def _first_look_of(runner: Runner) -> float:
    return runner.node.first_look


def _rank_key(entry: tuple[int, float, Runner]) -> tuple[int, float]:
    return entry[0], entry[1]
