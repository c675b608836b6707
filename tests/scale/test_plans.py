"""Lists of a large site read only the matches that they show, by indexes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.db.models import Q, QuerySet

from tests import factories as make
from tournaments.models import Match
from tournaments.reading import listed_groups

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        connection.vendor != "sqlite", reason="PostgreSQL scans such small tables completely"
    ),
]


def plan(rows: QuerySet[Match, Any]) -> str:
    return " ".join(rows.explain().split())


def test_a_tournaments_latest_matches_are_read_by_their_index() -> None:
    cup = make.tournament(2, start=True)
    latest = plan(Match.objects.filter(tournament=cup).order_by("-pk")[:50])
    assert "match_created (tournament_id=?)" in latest
    assert "TEMP B-TREE" not in latest


def test_earlier_matches_are_read_from_their_time_on() -> None:
    match = make.finish(make.tournament(2, start=True).matches.earliest("pk"))
    ended = listed_groups.last_of_ended_groups(Match.objects.all())
    earlier = plan(listed_groups.finished_before(ended, match.pk).values("pk")[:20])
    assert re.search(r"match_finished \(finished.*<\?\)", earlier)
    assert "TEMP B-TREE" not in earlier


def test_the_index_of_unfinished_matches_has_all_their_states() -> None:
    """PostgreSQL uses it only if its condition follows from the query's."""
    (index,) = [index for index in Match._meta.indexes if index.name == "match_unfinished"]
    assert index.condition == Q(state__in=Match.UNFINISHED)
