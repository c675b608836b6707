"""Sit down, leave, return, and hand a seat over to the house."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction

from bots.access import refuse_quarantined
from bots.limits import PackageError
from bots.models import Bot
from bots.package.manifest import covers
from bots.referee import house
from cardroom_base.core import names
from cardroom_base.core.errors import ActionError
from cardroom_base.core.names import HOUSE, slug_of
from cardroom_base.db.db_time import Now
from cardroom_base.db.retired_names import is_retired
from cardroom_base.models import AccountName
from cardroom_tables.actions.placing import announce_next_work, update_turn
from cardroom_tables.guests import Person, invitation, is_present
from cardroom_tables.match_cache import position_of
from cardroom_tables.models import MAX_HANDLE, Table, TableSeat
from cardroom_tables.quotas import refuse_too_many
from cardroom_tables.reading import is_resting, seats_of, seats_of_person
from cardroom_tables.strength import substitute
from engine import Format

GUEST: Final = "guest"
"""The name of a guest who enters none."""


@transaction.atomic
def sit(table: Table, person: Person, token: str = "", handle: str = "") -> Table:
    """Take the seat of the invitation `token`, or return to the person's seat. The cards are dealt
    once all friends are seated."""
    table = lock_table(table)
    seats = seats_of(table)
    if own_seats := seats_of_person(seats, person):
        return _return_to_seats(table, own_seats)
    if table.over:
        raise ActionError("This table is over.", "conflict")
    seat = next((candidate for candidate in seats if _opens_seat(table, candidate, token)), None)
    if seat is None:
        raise ActionError("The seat of this link is already taken.", "conflict")
    refuse_too_many(person)
    seat.kind = TableSeat.Kind.PERSON
    seat.user = person.user
    seat.guest = "" if person.user else person.guest
    seat.handle = check_handle(handle, person)
    _refuse_namesake(seat, seats)
    seat.save()
    return _deal_if_full(table, seats)


@transaction.atomic
def leave(table: Table, person: Person) -> Table:
    """Leave the table, which is abandoned if no person is left. A person who returns gets the seat
    back."""
    table = lock_table(table)
    seats = seats_of(table)
    own_seats = _own_seats(seats, person)
    if table.over or all(seat.left is not None for seat in own_seats):
        return table
    for seat in own_seats:
        seat.left = seat.left or Now()
        seat.save(update_fields=["left"])
    people = (seat for seat in seats if seat.kind == TableSeat.Kind.PERSON)
    if all(seat.left is not None for seat in people):
        table.state = Table.State.ABANDONED
        table.finished = Now()
        table.bots_turn = False
    return save_seating(table)


@transaction.atomic
def give_seat_to_house(table: Table, index: int, person: Person) -> Table:
    """Give the house an open seat, or the seat of a person who has left."""
    table = lock_table(table)
    seats = seats_of(table)
    own_seats = _own_seats(seats, person)
    if table.over:
        raise ActionError("This table is over.", "conflict")
    seat = next((candidate for candidate in seats if candidate.index == index), None)
    if seat is None or seat.kind == TableSeat.Kind.BOT or seat in own_seats:
        raise ActionError("House bots can take only open seats and seats of people who have left.")
    vacant = seat.kind == TableSeat.Kind.OPEN or seat.left is not None
    if not vacant and is_present(table, index):
        raise ActionError(f"{seat.handle} is at the table.", "conflict")
    fmt = Format.parse(table.format)
    seat.kind, seat.since, seat.left = TableSeat.Kind.BOT, table.moves, None
    seat_bot(seat, substitute(fmt), fmt)
    seat.save()
    if table.state == Table.State.WAITING:
        return _deal_if_full(table, seats)
    if table.to_act == index:
        table.bots_turn = True
    save_seating(table)
    announce_next_work(table, deals_before=table.deals)
    return table


@transaction.atomic
def replace_bot(bot: Bot) -> None:
    """Give the house all seats of a bot at tables that are not finished, also at abandoned ones,
    because people may return to them."""
    seats = TableSeat.objects.filter(version__bot=bot).exclude(table__state=Table.State.FINISHED)
    tables = Table.objects.select_for_update().filter(pk__in=seats.values("table")).order_by("pk")
    for table in tables:
        fmt = Format.parse(table.format)
        for seat in seats.filter(table=table):
            seat.version, seat.since = None, table.moves
            seat_bot(seat, substitute(fmt), fmt)
            seat.save()
        table.worker, table.lease_until, table.trouble = "", None, ""  # the host stops
        save_seating(table)
        announce_next_work(table, deals_before=table.deals)


def rename_bot(bot: Bot) -> None:
    """Show a bot's present name at its tables."""
    TableSeat.objects.filter(version__bot=bot).update(bot=bot.name)


def lock_table(table: Table) -> Table:
    """The table, locked; ActionError if it was deleted meanwhile."""
    row = Table.objects.select_for_update().filter(pk=table.pk).first()
    if row is None:
        raise ActionError("This table has been deleted.", "conflict")
    return row


