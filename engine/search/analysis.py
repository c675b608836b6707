"""Compare each decision of a record with the move that the expert would have played.

The expert gets only the knowledge of the seat: its view and the events that it saw in the deal. It
first judges all legal moves, which determines its own move. The highest of many estimates tends to
be too high. So if the seat played another move, the expert judges the two moves again, on new
guesses that both share. `engine.search.findings` summarizes a whole match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, Final, NamedTuple

from engine.errors import IllegalMove, RecordError
from engine.game import Format
from engine.match import Match
from engine.record import Record
from engine.search import SearchResult, consider
from engine.search.tree import never_stop

MOST_DECISIONS: Final = 5_000
"""Maximum number of decisions of an analysed match; a long match usually has at most a fifth."""
MAX_STORED_MOVES: Final = 5
"""Moves stored for a decision at most: the expert's, the move played, and the next best."""
PLAYOUTS: Final = 600
"""Playouts for a decision by default."""
_MIN_STANDARD_ERRORS: Final = 2.0
"""Minimum cost of a slip or a mistake, in standard errors."""
_MISTAKE: Final = 20
"""A mistake costs at least the match's target divided by this number; in Cassino about a point."""
_SLIP: Final = 70
"""The same for a slip."""
_MISTAKE_WIN: Final = 0.05
"""Minimum cost of a mistake in chance of winning, for matches without a target."""
_SLIP_WIN: Final = 0.015
"""The same for a slip."""


class Question(NamedTuple):
    """A decision of a record: the knowledge of its seat, and the move played."""

    n: int  # number of the move, from 0
    deal: int
    seat: int
    played: str
    view: dict[str, Any]
    legal: list[str]
    seen: list[dict[str, Any]]  # the events of the deal, as the seat saw them


class JudgedMove(NamedTuple):
    """A legal move, as the expert judges it."""

    move: str
    points: float  # as `SearchResult.points`
    error: float  # as `SearchResult.error`
    win: float
    visits: int


class Judgement(NamedTuple):
    """The expert's judgement of a `Question`. Points as in `SearchResult`; chances from 0 to 1."""

    n: int
    deal: int
    seat: int
    played: str
    best: str  # the expert's move
    cost: (
        float  # points of the expert's move minus those of the move played; 0 if both are the same
    )
    error: float  # standard error of `cost`
    win_cost: float  # `cost` in chance of winning
    win: float  # chance of winning the match by the expert's move
    stake: float  # points of its move minus the mean of all legal moves; at least `cost` and 0
    legal: int  # number of legal moves
    moves: list[JudgedMove]  # at most `MAX_STORED_MOVES`; the expert's move is the first

    def as_json(self) -> dict[str, Any]:
        return self._asdict() | {"moves": [move._asdict() for move in self.moves]}


def from_json(data: Mapping[str, Any]) -> Judgement:
    """Read the result of `as_json`; KeyError, TypeError or ValueError for anything else."""
    moves = [JudgedMove(**move) for move in data["moves"]]
    return Judgement(**{**data, "moves": moves})


def questions(record: Record, first: int = 0) -> Iterator[Question]:
    """The decisions of a record from move `first` on.

    It omits moves without an alternative, and moves that the platform made after a bot's fault.
    RecordError if the record is wrong.
    """
    faulty_from = {fault["seat"]: fault.get("move") for fault in record.faults}
    match, since = record.start(), 0
    for n, move in enumerate(record.moves):
        seat = match.turn
        if seat is None:
            break
        fault = faulty_from.get(seat, n + 1)
        by_player = isinstance(fault, int) and n < fault
        legal = match.legal_moves() if by_player and n >= first else []
        if len(legal) > 1:
            view = match.view(seat)
            if move not in legal:  # the list was truncated
                legal.append(move)
            seen = match.events(seat, since)
            yield Question(n, view["deal"], seat, move, view, legal, seen)
        try:
            match.step(move)
        except IllegalMove as error:
            raise RecordError(f"Move {n + 1} (moves[{n}]) does not follow: {error}", n) from error
        if match.turn is None:
            since = match.logged
            match.proceed()


