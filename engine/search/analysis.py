"""Why it lost: each decision of a record beside what the expert would have played there.

The expert gets what the seat knew, its view and the events of the deal that it saw, and nothing
else. First it is asked about all legal moves; that gives its own move. Where another move was
played, it is asked again about these two alone, with fresh playouts on the same guesses: the best
of many estimates is too high by chance, the second answer is not. The summary of a whole match is
made in `engine.search.findings`.
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
from engine.search.tree import never

MOST_DECISIONS: Final = 5_000
"""Most decisions of a match that is analysed; the longest usual match has a fifth of that."""
SHOWN: Final = 5
"""Moves of a decision that are stored: the expert's, the one played, the next best."""
PLAYOUTS: Final = 600
"""Playouts for a decision by default."""
_SURE: Final = 2.0
"""A slip or a mistake costs at least this many standard errors."""
_MISTAKE: Final = 20
"""A mistake costs at least the match's target divided by this; in Cassino about a point."""
_SLIP: Final = 70
_MISTAKE_WIN: Final = 0.05
"""The same as a chance to win, for matches that have no target."""
_SLIP_WIN: Final = 0.015


class Question(NamedTuple):
    """A decision of a record: what its seat knew, and what it played."""

    n: int  # number of the move, from 0
    deal: int
    seat: int
    played: str
    view: dict[str, Any]
    legal: list[str]
    seen: list[dict[str, Any]]  # the events of the deal, as the seat saw them


class Tried(NamedTuple):
    """A move of a decision, and what the expert thinks of it."""

    move: str
    points: float  # as `Choice.points`
    error: float
    win: float
    visits: int


class Judgement(NamedTuple):
    """A question, judged. Points are those of `Choice`; chances go from 0 to 1."""

    n: int
    deal: int
    seat: int
    played: str
    best: str  # the expert's move
    cost: float  # points of the expert's move less those of the move played; 0 if they are the same
    error: float  # standard error of `cost`
    win_cost: float  # the same in chance to win
    win: float  # chance to win the match by the expert's move
    stake: float  # points of the expert's move less those of a move drawn at random
    legal: int  # how many moves there were
    moves: list[Tried]  # `SHOWN` of them at most, the expert's first

    def as_json(self) -> dict[str, Any]:
        return self._asdict() | {"moves": [move._asdict() for move in self.moves]}


def from_json(data: Mapping[str, Any]) -> Judgement:
    """What `as_json` gave. KeyError, TypeError or ValueError if it is something else."""
    moves = [Tried(**move) for move in data["moves"]]
    return Judgement(**{**data, "moves": moves})


def questions(record: Record, first: int = 0) -> Iterator[Question]:
    """The decisions of a record from move `first` on: where a bot could choose, and did itself.

    Moves without a choice, and moves that the platform made for a bot with a fault, are left out.
    RecordError where the record is wrong.
    """
    gone = {fault["seat"]: fault.get("move") for fault in record.faults}
    match, since = record.start(), 0
    for n, move in enumerate(record.moves):
        seat = match.turn
        if seat is None:
            break
        fault = gone.get(seat, n + 1)
        own = isinstance(fault, int) and n < fault
        legal = match.legal_moves() if own and n >= first else []
        if len(legal) > 1:
            view = match.view(seat)
            if move not in legal:  # the list was cut
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
    stop: Callable[[], bool] = never,
) -> Judgement:
    """What the expert thinks of a decision. The same question, number and seed: the same answer.

    `stop` ends the search early, with what is known by then.
    """
    rng = Random(f"{seed}/{question.n}")
    view, seen = question.view, question.seen
    results = consider(view, question.legal, rng, playouts, seen=seen, stop=stop)
    best = results[0]
    stake = best.points - sum(result.points for result in results) / len(results)
    pair = [best]
    cost = error = win_cost = 0.0
    if question.played != best.move:
        pair = _duel(question, best.move, rng, playouts, stop)
        best, played = pair
        cost = best.points - played.points
        error = best.error + played.error  # on the same guesses each is half of the difference's
        win_cost = best.win - played.win
    rest = [result for result in results if result.move not in (best.move, question.played)]
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
        moves=[_tried(result) for result in [*pair, *rest][:SHOWN]],
    )


def severity(fmt: Format, decision: Judgement) -> str:
    """``mistake``, ``slip`` or nothing, for a decision of a match of `fmt`.

    It must cost enough (a twentieth of the target for a mistake, a seventieth for a slip) and twice
    its standard error, so that chance alone makes few of them.
    """
    if decision.cost <= 0 or decision.cost < _SURE * decision.error:
        return ""
    target = target_of(fmt)
    if target:
        share = decision.cost / target
        return "mistake" if share >= 1 / _MISTAKE else "slip" if share >= 1 / _SLIP else ""
    lost = decision.win_cost
    return "mistake" if lost >= _MISTAKE_WIN else "slip" if lost >= _SLIP_WIN else ""


def target_of(fmt: Format) -> int:
    """The points that win a match; where its options name none, those of the variant; else 0."""
    named = fmt.options.get("target")
    if named is None:
        return 0
    return int(named or fmt.spec.option("target").default_for(fmt.variant, fmt.table) or 0)


def _duel(
    question: Question, best: str, rng: Random, playouts: int, stop: Callable[[], bool]
) -> list[SearchResult]:
    """The expert's move and the one played, tried on the same guesses to the end."""
    pair = [best, question.played]
    results = consider(question.view, pair, rng, playouts, seen=question.seen, stop=stop, also=pair)
    results.sort(key=lambda result: result.move != best)
    return results


def _tried(choice: SearchResult) -> Tried:
    return Tried(
        choice.move,
        round(choice.points, 3),
        round(choice.error, 3),
        round(choice.win, 4),
        choice.visits,
    )


def move_sentence(match: Match, move: str) -> str:
    """The sentence that tells a move, were it played in `match`; empty if it is not legal there."""
    if not match.is_legal(move):
        return ""
    played = match.copy()
    seen = played.logged
    played.step(move)
    for event in played.logged_since(seen):
        telling = played.format.spec.tell(played.format, event)
        if telling.sentence:
            return telling.sentence
    return ""
