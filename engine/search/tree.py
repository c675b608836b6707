"""Grow a tree of moves over many guesses of the hidden cards (information-set tree search).

Each playout takes a guess and walks down the tree: at each node it makes the move with the highest
upper confidence bound that is legal in the guess. Then it adds one node, continues by
the adviser's policy, and updates the values on its path. A node stands for a sequence of moves, not
for cards, so all guesses share it. The bound uses how often a move was legal, not how often its
parent was visited (Cowling, Powley, Whitehouse 2012, "Information Set Monte Carlo Tree Search",
section IV: SO-ISMCTS). Every side maximizes its lead over the best other side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log, sqrt
from random import Random
from typing import Any, Final

from engine.deals import BaseDeal, digest

EXPLORATION: Final = 0.2
"""Exploration weight below the root, as a multiple of the standard deviation of the playouts.

It is small because replies in the tree should be good rather than varied."""
FIRST_LOOK_PLAYOUTS: Final = 6.0
"""The adviser's first look at a reply counts as this many playouts."""
WIDTH: Final = 8
"""Number of moves searched at a node below the root: those with the highest first looks."""
RANDOM_SHARE: Final = 0.06
"""The share of random moves in a playout."""
LONGEST: Final = 3000
"""Maximum number of moves of a playout; only a faulty game can exceed it."""
STOP_INTERVAL: Final = 8
"""Number of moves of a playout between two calls of `stop`. A call takes a tenth of the time of a
move."""


def never_stop() -> bool:
    return False


class TreeNode:
    """A move and the moves played after it.

    `total` and `squares`: the sums of the values of its playouts and of their squares, for the side
    that made the move.
    """

    __slots__ = (
        "children",
        "code",
        "first_look",
        "legal_count",
        "mover",
        "mover_total",
        "squares",
        "total",
        "visits",
    )

    def __init__(self, code: int, first_look: float) -> None:
        self.code: int = code
        self.first_look: float = first_look  # the adviser's weight minus the best weight: 0 or less
        self.visits: int = 0
        self.legal_count: int = 0  # visits of the parent in which the move was legal
        self.total: float = 0.0
        self.squares: float = 0.0
        self.mover: int = -1  # the side that moves next
        self.mover_total: float = 0.0  # the sum of the values for the side that moves next
        self.children: dict[int, TreeNode] = {}

    def error(self) -> float:
        """The standard error of the mean value; there must be two visits or more."""
        mean = self.total / self.visits
        spread = max(0.0, self.squares / self.visits - mean * mean)
        return sqrt(spread / (self.visits - 1))


