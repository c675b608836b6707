"""Who may do what with a tournament, in which of its states, and how much of it.

Actions, pages and REST all ask here. The site itself (`by` None) and staff have no quotas.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, TypeAlias

from django.conf import settings
from django.db.models import Q

from bots.access import owns
from bots.models import Bot
from cardroom_base.core.errors import ActionError
from tournaments.models import NOT_YET, Seat, Tournament
from tournaments.reading.queries import readable_matches

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser, User

    Person: TypeAlias = AbstractBaseUser | AnonymousUser | None


def organizes(tournament: Tournament, by: Person) -> bool:
    """Whether somebody may do what is the organizer's: the organizer, staff, the site itself."""
    if by is None:
        return True
    if not by.is_authenticated:
        return False  # whose key is None, as is the organizer's of the site's own tournaments
    return _is_staff(by) or tournament.organizer_id == by.pk


def takes_back(tournament: Tournament, by: Person) -> bool:
    """Whether somebody may set results aside; in rated tournaments only staff may."""
    return by is None or _is_staff(by) or not tournament.rated


def takes_out(tournament: Tournament, owners: Collection[int | None], by: User | None) -> bool:
    """Whether somebody may withdraw an entry with bots of these owners (None: the house).

    Any of the owners may; the organizer before the start, and later where nothing is at stake for
    them.
    """
    if by is None or by.is_staff or by.pk in owners:
        return True
    foreign = any(owner is not None for owner in owners)
    bound = tournament.rated and foreign and tournament.state == Tournament.State.RUNNING
    return organizes(tournament, by) and not bound


def owns_log(seat: Seat, by: Person) -> bool:
    """Whether a log is somebody's to read: that of the bot's owner, and staff's."""
    return owns(seat.version.bot, by)


def log_of(match: int, number: int, by: AbstractBaseUser | AnonymousUser) -> tuple[Seat, str]:
    """A seat of a match, and what its bot wrote to stderr: the last 64 KiB.

    Seat.DoesNotExist where there is none that `by` may know of, ActionError `forbidden` for others
    than the bot's owner and staff, and `not-yet` for all until the deal group is over: a log holds
    what the bot saw of its cards.
    """
    seats = Seat.objects.select_related("version__bot", "match")
    seat = seats.get(match=match, index=number)
    if not owns_log(seat, by):
        if not readable_matches(by).filter(pk=match).exists():
            raise Seat.DoesNotExist
        raise ActionError("Only the owner of this bot reads its log.", "forbidden")
    if not seat.match.revealed:
        raise ActionError(NOT_YET, "not-yet")
    return seat, zlib.decompress(seat.log).decode(errors="replace") if seat.log else ""


def stops_analysis(asked_by: int | None, by: Person) -> bool:
    """Whether somebody may stop an unfinished analysis: its asker (None: the site), and staff."""
    if by is None or not by.is_authenticated:
        return False
    return _is_staff(by) or by.pk == asked_by


def locked(tournament: Tournament) -> Tournament:
    """The tournament, locked, whoever asks."""
    return Tournament.objects.select_for_update().get(pk=tournament.pk)


def locked_for_organizer(tournament: Tournament, by: User | None) -> Tournament:
    """The tournament, locked, if `by` organizes it; otherwise ActionError `forbidden`."""
    tournament = locked(tournament)
    if not organizes(tournament, by):
        raise ActionError(f"Only the organizer of {tournament.name} may do that.", "forbidden")
    return tournament


def refuse_unless(tournament: Tournament, verb: str, *states: Tournament.State) -> None:
    """ActionError unless it is in one of these states; `verb`: what cannot be done to it."""
    if tournament.state not in states:
        wanted = " or ".join(state.label for state in states)
        raise ActionError(
            f"{tournament.name} is {tournament.get_state_display()}; "
            f"it can be {verb} only while it is {wanted}.",
            "conflict",
        )


def refuse_too_many_tournaments(by: User | None) -> None:
    """ActionError where an organizer has as many open and running tournaments as one may."""
    if by is None or by.is_staff:
        return
    states = (Tournament.State.OPEN, Tournament.State.RUNNING)
    active = Tournament.objects.filter(organizer=by, trial=False, state__in=states).count()
    if active >= settings.MAX_ACTIVE_TOURNAMENTS:
        raise ActionError(
            f"{active} of your tournaments are open or running, which is the limit; "
            "wait until one of them is over, or cancel one.",
            "conflict",
        )


def refuse_too_many_entries(tournament: Tournament, bots: Iterable[Bot], by: User | None) -> None:
    """ActionError where an author of these bots has as many entries here as one may."""
    if by is None or by.is_staff:
        return
    limit = settings.MAX_ENTRIES_PER_AUTHOR
    for owner in {bot.owner_id for bot in bots if bot.owner_id}:
        theirs = Q(bot__owner=owner) | Q(mates__bot__owner=owner)
        here = tournament.entries.filter(theirs, withdrawn__isnull=True).distinct().count()
        if here >= limit:
            whose = "You have" if owner == by.pk else "An author of these bots has"
            raise ActionError(
                f"{whose} {here} entries in {tournament.name}, which is the limit for one author; "
                "withdraw one of them first.",
                "conflict",
                "bot",
            )


def _is_staff(by: AbstractBaseUser | AnonymousUser) -> bool:
    return bool(getattr(by, "is_staff", False))