def judge(
    question: Question,
    playouts: int = PLAYOUTS,
    seed: str = "",
    *,
    stop: Callable[[], bool] = never_stop,
) -> Judgement:
    """The expert's judgement of a decision.

    When `stop` returns true, the search ends early and judges by the playouts so far. If it never
    does, equal arguments give equal judgements.
    """
    rng = Random(f"{seed}/{question.n}")
    view, seen = question.view, question.seen
    results = consider(view, question.legal, rng, playouts, seen=seen, stop=stop)
    best = results[0]
    stake = best.points - sum(result.points for result in results) / len(results)
    pair = [best]
    cost = error = win_cost = 0.0
    if question.played != best.move:
        pair = _compare_two(question, best.move, rng, playouts, stop)
        best, played = pair
        cost = best.points - played.points
        # An error is that of a move's distance to the mean of all moves. With two moves this
        # distance is half of their difference.
        error = best.error + played.error
        win_cost = best.win - played.win
    other_results = [
        result for result in results if result.move not in (best.move, question.played)
    ]
    return Judgement(
        n=question.n,
        deal=question.deal,
        seat=question.seat,
        played=question.played,
        best=best.move,
        cost=round(cost, 3),
        error=round(error, 3),
        win_cost=round(win_cost, 4),
        win=round(best.win, 4),
        stake=round(max(stake, cost, 0.0), 3),
        legal=len(question.legal),
        moves=[_judged_move(result) for result in [*pair, *other_results][:MAX_STORED_MOVES]],
    )


def severity(fmt: Format, decision: Judgement) -> str:
    """``mistake``, ``slip`` or nothing, for a decision in a match of `fmt`.

    A mistake costs at least a twentieth of the target, a slip a seventieth. In a match without a
    target, they cost 5 and 1.5 % of the chance of winning. The cost must also be at least twice its
    standard error, so that few mistakes and slips are due to chance.
    """
    if decision.cost <= 0 or decision.cost < _MIN_STANDARD_ERRORS * decision.error:
        return ""
    target = target_of(fmt)
    if target:
        share = decision.cost / target
        return "mistake" if share >= 1 / _MISTAKE else "slip" if share >= 1 / _SLIP else ""
    lost = decision.win_cost
    return "mistake" if lost >= _MISTAKE_WIN else "slip" if lost >= _SLIP_WIN else ""


def target_of(fmt: Format) -> int:
    """The target of a match in points; if the format sets it to 0, the variant's default.

    0 if matches have no target.
    """
    target = fmt.options.get("target")
    if target is None:
        return 0
    return int(target or fmt.spec.option("target").default_for(fmt.variant, fmt.table) or 0)


def _compare_two(
    question: Question, best: str, rng: Random, playouts: int, stop: Callable[[], bool]
) -> list[SearchResult]:
    """The results of the expert's move and of the move played, in this order, on equal guesses."""
    pair = [best, question.played]
    results = consider(question.view, pair, rng, playouts, seen=question.seen, stop=stop, also=pair)
    results.sort(key=lambda result: result.move != best)
    return results


def _judged_move(choice: SearchResult) -> JudgedMove:
    return JudgedMove(
        choice.move,
        round(choice.points, 3),
        round(choice.error, 3),
        round(choice.win, 4),
        choice.visits,
    )


def move_sentence(match: Match, move: str) -> str:
    """The sentence that describes a move in `match`; empty if the move is not legal there."""
    if not match.is_legal(move):
        return ""
    match_after = match.copy()
    logged_before = match_after.logged
    match_after.step(move)
    for event in match_after.logged_since(logged_before):
        telling = match_after.format.spec.tell(match_after.format, event)
        if telling.sentence:
            return telling.sentence
    return ""