class Tree:
    """The search tree below one decision.

    `side`: the index of the deciding side in the scores. `sides`: by seat, the index of its side.
    `before`: the scores before the deal. `deep`: if false, there is no tree, and playouts follow
    the policy from the root. `stop`: returns whether the time is up.
    """

    def __init__(
        self,
        adviser: Any,
        rng: Random,
        side: int,
        sides: Sequence[int],
        before: Sequence[int],
        *,
        deep: bool = True,
        stop: Callable[[], bool] = never_stop,
    ) -> None:
        self.stop: Callable[[], bool] = stop
        self.adviser: Any = adviser
        self.has_reply: bool = hasattr(adviser, "reply")
        self.rng: Random = rng
        self.side: int = side
        self.sides: list[int] = list(sides)
        self.before: list[int] = list(before)
        self.deep: bool = deep
        rounds = -(-adviser.horizon // len(self.sides))
        self.turns: int = rounds * len(self.sides)
        self.playouts: int = 0
        self.mean: float = 0.0  # mean and standard deviation of all values for the deciding side
        self.spread: float = 0.0

    def playout(self, top: TreeNode, deal: Any, turn: int) -> float | None:
        """Play `deal` out after seat `turn` has made the move of `top`; this changes `deal`.

        The playout ends with the deal, or after the adviser's `horizon` of turns. This number is
        rounded up so that all seats have had equally many: a side with one turn more would seem to
        be ahead. Return the value for the side that made the move. Return None if `stop` ended the
        playout, which then does not count.
        """
        path = [top]
        node = top
        turns_left = self.turns
        growing = self.deep
        for count in range(1, LONGEST + 1):
            if deal.to_act < 0:
                break
            if count % STOP_INTERVAL == 0 and self.stop():
                return None
            if deal.turn != turn:
                turn = deal.turn
                turns_left -= 1
                if turns_left <= 0:
                    break
            if growing and node.visits:
                node.mover = self.sides[deal.to_act]
                node = self._step(node, deal)
                path.append(node)
            else:
                growing = False
                self._reply(deal)
        return self._count(path, leads_of(self.adviser.worth(deal, self.before)))

    def _step(self, node: TreeNode, deal: Any) -> TreeNode:
        """Make the reply with the highest bound among those legal in this guess."""
        codes = codes_of(deal)
        replies = self._replies(node, deal, codes)
        base = node.mover_total / node.visits
        exploration = EXPLORATION * self.spread
        chosen, place = replies[0]
        best_value = -1e300
        for child, index in replies:
            child.legal_count += 1
            weight = child.visits + FIRST_LOOK_PLAYOUTS
            value = (child.total + FIRST_LOOK_PLAYOUTS * (base + child.first_look)) / weight
            value += exploration * sqrt(log(child.legal_count + 1) / weight)
            if value > best_value:
                chosen, place, best_value = child, index, value
        play_at(deal, place)
        return chosen

    def _replies(
        self, node: TreeNode, deal: Any, codes: Sequence[int]
    ) -> list[tuple[TreeNode, int]]:
        """The replies to search: the node and the index among the legal moves of each.

        If the tree contains all legal moves, or at least `WIDTH` of them, these are searched;
        otherwise the `WIDTH` moves with the highest first looks.
        """
        children = node.children
        replies = [(children[code], index) for index, code in enumerate(codes) if code in children]
        if len(replies) == len(codes) or len(replies) >= WIDTH:
            return replies
        replies = []
        for index, first_look in best_moves(self.adviser, deal, len(codes), WIDTH):
            child = children.get(codes[index])
            if child is None:
                child = TreeNode(codes[index], first_look)
                children[codes[index]] = child
            replies.append((child, index))
        return replies

    def _reply(self, deal: Any) -> None:
        """Make a move by the policy."""
        rng = self.rng
        if self.has_reply and rng.random() >= RANDOM_SHARE:
            self.adviser.reply(deal)
            return
        count = count_of(deal)
        if count == 1:
            play_at(deal, 0)
        elif self.has_reply or rng.random() < RANDOM_SHARE:
            play_at(deal, int(rng.random() * count))
        else:
            play_at(deal, index_of_highest(self.adviser.weigh(deal), rng))

    def _count(self, path: Sequence[TreeNode], leads: Sequence[float]) -> float:
        """Add a playout's result to the nodes of its path; return the deciding side's value."""
        side = self.side
        own_lead = leads[side]
        for node in path:
            value = leads[side]
            node.total += value
            node.squares += value * value
            node.visits += 1
            side = node.mover
            if side >= 0:
                node.mover_total += leads[side]
        self.playouts += 1
        old_mean = self.mean
        self.mean += (own_lead - old_mean) / self.playouts
        change = (own_lead - old_mean) * (own_lead - self.mean) - self.spread * self.spread
        self.spread = sqrt(max(0.0, self.spread * self.spread + change / self.playouts))
        return own_lead


def leads_of(worth: Sequence[float]) -> list[float]:
    """The lead of each side over the best other side, in the order of `worth`."""
    if len(worth) == 2:
        return [worth[0] - worth[1], worth[1] - worth[0]]
    leads: list[float] = []
    for side, own_worth in enumerate(worth):
        leads.append(own_worth - max([*worth[:side], *worth[side + 1 :]]))
    return leads


def best_moves(adviser: Any, deal: Any, count: int, width: int) -> list[tuple[int, float]]:
    """The `width` moves with the highest weights: for each, index and weight minus best weight."""
    if count == 1:
        return [(0, 0.0)]
    weights: list[float] = adviser.weigh(deal)
    top = max(weights)
    weighted = [(index, weight - top) for index, weight in enumerate(weights)]
    if len(weighted) > width:
        weighted.sort(key=weight_of, reverse=True)
        del weighted[width:]
    return weighted


def weight_of(entry: tuple[int, float]) -> float:
    """The sort key of `best_moves`."""
    return entry[1]


def index_of_highest(weights: Sequence[float], rng: Random) -> int:
    """The index of the highest weight; of several, a random one."""
    top = max(weights)
    places = [index for index, weight in enumerate(weights) if weight == top]
    return places[0] if len(places) == 1 else places[int(rng.random() * len(places))]


# A deal of a game from another package need not be a `BaseDeal`; then texts identify its moves.


def codes_of(deal: Any) -> list[int]:
    """The codes of the legal moves, in the order of the list (`Match.codes`)."""
    if isinstance(deal, BaseDeal):
        return deal.codes()
    return [digest(move) for move in deal.legal()]


def count_of(deal: Any) -> int:
    return deal.count() if isinstance(deal, BaseDeal) else len(deal.legal())


def play_at(deal: Any, place: int) -> None:
    if isinstance(deal, BaseDeal):
        deal.play_at(place)
    else:
        deal.play(deal.legal()[place])
