"""A running table: its page, its state as JSON, and requests that change it.

`cardroom_tables.reading.for_seat` makes every response and limits it to the seat's view.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, TypeAlias

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.templatetags.static import static
from django.utils.cache import get_conditional_response
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from cardroom.middleware import takes
from cardroom.pages.common.guests import person, seated
from cardroom_base.core.errors import ActionError, Code
from cardroom_base.core.names import friendly
from cardroom_base.core.request_limits import MAX_HELD, MAX_PLAYED
from cardroom_tables import hosts, reading
from cardroom_tables.actions import hints, moves, seats
from cardroom_tables.advice import advice
from cardroom_tables.guests import Person, invitation, touch
from cardroom_tables.match_cache import position
from cardroom_tables.models import Hint, Table, TableSeat
from cardroom_tables.my_games import record_of
from engine import IllegalMove
from engine.json_text import JSONError, parse_json
from engine.move_options import decide, why_not
from engine.record import MAX_MOVE

HOLD_SECONDS: Final = 2.0
"""How long a request is held while a bot thinks."""
HINT_SECONDS: Final = 4.0
LOOK_SECONDS: Final = 0.025
MOST: Final = 2**31 - 1
STATUS: Final[dict[Code, int]] = {
    "invalid": 400,
    "forbidden": 403,
    "conflict": 409,
    "duplicate": 409,
    "unavailable": 503,
}
_holding = threading.BoundedSemaphore(MAX_HELD)


@dataclass(frozen=True, slots=True)
class Seen:
    """A table, and the viewer's person and seat."""

    table: Table
    seats: list[TableSeat]
    person: Person
    seat: int | None

    def state(self, after: int | None = None) -> dict[str, Any]:
        """The state for this person; at the end also their record in recent games."""
        state = reading.for_seat(self.table, self.seats, self.seat, after)
        if self.seat is not None and self.table.state == Table.State.FINISHED:
            state["record"] = record_of(self.table, self.person)
        return state


def find(request: HttpRequest, key: str, token: str = "") -> Seen:
    """The table; 404 for people without a seat or an invitation where nobody may look on."""
    seen = _view_of(get_object_or_404(Table, key=key), person(request))
    if seen.seat is None and not seen.table.watched and not _invites(seen, token):
        raise Http404
    if seen.seat is not None:
        touch(seen.table, seen.seat)
    return seen


def find_finished(request: HttpRequest, key: str) -> Seen:
    """A table whose cards are public, which requires that the match is over: people may come back
    to a table that everybody has left."""
    seen = find(request, key)
    if seen.table.state != Table.State.FINISHED:
        raise Http404("The table is not over.")
    return seen


def _view_of(table: Table, who: Person) -> Seen:
    sitting = reading.seats_of(table)
    return Seen(table, sitting, who, reading.seat_of(sitting, who))


def _token(request: HttpRequest) -> str:
    return request.GET.get("invitation", "")


def _invites(seen: Seen, token: str) -> bool:
    """Whether the token opens one of the seats."""
    secret = token.encode("utf-8", "replace")
    return any(
        seat.kind == TableSeat.Kind.OPEN
        and secrets.compare_digest(invitation(seen.table, seat.index).encode(), secret)
        for seat in seen.seats
    )


@require_safe
@never_cache
def table(request: HttpRequest, key: str) -> HttpResponse:
    """The page with the first state. It is not cached, so a browser that returns loads it again."""
    token = _token(request)
    seen = find(request, key, token)
    context = {
        "table": seen.table,
        "state": seen.state(),
        "format": reading.format_of(position(seen.table).format),
        "invitation": token if _invites(seen, token) else "",
        "cards": static("cardroom/cards.svg"),
    }
    return render(request, "play/table.html", context)


@require_safe
def state(request: HttpRequest, key: str) -> HttpResponse:
    """The table as JSON; `after`: the number of frames that the page has, `version`: its state.

    With `wait=1` the response is held for at most two seconds while a bot thinks and the state has
    not changed.
    """
    seen = find(request, key, _token(request))
    after = _number(request.GET.get("after"))
    version = _number(request.GET.get("version"))
    if request.GET.get("wait") == "1" and seen.table.version == version:
        seen = _await_change(seen)
    etag = reading.etag_of(seen.table, seen.seats, seen.seat, after)
    same = get_conditional_response(request, etag=etag)
    if same is not None:
        return same
    return JsonResponse(seen.state(after), headers={"ETag": etag, "Cache-Control": "private"})


def _await_change(seen: Seen) -> Seen:
    """As it is once something has changed, or at the end of our patience."""
    if not seen.table.bots_turn or seen.table.over:
        return seen
    with hold() as held:
        if not held or not _wait_for_change(seen.table):
            return seen
    return _view_of(Table.objects.get(pk=seen.table.pk), seen.person)


def _wait_for_change(table: Table) -> bool:
    """Wait until another version of the table is stored; False if none is in time."""
    until = time.monotonic() + HOLD_SECONDS
    while time.monotonic() < until:
        if not Table.objects.filter(pk=table.pk, version=table.version).exists():
            return Table.objects.filter(pk=table.pk).exists()
        time.sleep(LOOK_SECONDS)
    return False


@contextmanager
def hold() -> Iterator[bool]:
    """Reserve a place among the held requests; False if none is free, so respond immediately."""
    held = _holding.acquire(blocking=False)
    try:
        yield held
    finally:
        if held:
            _holding.release()


# --- players' actions -----------------------------------------------------------------------------

Verb: TypeAlias = Callable[[HttpRequest, Seen, dict[str, Any]], HttpResponse]
Fields: TypeAlias = dict[str, type]


