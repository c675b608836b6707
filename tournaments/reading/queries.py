"""The queries of lists: everything they show, in a constant number of queries."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from tournaments.models import Entry, Match, Tournament


def with_progress(tournaments: QuerySet[Tournament]) -> QuerySet[Tournament]:
    """Tournaments with organizer, number of entries, and how far their matches are.

    Finished matches are counted once, and unfinished ones are few: ladders have long histories.
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
    """What lists of matches show: all except those of trials and challenges."""
    # Not by a join: there are many matches, and few of these tournaments.
    return Match.objects.exclude(tournament__in=Tournament.objects.filter(trial=True).values("pk"))


def readable_matches(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Match]:
    """What may be read by its number: trials only by the candidate's owner and staff, and so
    challenges between versions of one bot."""
    if getattr(user, "is_staff", False):
        return Match.objects.all()
    public = Q(tournament__trial=False) | Q(tournament__opened__isnull=False)
    if user.pk:
        public |= Q(tournament__trial_of__candidate__bot__owner=user.pk)
        public |= Q(tournament__challenge_of__candidate__bot__owner=user.pk)
    return Match.objects.filter(public)


def _count(rows: QuerySet[Any]) -> Coalesce:
    """How many of the rows belong to the tournament outside; without a join that multiplies."""
    counted = (
        rows.filter(tournament=OuterRef("pk"))
        .order_by()
        .values("tournament")
        .annotate(count=Count("pk"))
        .values("count")
    )
    return Coalesce(Subquery(counted), 0)
