"""The expert: a decision from a seat's view to its moves, best first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from engine.game import Format
from engine.search import chances
from engine.search.advice import Plain, adviser_of
from engine.search.choices import Choice
from engine.search.guesses import Guesses
from engine.search.tree import Node, Tree

EXPERT: Final = 1
"""The version of the expert: raised when the same playouts may answer otherwise."""

LEVELS: Final[dict[int, int]] = {1: 12, 2: 40, 3: 130, 4: 430, 5: 1400}
"""Playouts of a decision, by level."""

_SHARE: Final = 8
"""One playout in so many goes to the moves named in `also`, while they have fewer than others."""


@dataclass(frozen=True)
class Manner:
    """The search without some of its parts, to measure what each is worth."""

    flat: bool = False
    """Nothing below the moves of the decision: each playout goes by the policy at once."""
    plain: bool = False
    """Without the advice of the game."""
    blind: bool = False
    """Guesses of hidden cards not weighted by what was seen."""


WHOLE: Final = Manner()


def never() -> bool:
    """No reason to stop."""
    return False


def consider(
    view: Mapping[str, Any],
    legal: Sequence[str],
    rng: Random,
    playouts: int,
    *,
    seen: Sequence[Mapping[str, Any]] = (),
    stop: Callable[[], bool] = never,
    also: Sequence[str] = (),
    manner: Manner = WHOLE,
) -> list[Choice]:
    """The moves of the seat to act, best first, judged from what `view` shows alone.

    `legal`: as the referee lists them. `playouts`: how many at most; `stop` ends them sooner.
    `seen`: the events that the seat saw (`Match.events`), from which hidden cards are guessed
    better. `also`: moves that must be tried, such as one that was played. With more moves than the
    search can try, those that look bad at once have no visits, and stand last. ValueError if it is
    no view of a seat that is to move.
    """
    if not legal:
        raise ValueError("A seat that has no legal move has nothing to consider.")
    fmt = Format.parse(view["format"])
    adviser = Plain(fmt) if manner.plain else adviser_of(fmt)
    held = [] if manner.blind or not hasattr(adviser, "recall") else adviser.recall(view, seen)
    guesses = Guesses(view, rng, held)
    deal = guesses.deal()
    if deal.to_act != view["seat"]:
        raise ValueError("The view is of a seat that is not to move.")
    before = deal.scores()
    tree = Tree(adviser, rng, places(view, before), before)
    tree.deep = not manner.flat
    tree.open(deal, legal, also)
    grow(tree, guesses, legal, playouts, stop, also)
    return _choices(fmt, view, tree, legal)


def grow(
    tree: Tree,
    guesses: Guesses,
    legal: Sequence[str],
    playouts: int,
    stop: Callable[[], bool],
    also: Sequence[str],
) -> None:
    """Playouts, each from a guess of its own."""
    if len(legal) == 1 and not also:
        playouts = min(playouts, 1)
    for number in range(playouts):
        if stop():
            return
        tree.playout(guesses.deal())
        if also and number % _SHARE == 0:
            rare = min(also, key=lambda move: tree.root.children[move].visits)
            tree.playout_of(guesses.deal(), rare)


def places(view: Mapping[str, Any], scores: Sequence[int]) -> list[int]:
    """By seat, its place in the scores: its side's, or its own where sides form in play."""
    sides = view["sides"]
    seats = max([seat for side in sides for seat in side]) + 1
    if len(scores) != len(sides):
        return list(range(seats))
    found = [0] * seats
    for place, side in enumerate(sides):
        for seat in side:
            found[seat] = place
    return found


def _choices(
    fmt: Format, view: Mapping[str, Any], tree: Tree, legal: Sequence[str]
) -> list[Choice]:
    """The root's moves as they were judged, then those that were not tried."""
    root = tree.root
    base = root.own / root.visits if root.visits else 0.0
    tried = [child for child in root.children.values() if child.move in set(legal)]
    tried.sort(key=lambda child: (child.visits, _mean(child, base)), reverse=True)
    outlook = chances.Outlook(fmt, view, root.mover, tree.before)
    found = []
    for child in tried:
        points = _mean(child, base)
        error = child.error() if child.visits > 1 else tree.spread
        found.append(Choice(child.move, child.visits, points, error, outlook.chance(points)))
    least = min([choice.points for choice in found])
    left = [move for move in legal if move not in root.children]
    return found + [Choice(move, 0, least, tree.spread, outlook.chance(least)) for move in left]


def _mean(child: Node, base: float) -> float:
    return child.total / child.visits if child.visits else base + child.first
