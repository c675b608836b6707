"""The moves of running matches that workers write and people watch."""

from __future__ import annotations

import pytest
from django.conf import settings

from bots.referee.clock import ClockSettings
from cardroom_base.db.db_time import Now
from tests import factories as make
from tournaments import lease_renewal
from tournaments.actions import attempts, live_moves
from tournaments.models import Attempt, Decision, LiveMoves, Match

pytestmark = pytest.mark.django_db

CLOCK = ClockSettings()


@pytest.fixture
def attempt() -> Attempt:
    """An attempt at the last match of its deal group."""
    make.tournament(2, start=True)
    [attempt] = attempts.claim("node/1", 1)
    Match.objects.filter(deal_group=attempt.match.deal_group_id).exclude(
        pk=attempt.match_id
    ).update(state=Match.State.VOID)
    return attempt


@pytest.mark.parametrize("end", ["lost", "given back"])
def test_a_watched_match_is_not_played_again(attempt: Attempt, end: str) -> None:
    live_moves.append_moves(attempt.pk, attempt.match_id, 0, ["2C"])
    if end == "lost":
        Attempt.objects.filter(pk=attempt.pk).update(lease_until=Now(-1))
        assert attempts.sweep_attempts() == 1
    else:
        attempts.release_attempts([attempt.pk], "The worker stops.")
    match = Match.objects.get(pk=attempt.match_id)
    assert match.state == "void"
    assert match.deal_group.retired
    [decision] = Decision.objects.all()
    assert "people had already watched it" in decision.reason


def test_an_unwatched_match_keeps_its_cards(attempt: Attempt) -> None:
    others = Match.objects.filter(deal_group=attempt.match.deal_group_id)
    others.exclude(pk=attempt.match_id).update(state=Match.State.WAITING)
    live_moves.append_moves(attempt.pk, attempt.match_id, 0, ["2C"])
    attempts.release_attempts([attempt.pk], "The worker stops.")
    match = Match.objects.get(pk=attempt.match_id)
    assert match.state == "waiting"
    assert not match.deal_group.retired


def test_the_worker_writes_each_move_once_and_counts_them(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_renewal, "LIVE_SECONDS", 0.0)
    leases = lease_renewal.Leases([attempt])
    leases.begin_match(attempt.pk, attempt.match_id, CLOCK)
    leases.report_progress(attempt.pk, 2, ["2C", "3C"])
    leases.write_live_moves()
    leases.write_live_moves()
    leases.report_progress(attempt.pk, 3, ["4C"])
    leases.write_live_moves()
    rows = LiveMoves.objects.values_list("attempt", "first", "moves")
    assert list(rows) == [(attempt.pk, 0, ["2C", "3C"]), (attempt.pk, 2, ["4C"])]
    assert Match.objects.get(pk=attempt.match_id).moves_played == 3


def test_a_short_match_writes_no_live_moves(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_renewal, "LIVE_SECONDS", settings.LEASE_SECONDS)
    leases = lease_renewal.Leases([attempt])
    leases.begin_match(attempt.pk, attempt.match_id, CLOCK)
    leases.report_progress(attempt.pk, 2, ["2C", "3C"])
    leases.write_live_moves()
    assert not LiveMoves.objects.exists()


def test_the_number_of_stored_moves_is_limited(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_moves, "MAX_MOVES", 3)
    live_moves.append_moves(attempt.pk, attempt.match_id, 0, ["2C", "3C"])
    live_moves.append_moves(attempt.pk, attempt.match_id, 2, ["4C", "5C"])
    live_moves.append_moves(attempt.pk, attempt.match_id, 4, ["6C"])
    assert [row.moves for row in LiveMoves.objects.all()] == [["2C", "3C"], ["4C"]]
    assert Match.objects.get(pk=attempt.match_id).moves_played == 5
