"""One tree of moves over many guesses of the hidden cards (information-set tree search).

Each playout takes a guess, walks down the tree by upper confidence bounds among the moves that are
legal in that guess, adds one node, plays on by the adviser's policy and counts. A node stands for
what was played, not for cards: what a player cannot see does not part its nodes. A move is compared
with how often it was there to be chosen (Cowling, Powley, Whitehouse 2012, "Information Set Monte
Carlo Tree Search", section IV: SO-ISMCTS). Every side wants to be far ahead of the best other side.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt
from random import Random
from typing import Any, Final

EXPLORE: Final = 0.7
"""Weight of the confidence bound, times the spread of the playouts' values: at the root."""
EXPLORE_BELOW: Final = 0.15
"""The same below it: a player there should reply well, not try everything."""
TRUST: Final = 3.0
"""Playouts that the adviser's first look at a move counts for: at the root."""
TRUST_BELOW: Final = 8.0
WIDTH: Final = 8
"""Moves of a node below the root that are looked at: those that look best."""
ROOT_WIDTH: Final = 24
STRAY: Final = 0.1
"""How often a player in a playout moves at random."""
LONGEST: Final = 3000
"""Moves after which a playout is given up: no game has as many, a faulty one may."""


class Node:
    """A move and all that was played after it. Values are of the side that made the move."""

    __slots__ = ("children", "first", "move", "mover", "own", "seen", "squares", "total", "visits")

    def __init__(self, move: str, first: float) -> None:
        self.move: str = move
        self.first: float = first  # what it looked worth beside the best other, 0 or less
        self.visits: int = 0
        self.seen: int = 0  # how often it was legal when its parent was visited
        self.total: float = 0.0
        self.squares: float = 0.0
        self.own: float = 0.0  # the total for the side that moves next
        self.mover: int = -1
        self.children: dict[str, Node] = {}

    def error(self) -> float:
        """Standard error of the mean value of two visits or more."""
        mean = self.total / self.visits
        spread = max(0.0, self.squares / self.visits - mean * mean)
        return sqrt(spread / (self.visits - 1))