def save_seating(table: Table) -> Table:
    """Store a table after a change of its seats."""
    table.version += 1
    table.seating += 1
    table.moved = Now()
    table.save()
    table.refresh_from_db()
    return table


def check_handle(handle: str, person: Person) -> str:
    """A person's name at a table: the account's name, or a guest's choice.

    ActionError for an invalid or retired name, or one that looks like an account, a bot or the
    house.
    """
    if person.user is not None:
        return person.user.get_username()
    if handle.strip().casefold() in {"", GUEST}:
        return GUEST
    try:
        name = names.normalize(handle, MAX_HANDLE)
    except names.BadNameError as error:
        raise ActionError(f"The name {error}", field="handle") from error
    skeleton = names.skeleton(name)
    in_use = User.objects.filter(username__iexact=name).exists()
    in_use = in_use or AccountName.objects.filter(skeleton=skeleton).exists()
    in_use = in_use or Bot.objects.filter(skeleton=skeleton).exists()
    in_use = in_use or is_retired(name)
    if in_use or names.is_reserved(name) or names.is_seat_name(name):
        raise ActionError(f"{name} is in use here; choose another name.", field="handle")
    return name


def _refuse_namesake(guest: TableSeat, seats: Iterable[TableSeat]) -> None:
    """ActionError if a guest's name looks like another one at the table."""
    if guest.guest and guest.handle != GUEST:
        skeleton = names.skeleton(guest.handle)
        for seat in seats:
            if seat is not guest and seat.handle and names.skeleton(seat.handle) == skeleton:
                raise ActionError(
                    f"{seat.handle} is already sitting at this table; choose another name.",
                    field="handle",
                )


def _return_to_seats(table: Table, seats: list[TableSeat]) -> Table:
    if table.state == Table.State.FINISHED:
        return table
    if all(seat.left is None for seat in seats):
        return _wake(table) if is_resting(table) else table
    for seat in seats:
        seat.left = None
        seat.save(update_fields=["left"])
    if table.state == Table.State.ABANDONED:
        has_open_seat = any(other.kind == TableSeat.Kind.OPEN for other in seats_of(table))
        table.state = Table.State.WAITING if has_open_seat else Table.State.PLAYING
        table.finished = None
        if not has_open_seat:
            update_turn(table, position_of(table), seats_of(table))
    save_seating(table)
    announce_next_work(table, deals_before=table.deals)
    return table


def _wake(table: Table) -> Table:
    """End the rest of a table, because a person is back."""
    table.version += 1
    table.moved = Now()
    table.save(update_fields=["version", "moved"])
    table.refresh_from_db()
    return table


def _deal_if_full(table: Table, seats: list[TableSeat]) -> Table:
    if not any(seat.kind == TableSeat.Kind.OPEN for seat in seats):
        table.state = Table.State.PLAYING
        update_turn(table, position_of(table), seats)
    save_seating(table)
    announce_next_work(table, deals_before=table.deals)
    return table


def _opens_seat(table: Table, seat: TableSeat, token: str) -> bool:
    secret = invitation(table, seat.index)
    matches = secrets.compare_digest(secret.encode(), token.encode("utf-8", "replace"))
    return seat.kind == TableSeat.Kind.OPEN and matches


def _own_seats(seats: Iterable[TableSeat], person: Person) -> list[TableSeat]:
    own_seats = seats_of_person(seats, person)
    if not own_seats:
        raise ActionError("You have no seat at this table.", "forbidden")
    return own_seats


def covers_format(patterns: Iterable[str], fmt: Format) -> bool:
    """Whether one of the patterns of a manifest covers the format."""
    return any(covers(pattern, fmt) for pattern in patterns)


def seat_bot(seat: TableSeat, bot_name: str, fmt: Format) -> None:
    """Seat a bot by `house:NAME` or its slug; ActionError if it cannot play."""
    bot = Bot.objects.select_related("active_version").filter(slug=slug_of(bot_name)).first()
    if bot is not None and bot.active_version is not None:
        refuse_quarantined(bot)
        if not bot.plays_people:
            raise ActionError(f"{bot.name} does not play with people.", "conflict", "bot")
        if not covers_format(bot.active_version.formats, fmt):
            raise ActionError(f"{bot.name} does not play {fmt}.", "invalid", "bot")
        seat.bot, seat.version = bot.name, bot.active_version
        return
    try:
        package = house.load(bot_name.removeprefix(HOUSE)) if bot_name.startswith(HOUSE) else None
    except PackageError as error:
        raise ActionError(str(error), field="bot") from error
    if package is None:
        raise ActionError("Choose a bot from the list.", field="bot")
    if not covers_format(package.manifest.formats, fmt):
        raise ActionError(f"{bot_name} does not play {fmt}.", "invalid", "bot")
    seat.bot = bot_name