def _verb(**fields: type) -> Callable[[Verb], Callable[[HttpRequest, str], HttpResponse]]:
    """A view of a POST whose body is a JSON object with these fields, and optionally `after`.

    Refusals are JSON: ``error``, a sentence, and ``code``; with 409 also the ``state``.
    """

    def view_of(do: Verb) -> Callable[[HttpRequest, str], HttpResponse]:
        @takes(MAX_PLAYED)
        @require_POST
        @wraps(do)
        def view(request: HttpRequest, key: str) -> HttpResponse:
            try:
                sent = read(request, fields)
            except ValueError as error:
                return _refusal(400, str(error), "invalid")
            seen = find(request, key, sent.get("token", ""))
            try:
                return do(request, seen, sent)
            except IllegalMove as error:
                reason = error.reason[:1].upper() + error.reason[1:].removesuffix(".") + "."
                return _refusal(400, reason, "illegal", clause=error.clause)
            except ActionError as error:
                now = _reloaded(seen).state(sent.get("after")) if error.code == "conflict" else None
                return _refusal(STATUS[error.code], str(error), error.code, state=now)

        return view

    return view_of


def read(request: HttpRequest, fields: Fields) -> dict[str, Any]:
    """The JSON object of a request; ValueError with a sentence for anything else."""
    try:
        sent = parse_json(request.body or b"{}", MAX_PLAYED)
    except JSONError as error:
        raise ValueError(f"This is not JSON: {error}") from error
    if not isinstance(sent, dict):
        raise ValueError("Send a JSON object.")  # noqa: TRY004 - bad input is a ValueError
    types = fields | {"after": int, "version": int}
    for name, value in sent.items():
        if name not in types:
            raise ValueError(f"Unknown field {name[:40]!r}.")
        if type(value) is not types[name] or (type(value) is int and not 0 <= value <= MOST):
            raise ValueError(f"{name} cannot be {value!r:.60}.")
    return sent


def _refusal(
    status: int, sentence: str, code: str, *, clause: str = "", state: dict[str, Any] | None = None
) -> HttpResponse:
    body = {"error": sentence, "code": code, "clause": clause, "state": state}
    return JsonResponse(body, status=status)


def _reloaded(seen: Seen) -> Seen:
    """The table as it is now."""
    return _view_of(Table.objects.get(pk=seen.table.pk), seen.person)


def _answer(seen: Seen, sent: dict[str, Any]) -> HttpResponse:
    return JsonResponse(_reloaded(seen).state(sent.get("after")))


@_verb(n=int, move=str)
def move(_: HttpRequest, seen: Seen, sent: dict[str, Any]) -> HttpResponse:
    """Play a move as number `n`."""
    text = sent.get("move", "")
    if len(text) > MAX_MOVE:
        raise ActionError("This move is too long.")
    moves.play_move(seen.table, seen.person, sent.get("n", -1), text)
    return _answer(seen, sent)


@_verb(picked=list)
def why(_: HttpRequest, seen: Seen, sent: dict[str, Any]) -> HttpResponse:
    """The reason why no legal move has the picked parts; null if one has."""
    if seen.seat is None:
        raise ActionError("You have no seat at this table.", "forbidden")
    picked = [key for key in sent.get("picked", []) if isinstance(key, str)]
    match = position(seen.table)
    names = reading.names_of(match.format, seen.seats)
    try:
        refusal = why_not(match, seen.seat, picked, names)
    except ValueError as error:
        raise ActionError(str(error)) from error
    return JsonResponse(refusal.as_dict() if refusal else None, safe=False)


@_verb(n=int)
def hint(_: HttpRequest, seen: Seen, sent: dict[str, Any]) -> HttpResponse:
    """The move of a house bot as number `n`; 202 while it thinks, so the page asks again."""
    job = hints.ask_hint(seen.table, seen.person, sent.get("n", seen.table.moves))
    with hold() as held:
        until = time.monotonic() + (HINT_SECONDS if held else 0.0)
        while not (job.move or job.trouble) and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)
            job = Hint.objects.get(pk=job.pk)
    if job.trouble:
        raise ActionError(job.trouble, "unavailable")
    if not job.move and hosts.nobody_comes(job.not_before):
        raise ActionError(hosts.NO_HOST, "unavailable")
    if not job.move:
        return JsonResponse({"pending": True}, status=202)
    match = position(seen.table)
    offers = decide(match, job.seat, reading.names_of(match.format, seen.seats)).offers
    offer = next((candidate for candidate in offers if candidate.move == job.move), None)
    answer = {
        "n": job.n,
        "move": job.move,
        "clause": offer.clause if offer else "",
        "by": friendly(job.bot),
    }
    return JsonResponse(answer | advice(job.move, job.why, offers)._asdict())


@_verb()
def leave(_: HttpRequest, seen: Seen, sent: dict[str, Any]) -> HttpResponse:
    """Go."""
    seats.leave(seen.table, seen.person)
    return _answer(seen, sent)


@_verb(seat=int)
def house(_: HttpRequest, seen: Seen, sent: dict[str, Any]) -> HttpResponse:
    """Give an open seat, or the seat of somebody who left, to a house bot."""
    seats.seat_house(seen.table, sent.get("seat", -1), seen.person)
    return _answer(seen, sent)


@_verb(token=str, handle=str)
def sit(request: HttpRequest, seen: Seen, sent: dict[str, Any]) -> HttpResponse:
    """Take the seat of an invitation, or return to one's own."""
    with seated(request) as who:
        taken = seats.sit(seen.table, who, sent.get("token", ""), sent.get("handle", ""))
    now = _view_of(taken, who)
    if now.seat is not None:
        touch(taken, now.seat)
    return JsonResponse(now.state(sent.get("after")))


def _number(text: str | None) -> int | None:
    if text is None or not (text.isascii() and text.isdecimal()) or len(text) > 9:
        return None
    return int(text)
