"""A position of a finished match or table: other moves, and the expert's opinions on them.

The board is drawn like a table's (`cardroom_tables.reading`), from the view of the seat to move.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.http import require_POST, require_safe

from cardroom.middleware import limit_body
from cardroom.pages.common.flash_messages import show_error
from cardroom.pages.common.guests import person_of
from cardroom.pages.common.replay_source import ReplaySource
from cardroom.pages.tables import table_views
from cardroom.pages.tables.continuation import find_replay
from cardroom.throttles import opinion_wait
from cardroom_base.core.errors import ActionError
from cardroom_base.core.names import display_name
from cardroom_base.core.request_limits import MAX_TABLE_BODY
from cardroom_base.db.db_time import now
from cardroom_tables import hosts, reading
from cardroom_tables.actions import opinions
from cardroom_tables.actions.continuation import MAX_GIVEN
from cardroom_tables.match_cache import CachedMatch
from cardroom_tables.models import Opinion, Table, TableSeat
from engine import IllegalMove, Record, RecordError
from engine import Match as Position
from engine.move_options import why_not
from engine.record import MAX_MOVE
from engine.search.analysis import Question, move_sentence
from tournaments.models import Match
from tournaments.ratings.elo import Z95
from tournaments.reading.analyses import analysis_of

MAX_CACHED: Final = 16
"""The maximum number of positions in the cache of a process."""
MAX_FRAMES: Final = 24
"""The maximum number of frames that the page gets; it gets the latest ones."""


@dataclass(frozen=True, slots=True)
class Board:
    """A position of a match, as the seat to move sees it."""

    replay: ReplaySource
    n: int
    """The number of moves played, which is the number (from 0) of the next move."""
    record: Record
    cached: CachedMatch
    table: Table
    """A table that is not stored."""
    seats: list[TableSeat]
    seat: int
    """The seat to move."""

    @property
    def key(self) -> str:
        """The key of the opinions on this position."""
        return opinions.decision_key(
            self.record.format, self.record.seed, self.record.moves[: self.n]
        )

    def state(self) -> dict[str, Any]:
        """The table's state for the seat to move."""
        with self.cached.lock:
            state = reading.seat_state(self.cached, self.table, self.seats, self.seat)
        moves = state["decision"]["moves"]
        state["decision"]["moves"] = [move for move in moves if not move["after"]]
        words = f"{self.seats[self.seat].name} to move"
        return state | {"chip": {"kind": "thinking", "words": words}}

    def known_opinions(self, state: dict[str, Any]) -> dict[str, MoveOpinion]:
        """Known opinions, by move."""
        with self.cached.lock:
            match = self.cached.match.copy()
        return opinions_of(self.replay.match, self.key, self.n, match, state["decision"]["moves"])


def _find(request: HttpRequest, pk: int | None, key: str, number: int) -> Board:
    """The position; 404 if the viewer may not see the record or no seat is to move."""
    replay, record = find_replay(request, pk, key)
    if number > min(len(record.moves), MAX_GIVEN):
        raise Http404(f"There is no position to try after move {number}.")
    try:
        cached = _cached_match(record.format, record.seed, tuple(record.moves[:number]))
    except (IllegalMove, RecordError) as error:
        raise Http404(f"The moves are not legal under the current rules: {error}") from error
    turn = cached.match.turn
    if turn is None:
        raise Http404("The match ends there.")
    table = Table(format=record.format, state=Table.State.PLAYING, maker=turn)
    table.key = f"replay-{key or pk}"
    table.moves, table.to_act, table.moved = number, turn, now()
    seats = [_occupant(seat, turn) for seat in replay.seats]
    return Board(replay, number, record, cached, table, seats, turn)


def _occupant(seat: TableSeat, turn: int) -> TableSeat:
    """The seat as at a table. The viewer sits at the seat to move, under the name of its player."""
    if seat.index != turn:
        return seat
    return TableSeat(index=turn, kind=TableSeat.Kind.PERSON, handle=display_name(seat.bot))


@lru_cache(maxsize=MAX_CACHED)
def _cached_match(form: str, seed: str, moves: tuple[str, ...]) -> CachedMatch:
    cached = CachedMatch(Table(format=form, seed=seed))
    cached.onlookers = tuple(range(cached.match.format.seats))
    cached.append(moves, without_frames=max(0, len(moves) - MAX_FRAMES))
    cached.add_opening_frame()
    return cached


