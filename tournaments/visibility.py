"""Decide who may see a tournament, its matches, and everything computed from them.

This is the only place with the rule. Whatever reads tournaments or matches for somebody begins with
one of these querysets; a tournament that the reader may not see does not exist for them (404).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from bots.access import moderator
from bots.models import Bot, BotVersion
from tournaments.models import (
    Admission,
    Challenge,
    Entry,
    Match,
    Mate,
    Tournament,
    TournamentQuerySet,
    Trial,
)
from tournaments.organizing import is_organizer, organized_by

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser

FROZEN: Final = "The standings are frozen; there are exports again when they are revealed."
Visibility = Tournament.Visibility
LINKS: Final = "tournament-links"
"""The session's key for the secrets of the links that its owner has followed."""
MOST_LINKS: Final = 20
"""Secrets that a session remembers: the last ones."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who reads: a user or nobody, with the links that they have followed."""

    user: int | None = None
    """Primary key; None: not logged in."""
    staff: bool = False
    links: tuple[str, ...] = ()
    """Secrets of links to tournaments."""


NOBODY: Final = Reader()
"""The public: whatever it sees may be cached, copied and published."""

Who: TypeAlias = "Reader | AbstractBaseUser | AnonymousUser | None"


def reader_of(request: Any) -> Reader:
    """The reader behind a request of a page or of REST."""
    links = getattr(request, "session", {}).get(LINKS, ())  # the document's requests have none
    return _reader(request.user, tuple(link for link in links if isinstance(link, str)))


def _reader(who: Who, links: tuple[str, ...] = ()) -> Reader:
    if isinstance(who, Reader):
        return who
    if who is None or not who.pk:
        return Reader(links=links)
    return Reader(who.pk, bool(getattr(who, "is_staff", False)), links)


def visible_to(who: Who) -> TournamentQuerySet:
    """The tournaments that somebody may see.

    Staff see all. A draft is visible to its organizers. An open, running or ended tournament is
    visible to the organizers, the owners of its bots, the people that were invited and, by its
    `visibility`, all others, or those with its link or code. If moderators have hidden it, it is
    visible to its organizers and to moderators only. Trials and challenges between versions
    of one bot are never opened; the bot's owner sees them.
    """
    reader = _reader(who)
    if reader.staff:
        return Tournament.objects.all()
    shown = Q(visibility=Visibility.ALL)
    if reader.links:
        shown |= Q(visibility=Visibility.LINK, key__in=reader.links)
    opened = Q(opened__isnull=False, hidden=False)
    if reader.user is None:
        return Tournament.objects.filter(opened, shown)
    # Subqueries that begin with the user's few bots; joins would read all entries and trials.
    bots = Bot.objects.filter(owner=reader.user).values("pk")
    versions = BotVersion.objects.filter(bot__in=bots).values("pk")
    shown |= Q(pk__in=Entry.objects.filter(bot__in=bots).values("tournament"))
    shown |= Q(pk__in=Mate.objects.filter(bot__in=bots).values("entry__tournament"))
    holds = Q(by=F("tournament__visibility")) | Q(by=Visibility.INVITED)
    admissions = Admission.objects.filter(holds, user=reader.user)
    shown |= Q(pk__in=admissions.values("tournament"))
    own = organized_by(reader.user) | Q(moderator(reader.user), opened__isnull=False, hidden=True)
    for matchups in (Trial.objects, Challenge.objects):
        own |= Q(pk__in=matchups.filter(candidate__in=versions).values("tournament"))
    return Tournament.objects.filter(opened & shown | own)


def withheld(tournament: Tournament, who: Who) -> bool:
    """Whether somebody sees only the results from before the tournament's standings were frozen."""
    reader = _reader(who)
    return tournament.frozen is not None and not (
        reader.staff or is_organizer(tournament, reader.user)
    )


def _withheld_matches(reader: Reader) -> QuerySet[Match]:
    """Matches that had not finished when the standings of their tournaments were frozen."""
    frozen = Tournament.objects.filter(frozen__isnull=False)
    if reader.user is not None:
        own = Tournament.objects.filter(organized_by(reader.user))
        frozen = frozen.exclude(pk__in=own.values("pk"))
    moment = Tournament.objects.filter(pk=OuterRef("tournament")).values("frozen")
    later = Q(finished__isnull=True) | Q(finished__gt=Subquery(moment))
    return Match.objects.filter(later, tournament__in=frozen.values("pk"))


def public() -> TournamentQuerySet:
    """The tournaments that everybody sees in lists."""
    return visible_to(NOBODY).listed()


def settled() -> TournamentQuerySet:
    """The public tournaments with all of their results."""
    return public().filter(frozen__isnull=True)


def readable_matches(who: Who) -> QuerySet[Match]:
    """The matches that somebody may read by their numbers."""
    reader = _reader(who)
    if reader.staff:
        return Match.objects.all()
    matches = Match.objects.filter(tournament__in=visible_to(reader).values("pk"))
    return matches.exclude(pk__in=_withheld_matches(reader).values("pk"))


def listed_matches(who: Who) -> QuerySet[Match]:
    """The matches that somebody sees in lists: those of trials and challenges are left out."""
    # Without a join, because there are many matches, and few tournaments whose matches are left
    # out. Drafts have no matches.
    left_out = Q(trial=True)
    reader = _reader(who)
    if not reader.staff:
        hidden = ~Q(visibility=Visibility.ALL) | Q(hidden=True)
        if reader != NOBODY:
            hidden &= ~Q(pk__in=visible_to(reader).values("pk"))
        left_out |= hidden
    matches = Match.objects.exclude(tournament__in=Tournament.objects.filter(left_out).values("pk"))
    if reader.staff:
        return matches
    return matches.exclude(pk__in=_withheld_matches(reader).values("pk"))
