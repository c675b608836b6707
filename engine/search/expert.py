"""The expert: a decision from a seat's view to its moves, best first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from engine.game import Format
from engine.match import Match
from engine.search import win_probability
from engine.search.advice import Plain, adviser_of
from engine.search.belief_sampling import Beliefs
from engine.search.endgame import POSITIONS, EndgameSolver, known_deal
from engine.search.opponent_model import OpponentModel
from engine.search.race import Race, Runner, behind
from engine.search.result import SearchResult
from engine.search.tree import LONGEST, Tree, never

EXPERT: Final = 5
"""The version of the expert; a change that may change its answers raises it."""

FEWEST: Final = 4
"""Minimum playouts per tried move; so with few playouts, only few moves are tried."""


@dataclass(frozen=True)
class Manner:
    """Switches for parts of the search, to measure the effect of each."""

    flat: bool = False
    """Build no tree below the moves of the decision: playouts follow the policy."""
    plain: bool = False
    """Do not use the game's adviser."""
    blind: bool = False
    """Guess hidden cards without using earlier events."""


WHOLE: Final = Manner()


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
    truth: Match | None = None,
) -> list[SearchResult]:
    """The moves of the seat to act, best first, judged from what `view` shows alone.

    `legal`: as the referee lists them. `playouts`: the maximum; `stop` ends the search sooner.
    `seen`: the events that the seat saw (`Match.events`); they improve the guesses of hidden cards.
    `also`: moves that must be tried, such as the move that was played. If there are more moves than
    the search can try, the worst by the adviser's weights get no visits and come last. `truth`: the
    match with all its cards, for a judgement in hindsight; never for a player.

    ValueError if `view` is not of a seat that is to move.
    """
    if not legal:
        raise ValueError("A seat that has no legal move has nothing to consider.")
    fmt = Format.parse(view["format"])
    adviser: Any = Plain(fmt) if manner.plain else adviser_of(fmt)
    has_recall = hasattr(adviser, "recall") and not manner.blind
    held, pile = adviser.recall(view, seen) if has_recall else ([], [])
    guesses = Beliefs(view, rng, held, pile, truth=truth)
    deal = guesses.deal()
    if deal.to_act != view["seat"]:
        raise ValueError("It is not the turn of the view's seat.")
    if hasattr(adviser, "moments") and not manner.blind and truth is None:
        moments = adviser.moments(deal, seen)
        guesses.past = OpponentModel(adviser, moments) if moments else None
    before = deal.scores()
    sides = places(view, before)
    side = sides[view["seat"]]
    if len(legal) > 1:
        ends = EndgameSolver(adviser, side, sides, before, stop)
        solved = _solved(fmt, view, legal, known_deal(view, guesses), ends, POSITIONS * playouts)
        if solved:
            return solved
    tree = Tree(adviser, rng, side, sides, before, deep=not manner.flat, stop=stop)
    if not view["stock"]:
        tree.turns = LONGEST  # near the end, play the deal out
    race = Race(tree, guesses, legal, also, entrants=max(2, playouts // FEWEST))
    race.run(playouts if len(legal) > 1 or also else 1, stop)
    return _choices(fmt, view, race, legal)


def places(view: Mapping[str, Any], scores: Sequence[int]) -> list[int]:
    """For each seat, its index in the scores: its side's, or its own if sides form in play."""
    sides = view["sides"]
    seats = max([seat for side in sides for seat in side]) + 1
    if len(scores) != len(sides):
        return list(range(seats))
    ranks = [0] * seats
    for place, side in enumerate(sides):
        for seat in side:
            ranks[seat] = place
    return ranks


def _solved(
    fmt: Format,
    view: Mapping[str, Any],
    legal: Sequence[str],
    deal: Any,
    ends: EndgameSolver,
    positions: int,
) -> list[SearchResult]:
    """The moves of a known deal, judged by the endgame solver; empty if it gives up."""
    if deal is None:
        return []
    listed: list[str] = deal.legal()
    places = [listed.index(move) for move in legal if move in listed]
    if len(places) < len(legal):
        return []
    values = ends.solve(deal, places, positions)
    outlook = win_probability.WinProbability(fmt, view, ends.side, ends.before)
    error = 0.0 if ends.exact else ends.adviser.doubt / 2
    share = (positions - ends.left) // len(legal)
    results = [
        SearchResult(move, max(1, share), value, error, outlook.chance(value))
        for move, value in zip(legal, values, strict=False)
    ]
    results.sort(key=_points, reverse=True)
    return results


def _points(choice: SearchResult) -> float:
    return choice.points


def _choices(
    fmt: Format, view: Mapping[str, Any], race: Race, legal: Sequence[str]
) -> list[SearchResult]:
    """The tried moves, best first, then the moves that were not tried."""
    tree = race.tree
    outlook = win_probability.WinProbability(fmt, view, tree.side, tree.before)
    legal_set = set(legal)
    tried_runners = [runner for runner in race.order() if runner.move in legal_set]
    leader = tried_runners[0]
    node = leader.node
    top = node.total / node.visits if node.visits else tree.mean
    results = []
    for runner in tried_runners:
        points = top - behind(runner, leader)
        error = _error(runner, tree, alone=len(tried_runners) == 1)
        win = outlook.chance(points)
        results.append(SearchResult(runner.move, runner.node.visits, points, error, win))
    least = min([choice.points for choice in results])
    tried = {runner.move for runner in tried_runners}
    untried = [move for move in legal if move not in tried]
    return results + [
        SearchResult(move, 0, least, tree.spread, outlook.chance(least)) for move in untried
    ]


def _error(runner: Runner, tree: Tree, *, alone: bool) -> float:
    """Standard error of a move's points; compared with the other moves, if there are any."""
    if runner.rounds < 2:
        return tree.spread
    return runner.node.error() if alone else runner.doubt
