"""Continue from a position of a finished match or table."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from cardroom.pages.common.flash_messages import show_error
from cardroom.pages.common.guests import joining_person
from cardroom.pages.common.replay_source import ReplaySource, match_source, table_source
from cardroom.pages.matches import match as matches
from cardroom.pages.matches.opponents import bots_for_people
from cardroom.pages.tables import table_views
from cardroom.pages.tables.lobby import limit_tables
from cardroom_base.core.errors import ActionError
from cardroom_base.core.whole_number import whole_number
from cardroom_tables import finished_tables as records
from cardroom_tables import strength
from cardroom_tables.actions.continuation import MAX_GIVEN, StartPosition
from cardroom_tables.actions.tables import SeatChoice, create_table
from cardroom_tables.models import Table
from engine import Record

SAME_BOTS: Final = "match"
"""The value of the form's field `bots` that seats the bots of the match."""
MAX_DIGITS: Final = 9
"""The maximum number of digits of a number in a form."""


def find_replay(request: HttpRequest, pk: int | None, key: str) -> tuple[ReplaySource, Record]:
    """The match `pk`, or the table `key`; 404 if the viewer may not see its record."""
    if pk is None:
        table = table_views.find_finished(request, key).table
        return table_source(table), records.record_of(table)
    match = matches.find_match(request, pk)
    return match_source(match), matches.record_of(match)


@require_POST
def sit(request: HttpRequest, pk: int | None = None, key: str = "") -> HttpResponse:
    """Create a table that continues the match `pk`, or the table `key`, after a move."""
    replay, record = find_replay(request, pk, key)
    after = whole_number(request.POST.get("after"), MAX_DIGITS)
    try:
        return redirect("table", key=_create_table(request, replay, record, after).key)
    except ActionError as error:
        show_error(request, str(error))
    return redirect(f"{replay.page}?move={after}#here" if after else f"{replay.page}#here")


def _create_table(
    request: HttpRequest, replay: ReplaySource, record: Record, after: int | None
) -> Table:
    if after is None:
        raise ActionError("Choose the move after which you want to play.", field="after")
    limit_tables(request)
    own_seat = _seat(request.POST.get("seat", ""), record, after)
    bots = _opponents(replay, request.POST.get("bots", ""))
    with joining_person(request) as person:
        return create_table(
            person,
            str(replay.format),
            [
                SeatChoice("you") if seat == own_seat else SeatChoice("bot", bot)
                for seat, bot in enumerate(bots)
            ],
            handle=request.POST.get("handle", ""),
            # A table must not reveal the cards of a match to people who may not see the match.
            watched=replay.watched,
            start=StartPosition(replay.source, replay.names, record, after),
        )


def _seat(text: str, record: Record, after: int) -> int:
    """The requested seat, or -1 if the request is not a number; without a request, the seat to
    move."""
    if text:
        seat = whole_number(text, MAX_DIGITS)
        return -1 if seat is None else seat
    turn = record.after(min(after, len(record.moves), MAX_GIVEN)).turn
    return 0 if turn is None else turn  # the action refuses later positions and the match's end


def _opponents(replay: ReplaySource, bot_name: str) -> list[str]:
    """The name of a bot for each seat, as `create_table` takes it."""
    fmt = replay.format
    default_bot = strength.game_bot(fmt)
    if bot_name != SAME_BOTS:
        return [bot_name or default_bot] * fmt.seats
    bots = bots_for_people(replay)
    return [bots.get(name, default_bot) for name in replay.names]