@require_safe
def position(
    request: HttpRequest, number: int, pk: int | None = None, key: str = ""
) -> HttpResponse:
    """The board after `number` moves of the match, the legal moves, and the opinions on them."""
    board = _find(request, pk, key, number)
    state = board.state()
    move_opinions = board.known_opinions(state)
    state["trouble"] = hosts.NO_ANSWER if hosts.no_host_lives() else ""
    moves = board.record.moves
    last = min(len(moves), MAX_GIVEN)
    context = {
        "board": board,
        "address": board.replay.position(number),
        "ask": board.replay.position(number, "ask"),
        "replay": f"{board.replay.page}#move-{number}" if number else board.replay.page,
        "state": state,
        "names": " – ".join(dict.fromkeys(display_name(seat.name) for seat in board.seats)),
        "script_data": {
            "state": state,
            "answers": [answer.as_dict() for answer in move_opinions.values()],
        },
        "offers": [
            offer | {"answer": move_opinions.get(offer["move"])}
            for offer in state["decision"]["moves"]
        ],
        "played": _sentence(state, moves[number]) if number < len(moves) else "",
        "back": board.replay.position(number - 1) if number else "",
        "on": board.replay.position(number + 1) if number + 1 < last else "",
        "cards": static("cardroom/cards.svg"),
    }
    return render(request, "match/position.html", context)


def _sentence(state: dict[str, Any], move: str) -> str:
    offers = state["decision"]["moves"]
    return next((offer["sentence"] for offer in offers if offer["move"] == move), move)


@require_POST
def ask(request: HttpRequest, number: int, pk: int | None = None, key: str = "") -> HttpResponse:
    """The expert's opinion on a legal move.

    Scripts get JSON: the opinion, with status 202 while the expert thinks, or `error`. Other
    requests are redirected to the page.
    """
    board = _find(request, pk, key, number)
    is_script = request.headers.get("Accept") == "application/json"
    try:
        answer = _await_opinion(request, board, request.POST.get("move", ""))
    except ActionError as error:
        if is_script:
            body = {"error": str(error), "code": error.code}
            return JsonResponse(body, status=table_views.STATUS[error.code])
        show_error(request, str(error))
        return redirect(board.replay.position(number))
    if not is_script:
        return redirect(board.replay.position(number))
    return JsonResponse(answer.as_dict(), status=200 if answer.words else 202)


