"""Permissions and quotas of tournaments, for actions, pages and REST.

The site itself (`by` None) and staff have no quotas.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, TypeAlias

from django.conf import settings
from django.db.models import Q

from bots.access import is_staff, owns
from bots.models import Bot
from cardroom_base.core.errors import ActionError
from cardroom_base.core.safe_text import escape
from cardroom_base.db.db_time import Now
from cardroom_base.db.quotas import DAY, lock_account_quotas
from tournaments.models import NOT_YET, Seat, Tournament
from tournaments.organizing import organizes
from tournaments.visibility import readable_matches

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser, User

    Person: TypeAlias = AbstractBaseUser | AnonymousUser | None


def may_withdraw_results(tournament: Tournament, by: Person) -> bool:
    """Whether `by` may withdraw results; in rated tournaments only staff may."""
    return by is None or is_staff(by) or not tournament.rated


def may_withdraw(tournament: Tournament, owners: Collection[int | None], by: User | None) -> bool:
    """Whether `by` may withdraw an entry with bots of these owners (None: the house).

    Every owner may. The organizer may before the start, and later unless the tournament is rated
    and a bot belongs to a user.
    """
    if by is None or by.is_staff or by.pk in owners:
        return True
    has_author = any(owner is not None for owner in owners)
    is_bound = tournament.rated and has_author and tournament.state == Tournament.State.RUNNING
    return organizes(tournament, by) and not is_bound


def owns_log(seat: Seat, by: Person) -> bool:
    """Whether `by` may read the log of a seat: the bot's owner and staff may."""
    return owns(seat.version.bot, by)


def log_of(match: int, number: int, by: AbstractBaseUser | AnonymousUser) -> tuple[Seat, str]:
    """A seat of a match, and the last 64 KiB that its bot wrote to stderr, escaped.

    Raises Seat.DoesNotExist if `by` may not see the match, and ActionError: `forbidden` unless
    `by` is the bot's owner or staff, `not-yet` until the deal group is over, because the log may
    show its cards.
    """
    seats = Seat.objects.select_related("version__bot", "match")
    seat = seats.get(match=match, index=number, match__in=readable_matches(by))
    if not owns_log(seat, by):
        raise ActionError("Only the owner of this bot may read its log.", "forbidden")
    if not seat.match.revealed:
        raise ActionError(NOT_YET, "not-yet")
    return seat, escape(zlib.decompress(seat.log).decode(errors="replace")) if seat.log else ""


def may_stop_analysis(requested_by: int | None, by: Person) -> bool:
    """Whether `by` may stop an analysis that user `requested_by` (None: the site) requested."""
    if by is None or not by.is_authenticated:
        return False
    return is_staff(by) or by.pk == requested_by


def lock_tournament(tournament: Tournament) -> Tournament:
    """Lock the tournament's row and return it."""
    return Tournament.objects.select_for_update().get(pk=tournament.pk)


def lock_for_organizer(tournament: Tournament, by: User | None) -> Tournament:
    """Lock the tournament's row and return it; ActionError `forbidden` unless `by` organizes it."""
    tournament = lock_tournament(tournament)
    if not organizes(tournament, by):
        raise ActionError(f"Only the organizers of {tournament.name} may do that.", "forbidden")
    return tournament


def refuse_unless(
    tournament: Tournament, verb: str, *states: Tournament.State, field: str = ""
) -> None:
    """ActionError unless the tournament has one of these states. `verb`: a participle for the
    message, such as `started`; `field`: the field concerned, if any."""
    if tournament.state not in states:
        labels = " or ".join(state.label for state in states)
        raise ActionError(
            f"{tournament.name} is {tournament.get_state_display()}; "
            f"it can be {verb} only while it is {labels}.",
            "conflict",
            field,
        )


def refuse_too_many_drafts(by: User | None) -> None:
    """ActionError if `by` has `MAX_DRAFTS` drafts, with those cancelled soon after their creation,
    whose rows stay."""
    if by is None or by.is_staff:
        return
    lock_account_quotas(by.pk)
    is_recent = Q(state=Tournament.State.DRAFT) | Q(created__gt=Now() - DAY)
    drafts = Tournament.objects.filter(is_recent, organizer=by, trial=False, opened=None)
    if drafts.count() >= settings.MAX_DRAFTS:
        raise ActionError(
            f"You have {settings.MAX_DRAFTS} drafts, which is the limit; open or cancel old ones. "
            "Drafts that you cancelled within 24 hours of their creation count, too.",
            "conflict",
        )


def refuse_too_many_tournaments(tournament: Tournament, by: User | None) -> None:
    """ActionError if the organizer has `MAX_ACTIVE_TOURNAMENTS` open or running tournaments.

    Tournaments count for their organizer, also if `by` is a co-organizer.
    """
    if by is None or by.is_staff:
        return
    states = (Tournament.State.OPEN, Tournament.State.RUNNING)
    organizer = tournament.organizer_id
    lock_account_quotas(organizer)
    active = Tournament.objects.filter(organizer=organizer, trial=False, state__in=states).count()
    if active >= settings.MAX_ACTIVE_TOURNAMENTS:
        possessive = "your" if organizer == by.pk else "the organizer's"
        raise ActionError(
            f"{active} of {possessive} tournaments are open or running, which is the limit; "
            "wait until one of them is over, or cancel one.",
            "conflict",
        )


def refuse_too_many_entries(tournament: Tournament, bots: Iterable[Bot], by: User | None) -> None:
    """ActionError if an author of these bots has `MAX_ENTRIES_PER_AUTHOR` entries here.

    Teams that the author has not agreed to join do not count, because anybody can enter these.
    """
    if by is None or by.is_staff:
        return
    limit = settings.MAX_ENTRIES_PER_AUTHOR
    owners = {bot.owner_id for bot in bots if bot.owner_id}
    lock_account_quotas(*owners)
    for owner in owners:
        has_owner_bot = Q(bot__owner=owner) | Q(mates__bot__owner=owner, mates__agreed=True)
        entries = tournament.entries.filter(has_owner_bot, withdrawn__isnull=True)
        count = entries.distinct().count()
        if count >= limit:
            subject = "You have" if owner == by.pk else "An author of these bots has"
            raise ActionError(
                f"{subject} {count} entries in {tournament.name}, which is the limit for one "
                "author; withdraw one of them first.",
                "conflict",
                "bot",
            )
