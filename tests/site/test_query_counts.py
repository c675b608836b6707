"""The number of queries to claim a match and store its result is bounded and constant."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bots.referee.outcome import MatchOutcome
from cardroom_base.models import OutboxMessage
from tests import factories as make
from tournaments import worker
from tournaments.actions import attempts
from tournaments.models import Match, Tournament
from tournaments.queue.task_names import ADVANCE_TASK

pytestmark = pytest.mark.django_db

LADDER = {"system": "ladder", "groups": 1, "settings": {"ahead": 4, "first": 0}}


def group_queries() -> tuple[int, int]:
    """The numbers of queries to claim and store a deal group of two matches, and to advance its
    tournament."""
    with CaptureQueriesContext(connection) as claiming:
        claimed = attempts.claim("w/1", 2)
        worker.load_assignments(claimed)
    outcomes: list[MatchOutcome] = [make.outcome(attempt.match) for attempt in claimed]
    with CaptureQueriesContext(connection) as storing:
        for attempt, outcome in zip(claimed, outcomes, strict=True):
            assert attempts.store_result(attempt.pk, outcome)
    with CaptureQueriesContext(connection) as advancing:
        assert make.housekeep() == 1
    return len(claiming) + len(storing), len(advancing)


def play_matches(ladder: Tournament, matches: int) -> None:
    """Play at least this number of matches."""
    count = 0
    while count < matches:
        for attempt in attempts.claim("w/1", 4):
            assert attempts.store_result(attempt.pk, make.outcome(attempt.match))
            count += 1
        make.housekeep()


def test_matches_cost_the_same_on_a_long_ladder() -> None:
    bots = [make.bot() for _ in range(6)]
    ladder = make.tournament(bots, stages=[LADDER], start=True)
    play_matches(ladder, 8)
    before = group_queries()
    play_matches(ladder, 40)
    assert group_queries() == before
    assert before[0] <= 33
    assert before[1] <= 60


def test_claiming_from_many_tournaments_needs_few_queries() -> None:
    bots = [make.bot() for _ in range(4)]
    for _ in range(8):
        make.tournament(bots, start=True)
    with CaptureQueriesContext(connection) as queries:
        claimed = attempts.claim("w/1", 8)
    assert len({attempt.match.tournament_id for attempt in claimed}) == 8
    assert len(queries) <= 10


def test_each_finished_group_requests_one_advance() -> None:
    cup = make.tournament(4, start=True)
    for attempt in attempts.claim("w/1", 100):
        assert attempts.store_result(attempt.pk, make.outcome(attempt.match))
    cup.refresh_from_db()
    assert cup.state == "running"  # workers do not advance it
    requests = OutboxMessage.objects.filter(task=ADVANCE_TASK, sent=None)
    assert requests.count() == cup.deal_groups.count() == 6
    assert make.housekeep() == 6
    assert not requests.exists()
    cup.refresh_from_db()
    assert cup.state == "finished"
    assert not Match.objects.filter(ordinal=None).exists()  # live ratings are up to date
