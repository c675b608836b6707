"""What it takes to claim a match and to store its result: bounded, and the same on any ladder."""

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
from tournaments.queue.messages import ADVANCE_TASK

pytestmark = pytest.mark.django_db

LADDER = {"system": "ladder", "groups": 1, "settings": {"ahead": 4, "first": 0}}


def group_queries() -> tuple[int, int]:
    """Queries for claiming a deal group of two matches and storing both results, and then for
    moving its tournament on."""
    with CaptureQueriesContext(connection) as claiming:
        claimed = attempts.claim("w/1", 2)
        worker.load_assignments(claimed)
    outcomes: list[MatchOutcome] = [make.outcome(attempt.match) for attempt in claimed]
    with CaptureQueriesContext(connection) as storing:
        for attempt, outcome in zip(claimed, outcomes, strict=True):
            assert attempts.store_result(attempt.pk, outcome)
    with CaptureQueriesContext(connection) as moving:
        assert make.housekeep() == 1
    return len(claiming) + len(storing), len(moving)


def play(ladder: Tournament, matches: int) -> None:
    """Let so many matches of it be played."""
    played = 0
    while played < matches:
        for attempt in attempts.claim("w/1", 4):
            assert attempts.store_result(attempt.pk, make.outcome(attempt.match))
            played += 1
        make.housekeep()


def test_a_match_costs_no_more_on_a_ladder_that_has_played_much() -> None:
    bots = [make.bot() for _ in range(6)]
    ladder = make.tournament(bots, stages=[LADDER], start=True)
    play(ladder, 8)
    few = group_queries()
    play(ladder, 40)
    assert group_queries() == few
    assert few[0] <= 32
    assert few[1] <= 60


def test_among_many_tournaments_one_query_takes_the_first_of_each() -> None:
    bots = [make.bot() for _ in range(4)]
    for _ in range(8):
        make.tournament(bots, start=True)
    with CaptureQueriesContext(connection) as queries:
        claimed = attempts.claim("w/1", 8)
    assert len({attempt.match.tournament_id for attempt in claimed}) == 8
    assert len(queries) <= 10


def test_many_results_ask_once_that_their_tournament_be_moved_on() -> None:
    cup = make.tournament(4, start=True)
    for attempt in attempts.claim("w/1", 100):
        assert attempts.store_result(attempt.pk, make.outcome(attempt.match))
    cup.refresh_from_db()
    assert cup.state == "running"  # no worker moves it on
    asked = OutboxMessage.objects.filter(task=ADVANCE_TASK, sent=None)
    assert asked.count() == cup.deal_groups.count() == 6
    assert make.housekeep() == 6
    assert not asked.exists()
    cup.refresh_from_db()
    assert cup.state == "finished"
    assert not Match.objects.filter(ordinal=None).exists()  # live ratings have followed
