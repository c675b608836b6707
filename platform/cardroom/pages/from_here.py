"""From a position of a finished match: sitting down there, at a table that goes on from it."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from bots.actions import ActionError
from cardroom.pages.match import find, names_of, record_of
from cardroom.pages.opponents import agreeing
from cardroom.pages.play import refuse_haste
from cardroom.pages.players import person
from cardroom.pages.saying import say_why_not
from cardroom.play import strength
from cardroom.play.actions.going_on import Begun
from cardroom.play.actions.tables import Wanted, create_table
from cardroom.play.models import Table
from engine import Format, Record
from tournaments.models import Match

AS_IN_THE_MATCH: Final = "match"
"""The choice of opponents that are those of the match."""
MOST_DIGITS: Final = 9
"""Of a number that a form sends."""


@require_POST
def sit(request: HttpRequest, pk: int) -> HttpResponse:
    """Sit down after a move of the match; what comes before is as it was played."""
    found = find(request, pk)
    record = record_of(found)
    after = _number(request.POST.get("after", ""))
    try:
        return redirect("table", key=_seated(request, found, record, after).key)
    except ActionError as error:
        say_why_not(request, str(error))
    page = reverse("match", args=[pk])
    return redirect(f"{page}?move={after}#here" if after else f"{page}#here")


def _seated(request: HttpRequest, found: Match, record: Record, after: int | None) -> Table:
    if after is None:
        raise ActionError("Say after which move you want to sit down.", field="after")
    refuse_haste(request)
    fmt = Format.parse(found.format)
    own = _seat(request.POST.get("seat", ""), record, after)
    bots = _opponents(found, fmt, request.POST.get("bots", ""))
    return create_table(
        person(request, remember=True),
        str(fmt),
        [Wanted("you") if index == own else Wanted("bot", bot) for index, bot in enumerate(bots)],
        handle=request.POST.get("handle", ""),
        # Who may not see the match is not shown its cards by way of a table.
        watched=found.tournament.opened is not None,
        begun=Begun(found.pk, names_of(found), record, after),
    )


def _seat(said: str, record: Record, after: int) -> int:
    """The seat that somebody takes: where they say none, that which is to move."""
    if said:
        seat = _number(said)
        return -1 if seat is None else seat
    turn = record.after(min(after, len(record.moves))).turn
    return 0 if turn is None else turn  # a match that is over there is refused later


def _opponents(found: Match, fmt: Format, said: str) -> list[str]:
    """A bot for each seat, as `create_table` takes them."""
    own = strength.own(fmt)
    if said != AS_IN_THE_MATCH:
        return [said or own] * fmt.seats
    known = agreeing(found)
    return [known.get(name, own) for name in names_of(found)]


def _number(said: str) -> int | None:
    """A whole number of a form; None for what is none."""
    plain = said.isascii() and said.isdecimal() and len(said) <= MOST_DIGITS
    return int(said) if plain else None
