"""Lists of a large site read only the matches that they show, by indexes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from tests import factories as make
from tournaments.models import Match
from tournaments.reading import groups

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        connection.vendor != "sqlite", reason="PostgreSQL scans such small tables completely"
    ),
]


def plan(rows: QuerySet[Match, Any]) -> str:
    return " ".join(rows.explain().split())


def test_earlier_matches_are_read_from_their_time_on() -> None:
    match = make.finish(make.tournament(2, start=True).matches.earliest("pk"))
    ended = groups.last_of_ended_groups(Match.objects.all())
    earlier = plan(groups.finished_before(ended, match.pk).values("pk")[:20])
    assert re.search(r"match_finished \(finished.*<\?\)", earlier)
    assert "TEMP B-TREE" not in earlier
