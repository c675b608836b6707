"""The lobby of people's tables, and the pages of a table after a deal and after the end."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from cardroom.pages.common import record_data
from cardroom.pages.common.flash_messages import show_error
from cardroom.pages.common.guests import joining_person, person_of
from cardroom.pages.common.replay_source import table_source
from cardroom.pages.matches.match import SPEEDS, requested_move
from cardroom.pages.matches.opponents import continuation_choices, initial_choice, ratings_of
from cardroom.pages.tables.table_views import find, find_finished
from cardroom.throttles import table_wait
from cardroom_base.core.errors import ActionError
from cardroom_base.core.whole_number import whole_number
from cardroom_tables import finished_tables, hosts, lobby, strength
from cardroom_tables.actions import seats
from cardroom_tables.actions.tables import SeatChoice, create_table
from cardroom_tables.models import MAX_HANDLE, Table
from cardroom_tables.reading import continued_source
from engine import Format, Record
from engine.english import seat_name

FELT_STYLESHEETS: Final = tuple(
    f"cardroom/css/{name}.css" for name in ("table", "games", "play", "felt")
)


@require_http_methods(["GET", "HEAD", "POST"])
def choose(request: HttpRequest) -> HttpResponse:
    """Show the form for game, table form and seats; a valid form creates a table."""
    if request.method == "POST":
        try:
            return redirect("table", key=_create(request).key)
        except ActionError as error:
            messages.error(request, str(error), extra_tags="bad")
    person = person_of(request)
    choice: dict[str, Any] = {"games": lobby.game_offers(person), "bots": lobby.author_bots()}
    choice["ratings"] = ratings_of(
        [*strength.address_names(), *(bot["slug"] for bot in choice["bots"])]
    )
    context = {
        "choice": choice,
        "first": initial_choice(choice, request),
        "own": lobby.overview_of(person),
        "sent": {k: v for k, v in request.POST.items() if k != "csrfmiddlewaretoken"},
        "cards": static("cardroom/cards.svg"),
        "max_handle": MAX_HANDLE,
    }
    return render(request, "play/choose.html", context)


def limit_tables(request: HttpRequest) -> None:
    """Count a new table of the person behind the request; ActionError if there were too many."""
    if wait := table_wait(request):
        minutes = -(-wait // 60)
        raise ActionError(
            f"You have created too many tables within an hour; try again in {minutes} min."
        )


def _create(request: HttpRequest) -> Table:
    """Create the table that the form describes."""
    data = request.POST
    limit_tables(request)
    try:
        fmt = Format.parse(data.get("format", ""))
    except ValueError as error:
        raise ActionError(str(error), field="format") from error
    own_seat = whole_number(data.get("you", "0"), max_digits=2)
    default_bot = data.get("level") or "house:greedy"
    seats = [
        SeatChoice("you")
        if index == own_seat
        else _seat_choice(data.get(f"seat-{index}", "") or default_bot)
        for index in range(fmt.seats)
    ]
    with joining_person(request) as person:
        return create_table(
            person,
            str(fmt),
            seats,
            handle=data.get("handle", ""),
            watched=data.get("closed") != "on",
        )


def _seat_choice(text: str) -> SeatChoice:
    return SeatChoice("friend") if text == "friend" else SeatChoice("bot", text)


@require_POST
def drop(request: HttpRequest, key: str) -> HttpResponse:
    """Leave a table that the list of the person's tables shows."""
    visit = find(request, key)
    try:
        seats.leave(visit.table, visit.person)
    except ActionError as error:
        show_error(request, str(error))
    return redirect("play")


# --- after a deal, and after the end --------------------------------------------------------------


@require_safe
def comparison(request: HttpRequest, key: str, deal: int) -> HttpResponse:
    """Compare the players of deal `deal` (from 1) with others that played the same cards."""
    visit = find(request, key)
    if not visit.table.deals_given < deal <= visit.table.deals:
        raise Http404("That deal was not finished at this table.")
    compared = finished_tables.comparison_of(visit.table, deal, visit.seat)
    no_host = not compared["ready"] and hosts.no_host_comes(visit.table.moved)
    context = {
        "table": visit.table,
        "comparison": compared,
        "trouble": hosts.NO_REPLAY if no_host else "",
        "cards": static("cardroom/cards.svg"),
        "felt_stylesheets": FELT_STYLESHEETS,
    }
    return render(request, "play/comparison.html", context)


@require_safe
def replay(request: HttpRequest, key: str) -> HttpResponse:
    """The replay of a finished table, with all cards."""
    visit = find_finished(request, key)
    after_move = requested_move(request)
    context = {
        "table": visit.table,
        "setup": _setup(visit.table) | {"move": after_move},
        "speeds": SPEEDS,
        "begun": continued_source(visit.table, visit.seat),
        "from_here": continuation_choices(table_source(visit.table), visit.table.moves, after_move),
    }
    return render(request, "play/replay.html", context)


@require_safe
def record(request: HttpRequest, key: str) -> HttpResponse:
    """The record of a finished table."""
    body = finished_tables.record_of(find_finished(request, key).table).to_json()
    return JsonResponse(body, headers=_download(key))


def _replayed_record(request: HttpRequest, key: str) -> Record:
    """The record of a finished table; RecordError for one with too many moves."""
    return record_data.checked(finished_tables.record_of(find_finished(request, key).table))


@require_safe
def frames(request: HttpRequest, key: str) -> HttpResponse:
    """The frames of a finished table, in the format of REST's frames of a match."""
    record = _replayed_record(request, key)
    body = {
        "match": key,
        "format": record.format,
        "players": record.players,
        "frames": list(record.frames()),
    }
    return JsonResponse(body)


@require_safe
def tally(request: HttpRequest, key: str) -> HttpResponse:
    """The tally of the deal at each frame; null for a game without a tally."""
    return JsonResponse(record_data.tally(_replayed_record(request, key)), safe=False)


@require_safe
def question(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """A seat's view before move `number` (from 1), and its legal moves."""
    data = record_data.question(_replayed_record(request, key), number - 1)
    if data is None:
        raise Http404(f"The match has no move {number}.")
    return JsonResponse(data)


def _download(key: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="table-{key}.json"'}


def _setup(table: Table) -> dict[str, Any]:
    """The data of the replay viewer besides frames and record, as on a match's page."""
    record = finished_tables.record_of(table)
    fmt = Format.parse(table.format)
    return {
        "seats": [_place(player["name"], fmt.seats, n) for n, player in enumerate(record.players)],
        "sides": [list(side) for side in fmt.sides],
        "clock": None,  # people have none, and deals and people's moves refill the bots' banks
        "urls": {
            "frames": reverse("table-frames", args=[table.key]),
            "record": reverse("table-record", args=[table.key]),
            "tally": reverse("table-tally", args=[table.key]),
            "question": reverse("table-question", args=[table.key, 0]),
            "cards": static("cardroom/cards.svg"),
            "rules": reverse("rules", args=[fmt.game]),
        },
    }


def _place(name: str, seats: int, index: int) -> dict[str, Any]:
    """The replay viewer's data about a seat and its player."""
    compass = seat_name(seats, index)
    return {
        "name": name,
        "version": None,
        "compass": compass,
        "place": "".join(word[0].upper() for word in compass.split("-")),
        "rating": None,
        "interval": None,
    }
