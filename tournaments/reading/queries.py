"""Querysets for lists, which read all that a list shows by a constant number of queries."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from tournaments.models import Entry, Match, Tournament


def with_progress(tournaments: QuerySet[Tournament]) -> QuerySet[Tournament]:
    """Tournaments with organizer and numbers of entries, finished matches and unfinished matches.

    Long ladders have many finished matches, so these are counted only once per query.
    """
    matches = Match.objects.all()
    return (
        tournaments.select_related("organizer")
        .prefetch_related("stages")
        .annotate(
            entry_count=_count(Entry.objects.all()),
            counted_unfinished=_count(matches.filter(state__in=Match.UNFINISHED)),
            counted_finished=_count(matches.filter(state=Match.State.FINISHED)),
            stuck_count=_count(matches.filter(state=Match.State.STUCK)),
        )
    )


def listed_matches() -> QuerySet[Match]:
    """The matches that lists show: all except those of trials and challenges."""
    # Without a join, because there are many matches, and few of these tournaments.
    return Match.objects.exclude(tournament__in=Tournament.objects.filter(trial=True).values("pk"))


def readable_matches(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Match]:
    """The matches that the user may read by their numbers.

    Matches of trials, and of challenges between versions of one bot, are visible only to the
    candidate's owner and staff.
    """
    if getattr(user, "is_staff", False):
        return Match.objects.all()
    public = Q(tournament__trial=False) | Q(tournament__opened__isnull=False)
    if user.pk:
        public |= Q(tournament__trial_of__candidate__bot__owner=user.pk)
        public |= Q(tournament__challenge_of__candidate__bot__owner=user.pk)
    return Match.objects.filter(public)


def _count(rows: QuerySet[Any]) -> Coalesce:
    """The number of these rows of the outer query's tournament, without a join, which would repeat
    rows."""
    counted = (
        rows.filter(tournament=OuterRef("pk"))
        .order_by()
        .values("tournament")
        .annotate(count=Count("pk"))
        .values("count")
    )
    return Coalesce(Subquery(counted), 0)
