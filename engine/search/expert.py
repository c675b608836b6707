"""The expert: judges the moves of a seat from its view, and sorts them, best first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from engine.game import Format
from engine.match import Match
from engine.search import win_probability
from engine.search.advisers import PlainAdviser, adviser_of
from engine.search.belief_sampling import Beliefs
from engine.search.endgame import POSITIONS, EndgameSolver, known_deal
from engine.search.opponent_model import OpponentModel
from engine.search.race import Race, Runner, behind
from engine.search.result import SearchResult
from engine.search.tree import LONGEST, Tree, never_stop

EXPERT: Final = 5
"""The version of the expert. Raise it with every change after which its answers may differ."""

PLAYOUTS_PER_MOVE: Final = 4
"""Minimum number of playouts per tried move; so with few playouts, few moves are tried."""


@dataclass(frozen=True)
class Ablation:
    """Parts of the search to switch off, in order to measure their effect."""

    flat: bool = False
    """Build no tree below the moves of the decision: playouts follow the policy."""
    plain: bool = False
    """Do not use the game's adviser."""
    blind: bool = False
    """Guess hidden cards without using earlier events."""


FULL_SEARCH: Final = Ablation()


def consider(
    view: Mapping[str, Any],
    legal: Sequence[str],
    rng: Random,
    playouts: int,
    *,
    seen: Sequence[Mapping[str, Any]] = (),
    stop: Callable[[], bool] = never_stop,
    also: Sequence[str] = (),
    ablation: Ablation = FULL_SEARCH,
    truth: Match | None = None,
) -> list[SearchResult]:
    """The legal moves of the seat to act, best first, judged from the seat's knowledge.

    `legal`: the moves as the referee lists them. `playouts`: the maximum number of playouts; `stop`
    may end the search sooner. `seen`: the events that the seat saw (`Match.events`); they improve
    the guesses of hidden cards. `also`: moves that must be tried, such as the move that was played.
    `truth`: the match with all its cards, for a judgement in hindsight; never pass it for a player.

    If there are more moves than the search can try, those with the lowest weights of the adviser
    get no visits and come last. ValueError if `legal` is empty, or if it is not the turn of the
    view's seat.
    """
    if not legal:
        raise ValueError("A seat that has no legal move has nothing to consider.")
    fmt = Format.parse(view["format"])
    adviser: Any = PlainAdviser(fmt) if ablation.plain else adviser_of(fmt)
    has_recall = hasattr(adviser, "recall") and not ablation.blind
    held, pile = adviser.recall(view, seen) if has_recall else ([], [])
    guesses = Beliefs(view, rng, held, pile, truth=truth)
    deal = guesses.deal()
    if deal.to_act != view["seat"]:
        raise ValueError("It is not the turn of the view's seat.")
    if hasattr(adviser, "observations") and not ablation.blind and truth is None:
        observations = adviser.observations(deal, seen)
        guesses.opponents = OpponentModel(adviser, observations) if observations else None
    before = deal.scores()
    sides = score_indices(view, before)
    side = sides[view["seat"]]
    if len(legal) > 1:
        solver = EndgameSolver(adviser, side, sides, before, stop)
        ending = known_deal(view, guesses)
        solved = _solved_results(fmt, view, legal, ending, solver, POSITIONS * playouts)
        if solved:
            return solved
    tree = Tree(adviser, rng, side, sides, before, deep=not ablation.flat, stop=stop)
    if not view["stock"]:
        tree.turns = LONGEST  # near the end, play the deal out
    race = Race(tree, guesses, legal, also, entrants=max(2, playouts // PLAYOUTS_PER_MOVE))
    race.run(playouts if len(legal) > 1 or also else 1, stop)
    return _race_results(fmt, view, race, legal)


def score_indices(view: Mapping[str, Any], scores: Sequence[int]) -> list[int]:
    """For each seat, the index of its score.

    In a format whose sides form in play, each seat has its own score. Then there may be more scores
    than sides.
    """
    sides = view["sides"]
    seats = max([seat for side in sides for seat in side]) + 1
    if len(scores) != len(sides):
        return list(range(seats))
    indices = [0] * seats
    for index, side in enumerate(sides):
        for seat in side:
            indices[seat] = index
    return indices


def _solved_results(
    fmt: Format,
    view: Mapping[str, Any],
    legal: Sequence[str],
    deal: Any,
    solver: EndgameSolver,
    positions: int,
) -> list[SearchResult]:
    """The moves of a known deal, judged by the endgame solver; empty if it gives up."""
    if deal is None:
        return []
    listed: list[str] = deal.legal()
    places = [listed.index(move) for move in legal if move in listed]
    if len(places) < len(legal):
        return []
    values = solver.solve(deal, places, positions)
    win = win_probability.WinProbability(fmt, view, solver.side, solver.before)
    error = 0.0 if solver.exact else solver.adviser.doubt / 2
    positions_per_move = (positions - solver.positions_left) // len(legal)
    results = [
        SearchResult(move, max(1, positions_per_move), value, error, win.chance(value))
        for move, value in zip(legal, values, strict=False)
    ]
    results.sort(key=_points, reverse=True)
    return results


def _points(choice: SearchResult) -> float:
    return choice.points


def _race_results(
    fmt: Format, view: Mapping[str, Any], race: Race, legal: Sequence[str]
) -> list[SearchResult]:
    """The tried moves, best first, then the moves that were not tried."""
    tree = race.tree
    win = win_probability.WinProbability(fmt, view, tree.side, tree.before)
    legal_set = set(legal)
    tried_runners = [runner for runner in race.order() if runner.move in legal_set]
    leader = tried_runners[0]
    node = leader.node
    leader_points = node.total / node.visits if node.visits else tree.mean
    results = []
    for runner in tried_runners:
        points = leader_points - behind(runner, leader)
        error = _error(runner, tree, alone=len(tried_runners) == 1)
        visits = runner.node.visits
        results.append(SearchResult(runner.move, visits, points, error, win.chance(points)))
    lowest_points = min([choice.points for choice in results])
    tried = {runner.move for runner in tried_runners}
    untried = [move for move in legal if move not in tried]
    return results + [
        SearchResult(move, 0, lowest_points, tree.spread, win.chance(lowest_points))
        for move in untried
    ]


def _error(runner: Runner, tree: Tree, *, alone: bool) -> float:
    """The `SearchResult.error` of a move. `alone`: whether no other move was tried."""
    if runner.rounds < 2:
        return tree.spread
    return runner.node.error() if alone else runner.doubt