class Tree:
    """The search of one decision. `sides`: by seat, the place of its points in the scores."""

    def __init__(self, adviser: Any, rng: Random, side_of: Sequence[int], before: Sequence[int]):
        self.adviser: Any = adviser
        self.rng: Random = rng
        self.side_of: list[int] = list(side_of)
        self.before: list[int] = list(before)
        self.root: Node = Node("", 0.0)
        self.playouts: int = 0
        self.mean: float = 0.0  # of the root's values, and below their spread
        self.spread: float = 0.0
        self.deep: bool = True  # False: nothing below the root (flat)

    def open(self, deal: Any, legal: Sequence[str], also: Sequence[str]) -> None:
        """The root's moves: those of `legal` that look best in a first guess, and `also`."""
        root = self.root
        root.mover = self.side_of[deal.to_act]
        known = set(legal)
        for move, first in best(self.adviser, deal, deal.legal(), ROOT_WIDTH):
            if move in known:  # a guess may allow other moves
                root.children[move] = Node(move, first)
        least = min([child.first for child in root.children.values()], default=0.0)
        for move in also if root.children else legal[:ROOT_WIDTH]:
            if move not in root.children:
                root.children[move] = Node(move, least)

    def playout(self, deal: Any) -> None:
        """One playout from a guess, which is used up."""
        path = [self.root]
        node = self.root
        while deal.to_act >= 0:
            legal = deal.legal()
            node.mover = self.side_of[deal.to_act]
            chosen = self._choose(node, deal, legal)
            if chosen is None:  # a guess in which no move of the root is legal
                return
            deal.play(chosen.move)
            path.append(chosen)
            node = chosen
            if node.visits == 0 or not self.deep:
                break
        self._play_on(deal)
        self._count(path, self.adviser.worth(deal, self.before))

    def playout_of(self, deal: Any, move: str) -> None:
        """A playout that begins with a certain move, if it is legal in the guess."""
        if move not in deal.legal():
            return
        child = self.root.children[move]
        child.seen += 1
        deal.play(move)
        self._play_on(deal)
        self._count([self.root, child], self.adviser.worth(deal, self.before))

    def _choose(self, node: Node, deal: Any, legal: Sequence[str]) -> Node | None:
        """The child with the highest bound among those legal in this guess."""
        there = self._children(node, deal, legal)
        base = node.own / node.visits if node.visits else 0.0
        inner = node is not self.root
        explore = (EXPLORE_BELOW if inner else EXPLORE) * self.spread
        trust = TRUST_BELOW if inner else TRUST
        chosen: Node | None = None
        top = 0.0
        for child in there:
            child.seen += 1
            weight = child.visits + trust
            value = (child.total + trust * (base + child.first)) / weight
            value += explore * sqrt(log(child.seen + 1) / weight)
            if chosen is None or value > top:
                chosen, top = child, value
        return chosen

    def _children(self, node: Node, deal: Any, legal: Sequence[str]) -> list[Node]:
        children = node.children
        there = [children[move] for move in legal if move in children]
        if node is self.root:
            return there
        if len(there) == len(legal) or len(there) >= WIDTH:
            return there
        found: list[Node] = []
        for move, first in best(self.adviser, deal, legal, WIDTH):
            child = children.get(move)
            if child is None:
                child = Node(move, first)
                children[move] = child
            found.append(child)
        return found

    def _play_on(self, deal: Any) -> None:
        """By the policy, for the adviser's number of turns."""
        adviser, rng = self.adviser, self.rng
        turns = adviser.horizon
        mover = deal.turn
        for _ in range(LONGEST):
            if deal.to_act < 0:
                return
            if deal.turn != mover:
                mover = deal.turn
                turns -= 1
            if turns <= 0:
                return
            legal = deal.legal()
            if len(legal) == 1:
                deal.play(legal[0])
            elif rng.random() < STRAY:
                deal.play(legal[int(rng.random() * len(legal))])
            else:
                deal.play(legal[highest(adviser.weigh(deal, legal), rng)])

    def _count(self, path: Sequence[Node], worth: Sequence[float]) -> None:
        """Note what a playout brought along its path."""
        leads = ahead(worth)
        before = -1
        for node in path:
            if before >= 0:
                value = leads[before]
                node.total += value
                node.squares += value * value
            if node.mover >= 0:
                node.own += leads[node.mover]
            before = node.mover
            node.visits += 1
        self.playouts += 1
        value = leads[self.root.mover]
        old = self.mean
        self.mean += (value - old) / self.playouts
        change = (value - old) * (value - self.mean) - self.spread * self.spread
        self.spread = sqrt(max(0.0, self.spread * self.spread + change / self.playouts))


def ahead(worth: Sequence[float]) -> list[float]:
    """By place in the scores, how far each is ahead of the best other."""
    if len(worth) == 2:
        return [worth[0] - worth[1], worth[1] - worth[0]]
    leads: list[float] = []
    for at, own in enumerate(worth):
        leads.append(own - max([*worth[:at], *worth[at + 1 :]]))
    return leads


def best(adviser: Any, deal: Any, legal: Sequence[str], width: int) -> list[tuple[str, float]]:
    """The moves that look best, each with what it looks worth beside the best: 0 or less."""
    if len(legal) == 1:
        return [(legal[0], 0.0)]
    weights: list[float] = adviser.weigh(deal, legal)
    top = max(weights)
    found = [(move, weight - top) for move, weight in zip(legal, weights, strict=True)]
    if len(found) > width:
        found.sort(key=_looks, reverse=True)
        del found[width:]
    return found


def _looks(entry: tuple[str, float]) -> float:
    return entry[1]


def highest(weights: Sequence[float], rng: Random) -> int:
    """The place of the highest weight; one of several by lot."""
    top = max(weights)
    places = [at for at, weight in enumerate(weights) if weight == top]
    return places[0] if len(places) == 1 else places[int(rng.random() * len(places))]
