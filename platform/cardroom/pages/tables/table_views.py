"""A running table: its page, its state as JSON, and requests that change it.

`cardroom_tables.reading.state_for` makes every response and limits it to the seat's view.
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

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, RawPostDataException
from django.shortcuts import get_object_or_404, render
from django.templatetags.static import static
from django.utils.cache import get_conditional_response
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from cardroom.middleware import limit_body
from cardroom.pages.common.guests import joining_person, person_of
from cardroom_base.core.errors import ActionError, Code
from cardroom_base.core.names import display_name
from cardroom_base.core.request_limits import MAX_TABLE_BODY, MAX_WAITING
from cardroom_base.core.whole_number import whole_number
from cardroom_tables import hosts, reading
from cardroom_tables.actions import hints, moves, seats
from cardroom_tables.advice import advice
from cardroom_tables.guests import Person, invitation, note_presence
from cardroom_tables.match_cache import position_of
from cardroom_tables.models import Hint, Table, TableSeat
from cardroom_tables.my_games import recent_outcomes
from engine import IllegalMove
from engine.json_text import JSONError, parse_json
from engine.move_options import decide, why_not
from engine.record import MAX_MOVE

HOLD_SECONDS: Final = 2.0
"""The maximum time for which a request is held while a bot thinks."""
HINT_SECONDS: Final = 4.0
"""The maximum time for which a request for a hint or an opinion is held."""
POLL_SECONDS: Final = 0.025
"""The interval at which a held request reads the database."""
MAX_DIGITS: Final = 9
"""The maximum number of digits of a number in an address."""
MAX_NUMBER: Final = 2**31 - 1
STATUS: Final[dict[Code, int]] = {
    "invalid": 400,
    "forbidden": 403,
    "conflict": 409,
    "duplicate": 409,
    "unavailable": 503,
}
_holding = threading.BoundedSemaphore(MAX_WAITING)
"""The requests of this process that are held at the same time."""


@dataclass(frozen=True, slots=True)
class TableVisit:
    """A table, and the seat of the person who visits it, if any."""

    table: Table
    seats: list[TableSeat]
    person: Person
    seat: int | None

    def state(self, after: int | None = None) -> dict[str, Any]:
        """The state for this person; at the end also the results of their recent games."""
        state = reading.state_for(self.table, self.seats, self.seat, after)
        if self.seat is not None and self.table.state == Table.State.FINISHED:
            state["record"] = recent_outcomes(self.table, self.person)
        return state


def find(request: HttpRequest, key: str, token: str = "") -> TableVisit:
    """The table; 404 if it may not be watched and the person has neither a seat nor an
    invitation."""
    visit = _visit_of(get_object_or_404(Table, key=key), person_of(request))
    if visit.seat is None and not visit.table.watched and not _invites(visit, token):
        raise Http404
    _note_presence(visit)
    return visit


def find_finished(request: HttpRequest, key: str) -> TableVisit:
    """A finished table, whose cards are public; 404 for other tables. An abandoned table is not
    finished, because people may return to it."""
    visit = find(request, key)
    if visit.table.state != Table.State.FINISHED:
        raise Http404("The match at this table is not over.")
    return visit


def _visit_of(table: Table, person: Person) -> TableVisit:
    table_seats = reading.seats_of(table)
    return TableVisit(table, table_seats, person, reading.seat_of(table, table_seats, person))


def _note_presence(visit: TableVisit) -> None:
    for seat in reading.seats_of_person(visit.seats, visit.person):
        note_presence(visit.table, seat.index)


def _token(request: HttpRequest) -> str:
    return request.GET.get("invitation", "")


def _invites(visit: TableVisit, token: str) -> bool:
    """Whether the token opens one of the seats."""
    secret = token.encode("utf-8", "replace")
    return any(
        seat.kind == TableSeat.Kind.OPEN
        and secrets.compare_digest(invitation(visit.table, seat.index).encode(), secret)
        for seat in visit.seats
    )


@require_safe
@never_cache
def table(request: HttpRequest, key: str) -> HttpResponse:
    """The page with the current state. Browsers do not cache it, so they load it again when a
    person returns."""
    token = _token(request)
    visit = find(request, key, token)
    context = {
        "table": visit.table,
        "state": visit.state(),
        "format": reading.format_of(position_of(visit.table).format),
        "invitation": token if _invites(visit, token) else "",
        "cards": static("cardroom/cards.svg"),
    }
    return render(request, "play/table.html", context)


@require_safe
def state(request: HttpRequest, key: str) -> HttpResponse:
    """The table as JSON; `after`: the number of frames that the page has, `version`: its state.

    With `wait=1`, the response is held for at most two seconds while a bot thinks and the state
    does not change.
    """
    visit = find(request, key, _token(request))
    after = whole_number(request.GET.get("after"), MAX_DIGITS)
    version = whole_number(request.GET.get("version"), MAX_DIGITS)
    if request.GET.get("wait") == "1" and visit.table.version == version:
        visit = _await_change(visit)
    etag = reading.etag_of(visit.table, visit.seats, visit.seat, after)
    not_modified = get_conditional_response(request, etag=etag)
    if not_modified is not None:
        return not_modified
    return JsonResponse(visit.state(after), headers={"ETag": etag, "Cache-Control": "private"})


def _await_change(visit: TableVisit) -> TableVisit:
    """The table once it has changed, or after `HOLD_SECONDS`."""
    if not visit.table.bots_turn or visit.table.over:
        return visit
    with hold() as reserved:
        if not reserved or not _wait_for_change(visit.table):
            return visit
    return _reload(visit) or visit


def _wait_for_change(table: Table) -> bool:
    """Wait until the table changes or is deleted; False if it is unchanged after `HOLD_SECONDS`."""
    deadline = time.monotonic() + HOLD_SECONDS
    while time.monotonic() < deadline:
        if not Table.objects.filter(pk=table.pk, version=table.version).exists():
            return True
        time.sleep(POLL_SECONDS)
    return False


@contextmanager
def hold() -> Iterator[bool]:
    """Reserve a place among the held requests. Yields False if none is free, so that the request
    must not be held."""
    reserved = _holding.acquire(blocking=False)
    try:
        yield reserved
    finally:
        if reserved:
            _holding.release()


# --- players' actions -----------------------------------------------------------------------------

TableAction: TypeAlias = Callable[[HttpRequest, TableVisit, dict[str, Any]], HttpResponse]
Fields: TypeAlias = dict[str, type]


def _action(**fields: type) -> Callable[[TableAction], Callable[[HttpRequest, str], HttpResponse]]:
    """Turn a player's action into a view of POST requests. Their body is a JSON object with these
    fields, and optionally `after` and `version`.

    Refusals are JSON: ``error``, a sentence, and ``code``; with 409 also the ``state``.
    """

    def view_of(action: TableAction) -> Callable[[HttpRequest, str], HttpResponse]:
        @limit_body(MAX_TABLE_BODY)
        @require_POST
        @wraps(action)
        def view(request: HttpRequest, key: str) -> HttpResponse:
            try:
                body = read_body(request, fields)
            except ValueError as error:
                return _refusal(400, str(error), "invalid")
            visit = find(request, key, body.get("token", ""))
            try:
                return action(request, visit, body)
            except IllegalMove as error:
                reason = error.reason[:1].upper() + error.reason[1:].removesuffix(".") + "."
                return _refusal(400, reason, "illegal", clause=error.clause)
            except ActionError as error:
                state = None
                if error.code == "conflict" and (current := _reload(visit)) is not None:
                    state = current.state(body.get("after"))
                return _refusal(STATUS[error.code], str(error), error.code, state=state)

        return view

    return view_of


def read_body(request: HttpRequest, fields: Fields) -> dict[str, Any]:
    """The JSON object in the body of a request; ValueError with a sentence for other bodies."""
    try:
        body = parse_json(request.body or b"{}", MAX_TABLE_BODY)
    except RawPostDataException as error:
        raise ValueError("Send JSON, not a form.") from error
    except JSONError as error:
        raise ValueError(f"This is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise ValueError("Send a JSON object.")  # noqa: TRY004 - bad input is a ValueError
    types = fields | {"after": int, "version": int}
    for name, value in body.items():
        if name not in types:
            raise ValueError(f"Unknown field {name[:40]!r}.")
        if type(value) is not types[name] or (type(value) is int and not 0 <= value <= MAX_NUMBER):
            raise ValueError(f"{name} cannot be {value!r:.60}.")
        if isinstance(value, str) and "\0" in value:
            raise ValueError(f"{name} contains the character NUL.")
    return body


def _refusal(
    status: int, sentence: str, code: str, *, clause: str = "", state: dict[str, Any] | None = None
) -> HttpResponse:
    body = {"error": sentence, "code": code, "clause": clause, "state": state}
    return JsonResponse(body, status=status)


def _reload(visit: TableVisit) -> TableVisit | None:
    """The current state of the visited table; None if it has been deleted."""
    table = Table.objects.filter(pk=visit.table.pk).first()
    return None if table is None else _visit_of(table, visit.person)


def _state_response(visit: TableVisit, body: dict[str, Any]) -> HttpResponse:
    current = _reload(visit)
    if current is None:
        raise Http404
    return JsonResponse(current.state(body.get("after")))


@_action(n=int, move=str)
def move(_: HttpRequest, visit: TableVisit, body: dict[str, Any]) -> HttpResponse:
    """Play a move as number `n`."""
    text = body.get("move", "")
    if len(text) > MAX_MOVE:
        raise ActionError("This move is too long.")
    moves.play_move(visit.table, visit.person, body.get("n", -1), text)
    return _state_response(visit, body)


@_action(picked=list)
def why(_: HttpRequest, visit: TableVisit, body: dict[str, Any]) -> HttpResponse:
    """The reason why no legal move has the picked parts; null if there is such a move."""
    if visit.seat is None:
        raise ActionError("You have no seat at this table.", "forbidden")
    picked = [key for key in body.get("picked", []) if isinstance(key, str)]
    match = position_of(visit.table)
    names = reading.names_of(match.format, visit.seats)
    try:
        refusal = why_not(match, visit.seat, picked, names)
    except ValueError as error:
        raise ActionError(str(error)) from error
    return JsonResponse(refusal.as_dict() if refusal else None, safe=False)


@_action(n=int)
def hint(_: HttpRequest, visit: TableVisit, body: dict[str, Any]) -> HttpResponse:
    """A house bot's choice for move `n`; 202 while it thinks, so that the page requests it
    again."""
    job = hints.request_hint(visit.table, visit.person, body.get("n", visit.table.moves))
    with hold() as reserved:
        deadline = time.monotonic() + (HINT_SECONDS if reserved else 0.0)
        while not (job.move or job.trouble) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
            job = Hint.objects.get(pk=job.pk)
    if job.trouble:
        raise ActionError(job.trouble, "unavailable")
    if not job.move and hosts.no_host_comes(job.not_before):
        raise ActionError(hosts.NO_HOST, "unavailable")
    if not job.move:
        return JsonResponse({"pending": True}, status=202)
    match = position_of(visit.table)
    offers = decide(match, job.seat, reading.names_of(match.format, visit.seats)).offers
    offer = next((candidate for candidate in offers if candidate.move == job.move), None)
    answer = {
        "n": job.n,
        "move": job.move,
        "clause": offer.clause if offer else "",
        "by": display_name(job.bot),
    }
    return JsonResponse(answer | advice(job.move, job.why, offers)._asdict())


@_action()
def leave(_: HttpRequest, visit: TableVisit, body: dict[str, Any]) -> HttpResponse:
    """Leave the table."""
    seats.leave(visit.table, visit.person)
    return _state_response(visit, body)


@_action(seat=int)
def house(_: HttpRequest, visit: TableVisit, body: dict[str, Any]) -> HttpResponse:
    """Give an open seat, or the seat of somebody who left, to a house bot."""
    seats.give_seat_to_house(visit.table, body.get("seat", -1), visit.person)
    return _state_response(visit, body)


@_action(token=str, handle=str)
def sit(request: HttpRequest, visit: TableVisit, body: dict[str, Any]) -> HttpResponse:
    """Take the seat of an invitation, or return to the person's seat."""
    with joining_person(request) as person:
        joined = seats.sit(visit.table, person, body.get("token", ""), body.get("handle", ""))
    visit = _visit_of(joined, person)
    _note_presence(visit)
    return JsonResponse(visit.state(body.get("after")))
