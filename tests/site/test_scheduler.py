"""tournaments.queue.scheduler: the order of matches."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories as make
from tournaments import actions
from tournaments.models import Attempt, Match, Tournament

pytestmark = pytest.mark.django_db


def claim_counts(limit: int) -> Counter[int]:
    """The number of matches of each tournament that one claim takes."""
    return Counter(attempt.match.tournament_id for attempt in actions.claim("w/1", limit))


def test_a_large_tournament_does_not_delay_a_small_one() -> None:
    large = make.tournament(3, groups=10, start=True)
    small = make.tournament(2, groups=2, start=True)
    assert claim_counts(6) == {large.pk: 3, small.pk: 3}
    assert claim_counts(2) == {large.pk: 1, small.pk: 1}
    assert claim_counts(4) == {large.pk: 4}  # the small one has no more


def test_one_worker_serves_all_tournaments_in_turn() -> None:
    cups = [make.tournament(2, groups=5, start=True) for _ in range(3)]
    served: Counter[int] = Counter()
    for _ in range(9):
        [attempt] = actions.claim("w/1", 1)
        served[attempt.match.tournament_id] += 1
        assert actions.store_result(attempt.pk, make.outcome(attempt.match))
    assert served == {cup.pk: 3 for cup in cups}


def test_an_organizer_of_many_tournaments_gets_one_share() -> None:
    busy = make.user()
    cups = [make.tournament(2, groups=4, by=busy, start=True) for _ in range(3)]
    other = make.tournament(2, groups=4, by=make.user(), start=True)
    shares = claim_counts(6)
    assert shares[other.pk] == 3
    assert all(shares[cup.pk] == 1 for cup in cups)


def test_higher_priority_comes_first() -> None:
    low = make.tournament(2, groups=2, start=True)
    high = make.tournament(2, groups=1, start=True)
    Match.objects.filter(tournament=high).update(priority=7)
    assert claim_counts(2) == {high.pk: 2}
    assert claim_counts(9) == {low.pk: 4}


def test_an_author_cannot_fill_all_workers(settings: Any) -> None:
    settings.MAX_PLAYING_PER_AUTHOR = 2
    author = make.user()
    authors_cup = make.tournament([make.bot(author), make.bot(author)], groups=4, start=True)
    house = [make.house_bot("house:a"), make.house_bot("house:b")]
    other = make.tournament(house, groups=4, start=True)
    assert claim_counts(4) == {authors_cup.pk: 2, other.pk: 2}
    assert claim_counts(3) == {other.pk: 3}
    running = Attempt.objects.filter(match__tournament=authors_cup, outcome="running")
    assert running.count() == 2


def test_house_bots_only_and_authors_at_their_limit(settings: Any) -> None:
    settings.MAX_PLAYING_PER_AUTHOR = 1
    author = make.user()
    house = [make.house_bot("house:a"), make.house_bot("house:b")]
    mixed = make.tournament([*house, make.bot(author), make.bot(author)], start=True)
    author_matches = mixed.matches.filter(seats__version__bot__owner=author).distinct()
    Match.objects.filter(pk=author_matches.order_by("pk").values("pk")[:1]).update(priority=9)
    assert claim_counts(1) == {mixed.pk: 1}  # the author's limit is reached
    claimed = [attempt.match_id for attempt in actions.claim("w/1", 100, house_only=True)]
    assert len(claimed) == 2
    assert not author_matches.filter(pk__in=claimed).exists()
    assert actions.claim("w/1", 100) == []


def test_the_number_of_queries_does_not_depend_on_waiting_matches() -> None:
    make.tournament(2, groups=1, start=True)
    with CaptureQueriesContext(
        connection,
    ) as queries_before:
        actions.claim("w/1", 1)
    cups: list[Tournament] = [make.tournament(3, groups=10, start=True) for _ in range(2)]
    with CaptureQueriesContext(connection) as queries_after:
        actions.claim("w/1", 1)
    assert len(queries_before) <= len(queries_after) <= 9
    if connection.vendor != "sqlite":  # PostgreSQL scans such small tables completely
        return
    plan = " ".join(
        Match.objects.filter(tournament=cups[0], state="waiting")
        .order_by("-priority", "pk")
        .values("pk")[:1]
        .explain()
        .split()
    )
    assert "match_share" in plan
    assert "TEMP B-TREE" not in plan
