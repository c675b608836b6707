"""Querysets for lists, which read all that a list shows by a constant number of queries."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, OuterRef, Prefetch, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from tournaments.models import CoOrganizer, Entry, Match, PlannedGroups, Tournament


def with_progress(tournaments: QuerySet[Tournament]) -> QuerySet[Tournament]:
    """Tournaments with organizers and numbers of entries, and of matches by state.

    Long ladders have many finished matches, so these are counted only once per query.
    """
    matches = Match.objects.all()
    return (
        tournaments.select_related("organizer")
        .prefetch_related(
            "stages", Prefetch("co_organizers", CoOrganizer.objects.select_related("user"))
        )
        .annotate(
            entry_count=_count(Entry.objects.all()),
            counted_unfinished=_count(matches.filter(state__in=Match.UNFINISHED)),
            counted_playing=_count(matches.filter(state=Match.State.PLAYING)),
            counted_planned=_aggregate(PlannedGroups.objects.all(), Sum("matches")),
            counted_finished=_count(matches.filter(state=Match.State.FINISHED)),
            stuck_count=_count(matches.filter(state=Match.State.STUCK)),
        )
    )


def _count(rows: QuerySet[Any]) -> Coalesce:
    return _aggregate(rows, Count("pk"))


def _aggregate(rows: QuerySet[Any], aggregate: Count | Sum) -> Coalesce:
    """An aggregate over these rows of the outer query's tournament, without a join, which would
    repeat rows; 0 if there are none."""
    result = (
        rows.filter(tournament=OuterRef("pk"))
        .order_by()
        .values("tournament")
        .annotate(result=aggregate)
        .values("result")
    )
    return Coalesce(Subquery(result), 0)