def _await_opinion(request: HttpRequest, board: Board, move: str) -> MoveOpinion:
    """Request the opinion and wait for a few seconds; its `words` are empty if the expert still
    thinks."""
    state = board.state()
    answer = board.known_opinions(state).get(move)
    if answer is None:
        question = _question(board.record, board.n, move)
        if wait := opinion_wait(request):
            minutes = -(-wait // 60)
            raise ActionError(f"Too many questions within an hour; try again in {minutes} min.")
        opinions.request_opinion(board.key, question, person_of(request))
    elif answer.words:
        return answer
    opinion = _wait(Opinion.objects.get(position=board.key, move=move))
    if opinion.trouble:
        raise ActionError(opinion.trouble, "unavailable")
    if opinion.answer is None and hosts.no_host_comes(opinion.created):
        raise ActionError(hosts.NO_ANSWER, "unavailable")
    return board.known_opinions(state)[move]


def _wait(opinion: Opinion) -> Opinion:
    """The opinion once it has an answer or has failed, or after `HINT_SECONDS`."""
    with table_views.hold() as reserved:
        deadline = time.monotonic() + (table_views.HINT_SECONDS if reserved else 0.0)
        while opinion.answer is None and not opinion.trouble and time.monotonic() < deadline:
            time.sleep(table_views.POLL_SECONDS)
            opinion.refresh_from_db()
    return opinion


def _question(record: Record, n: int, move: str) -> Question:
    """The decision before move `n`, with `move` as the move to judge.

    ActionError if `move` is illegal or the only legal move.
    """
    match, since = record.start(), 0
    for earlier in record.moves[:n]:
        match.step(earlier)
        if match.turn is None:
            since = match.logged
            match.proceed()
    seat, legal = match.turn, match.legal_moves()
    if seat is None or len(move) > MAX_MOVE or not match.is_legal(move):
        raise ActionError("That move is not legal in this position.")
    if move not in legal:  # the list was truncated
        legal.append(move)
    if len(legal) == 1:
        raise ActionError("It is the only legal move in this position.", "conflict")
    view = match.view(seat)
    return Question(n, view["deal"], seat, move, view, legal, match.events(seat, since))


@limit_body(MAX_TABLE_BODY)
@require_POST
def why(request: HttpRequest, number: int, pk: int | None = None, key: str = "") -> HttpResponse:
    """The reason why no legal move has the picked parts; null if there is such a move."""
    board = _find(request, pk, key, number)
    try:
        picked = table_views.read_body(request, {"picked": list}).get("picked", [])
        refusal = _refusal(board, [key for key in picked if isinstance(key, str)])
    except ValueError as error:
        return JsonResponse({"error": str(error), "code": "invalid"}, status=400)
    return JsonResponse(refusal, safe=False)


def _refusal(board: Board, picked: Sequence[str]) -> dict[str, str] | None:
    with board.cached.lock:
        match = board.cached.match.copy()
    names = reading.names_of(match.format, board.seats)
    refusal = why_not(match, board.seat, picked, names)
    return refusal.as_dict() if refusal else None


# --- opinions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MoveOpinion:
    """The opinion on a move as text."""

    move: str
    sentence: str
    """The move as a sentence."""
    words: str
    """The opinion; empty while the expert thinks."""

    def as_dict(self) -> dict[str, str]:
        """The JSON for the page's script."""
        return asdict(self)


def opinions_of(
    db_match: Match | None,
    position: str,
    n: int,
    match: Position,
    offers: Sequence[Mapping[str, Any]],
) -> dict[str, MoveOpinion]:
    """The known opinions by move.

    `match`: at the position, before move `n` (from 0). `offers`: the legal moves of the seat to
    move. `db_match`: the match whose analysis may contain opinions. Requested opinions replace
    those of the analysis, which covers few moves.
    """
    sentences = {offer["move"]: offer["sentence"] for offer in offers}

    def sentence_for(move: str) -> str:
        return sentences.get(move) or move_sentence(match, move) or move

    move_opinions = {
        move: MoveOpinion(move, sentence_for(move), words)
        for move, words in _analysis_opinions(db_match, n, sentence_for)
    }
    for opinion in opinions.current_opinions(position).order_by("created"):
        words = _move_opinion(opinion.answer, sentence_for) if opinion.answer else ""
        move_opinions[opinion.move] = MoveOpinion(opinion.move, sentence_for(opinion.move), words)
    return move_opinions


def _analysis_opinions(match: Match | None, n: int, sentence_of: Any) -> list[tuple[str, str]]:
    """The opinions in the analysis of the decision: on the expert's move, on the move played, and
    on some others."""
    if match is None:
        return []
    analysis = analysis_of(match)
    if analysis.analysis is None or analysis.stale:
        return []
    decision = next((row for row in analysis.analysis["decisions"] if row["n"] == n), None)
    if decision is None:
        return []
    best = decision["moves"][0]
    rest = [
        row for row in decision["moves"][1:] if row["visits"] and row["move"] != decision["played"]
    ]
    others = [
        (
            row["move"],
            _comparison(row, best, best["points"] - row["points"], row["error"], sentence_of),
        )
        for row in rest
    ]
    return [
        (decision["played"], _move_opinion(decision, sentence_of)),
        (best["move"], _best_opinion(best)),
        *others,
    ]


def _move_opinion(decision: Mapping[str, Any], sentence_of: Any) -> str:
    """The opinion on the move played, as text. `decision`: as in `engine.search.analysis`."""
    best = decision["moves"][0]
    if decision["played"] == best["move"]:
        return _best_opinion(best)
    tried = next(row for row in decision["moves"] if row["move"] == decision["played"])
    return _comparison(tried, best, decision["cost"], decision["error"], sentence_of)


def _best_opinion(best: Mapping[str, Any]) -> str:
    points = f"{best['points']:+z.1f}".replace("-", "−")
    return (
        f"The expert would play this: {points} points in this deal, "
        f"{best['win'] * 100:.0f} % chance of winning the match."
    )


def _comparison(
    tried: Mapping[str, Any], best: Mapping[str, Any], cost: float, error: float, sentence_of: Any
) -> str:
    margin = Z95 * error
    less = "less" if cost >= 0 else "more"
    close = ", too close to call" if abs(cost) < margin else ""
    return (
        f"{abs(cost):.1f} ±{margin:.1f} points {less} than the expert’s move{close}; "
        f"{tried['win'] * 100:.0f} % chance of winning the match, not {best['win'] * 100:.0f} %. "
        f"The expert: {sentence_of(best['move'])}"
    )
