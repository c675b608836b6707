"""Decide who may see a tournament, its matches, and everything computed from them.

Only this module has the rules. Code that reads tournaments or matches for a person starts from one
of these querysets; a tournament that the person may not see does not exist for them (404).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

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

FROZEN: Final = "The standings are frozen; there are exports again once they are revealed."
Visibility = Tournament.Visibility
LINKS: Final = "tournament-links"
"""The session's key for the secrets of the links that its owner has followed."""
MAX_LINKS: Final = 20
"""The maximum number of secrets in a session; older ones are dropped."""
_NEVER: Final = datetime.max.replace(tzinfo=UTC)
"""Stands for the end of an unfinished match."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """A user or an anonymous visitor, with the links that they have followed."""

    user: int | None = None
    """Primary key; None: not logged in."""
    is_staff: bool = False
    links: tuple[str, ...] = ()
    """Secrets of links to tournaments."""


NOBODY: Final = Viewer()
"""The public: all that it sees may be cached, copied and published."""

AnyViewer: TypeAlias = "Viewer | AbstractBaseUser | AnonymousUser | None"


def viewer_of(request: Any) -> Viewer:
    """The viewer behind a request of a page or of REST."""
    session = getattr(request, "session", {})  # requests for the OpenAPI document have none
    links = session.get(LINKS, ())
    return _viewer(request.user, tuple(link for link in links if isinstance(link, str)))


def _viewer(viewer: AnyViewer, links: tuple[str, ...] = ()) -> Viewer:
    if isinstance(viewer, Viewer):
        return viewer
    if viewer is None or not viewer.pk:
        return Viewer(links=links)
    return Viewer(viewer.pk, bool(getattr(viewer, "is_staff", False)), links)


def visible_to(viewer: AnyViewer) -> TournamentQuerySet:
    """The tournaments that a person may see.

    Staff see all. A draft is visible to its organizers. An open, running or ended tournament is
    visible to the organizers, the owners of its bots, the invited people and, depending on its
    `visibility`, everybody or the people with its link or code. If moderators have hidden it, it is
    visible to its organizers and to moderators only. Trials and challenges between versions of one
    bot are never opened; the bot's owner sees them.
    """
    viewer = _viewer(viewer)
    if viewer.is_staff:
        return Tournament.objects.all()
    is_shown = Q(visibility=Visibility.ALL)
    if viewer.links:
        is_shown |= Q(visibility=Visibility.LINK, key__in=viewer.links)
    is_opened = Q(opened__isnull=False, hidden=False)
    if viewer.user is None:
        return Tournament.objects.filter(is_opened, is_shown)
    # Subqueries that begin with the user's few bots; joins would read all entries and trials.
    bots = Bot.objects.filter(owner=viewer.user).values("pk")
    versions = BotVersion.objects.filter(bot__in=bots).values("pk")
    is_shown |= Q(pk__in=Entry.objects.filter(bot__in=bots).values("tournament"))
    is_shown |= Q(pk__in=Mate.objects.filter(bot__in=bots).values("entry__tournament"))
    has_admission = Q(by=F("tournament__visibility")) | Q(by=Visibility.INVITED)
    admissions = Admission.objects.filter(has_admission, user=viewer.user)
    is_shown |= Q(pk__in=admissions.values("tournament"))
    is_own = organized_by(viewer.user)
    is_own |= Q(moderator(viewer.user), opened__isnull=False, hidden=True)
    for matchups in (Trial.objects, Challenge.objects):
        is_own |= Q(pk__in=matchups.filter(candidate__in=versions).values("tournament"))
    return Tournament.objects.filter(is_opened & is_shown | is_own)


def sees_only_frozen_results(tournament: Tournament, viewer: AnyViewer) -> bool:
    """Whether a person sees only the results from before the standings were frozen."""
    viewer = _viewer(viewer)
    return tournament.frozen is not None and not (
        viewer.is_staff or is_organizer(tournament, viewer.user)
    )


def _frozen_condition(viewer: Viewer) -> Q:
    """The condition that a match had not finished when the standings of its tournament were frozen.

    It looks only at the match's own row and at its tournament: with a subquery of matches,
    PostgreSQL read all matches to find the latest ones.
    """
    finished = Coalesce(OuterRef("finished"), _NEVER)
    frozen_tournaments = Tournament.objects.filter(pk=OuterRef("tournament"), frozen__lt=finished)
    if viewer.user is not None:
        own_tournaments = Tournament.objects.filter(organized_by(viewer.user))
        frozen_tournaments = frozen_tournaments.exclude(pk__in=own_tournaments.values("pk"))
    return Q(Exists(frozen_tournaments))


def public_tournaments() -> TournamentQuerySet:
    """The tournaments that the public sees in lists."""
    return visible_to(NOBODY).listed()


def public_unfrozen_tournaments() -> TournamentQuerySet:
    """The public tournaments whose standings are not frozen, so that all results are public."""
    return public_tournaments().filter(frozen__isnull=True)


def readable_matches(viewer: AnyViewer) -> QuerySet[Match]:
    """The matches that a person may open by their numbers."""
    viewer = _viewer(viewer)
    if viewer.is_staff:
        return Match.objects.all()
    matches = Match.objects.filter(tournament__in=visible_to(viewer).values("pk"))
    return matches.exclude(_frozen_condition(viewer))


def listed_matches(viewer: AnyViewer) -> QuerySet[Match]:
    """The matches that a person sees in lists, without those of trials and challenges."""
    # Without a join, because there are many matches, and few tournaments whose matches are left
    # out. Drafts have no matches.
    is_left_out = Q(trial=True)
    viewer = _viewer(viewer)
    if not viewer.is_staff:
        is_hidden = ~Q(visibility=Visibility.ALL) | Q(hidden=True)
        if viewer != NOBODY:
            is_hidden &= ~Q(pk__in=visible_to(viewer).values("pk"))
        is_left_out |= is_hidden
    left_out = Tournament.objects.filter(is_left_out).values("pk")
    matches = Match.objects.exclude(tournament__in=left_out)
    if viewer.is_staff:
        return matches
    return matches.exclude(_frozen_condition(viewer))
