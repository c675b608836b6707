"""tournaments.actions.failures, and the effects of failures on a match: delays, stuck."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from bots.actions import report_trouble
from bots.models import WorkerNode
from cardroom_base.db import outbox
from cardroom_base.models import OutboxMessage
from tests import factories as make
from tournaments import actions, tasks
from tournaments.actions import attempts
from tournaments.actions.failures import failure_of, is_stuck
from tournaments.models import Attempt, Match

MAX_ATTEMPTS = settings.MAX_ATTEMPTS


@pytest.mark.parametrize(
    ("failures", "failed_on", "well", "stuck"),
    [
        (MAX_ATTEMPTS - 1, ["a", "b"], [], False),
        (MAX_ATTEMPTS, ["a"], [], True),  # no other machine is well
        (MAX_ATTEMPTS, ["a"], ["a"], True),
        (MAX_ATTEMPTS, ["a"], ["a", "b"], False),
        (99, ["a"], ["b"], False),
        (MAX_ATTEMPTS, ["a", "b"], ["a", "b", "c"], True),
        (MAX_ATTEMPTS, [], ["a"], False),
    ],
)
def test_a_match_is_stuck_after_failures_on_different_machines(
    failures: int, failed_on: list[str], well: list[str], stuck: bool
) -> None:
    assert is_stuck(failures, failed_on, well) == stuck


@pytest.fixture
def match(db: None) -> Match:
    return make.tournament(2, start=True).matches.earliest("pk")


def fail(match: Match, host: str, *, counted: bool = True, seated: bool = False) -> None:
    """Let a machine's attempt fail."""
    make.end_retry_delays()
    for attempt in attempts.claim(f"worker@{host}/1", 1000):
        if attempt.match_id == match.pk:
            assert attempts.fail_attempt(attempt.pk, "It broke.", seated=seated, counted=counted)
        else:
            attempts.release_attempts([attempt.pk], "On the way.")
    match.refresh_from_db()


def lose(match: Match, host: str) -> None:
    """Let a machine vanish during its attempt."""
    make.end_retry_delays()
    for attempt in attempts.claim(f"worker@{host}/1", 1000):
        if attempt.match_id == match.pk:
            past = timezone.now() - timedelta(seconds=1)
            Attempt.objects.filter(pk=attempt.pk).update(lease_until=past)
        else:
            attempts.release_attempts([attempt.pk], "On the way.")
    assert attempts.sweep_attempts() == 1
    match.refresh_from_db()


def delay(match: Match) -> float:
    """Seconds until the match may be retried."""
    return (match.not_before - timezone.now()).total_seconds() if match.not_before else 0.0


def test_one_machine_alone_makes_no_match_stuck_while_another_is_well(match: Match) -> None:
    for host in ("one", "two"):
        make.worker(f"worker@{host}")
    for _ in range(MAX_ATTEMPTS + 3):
        fail(match, "one")
    assert (match.state, match.failures, match.failed_on) == ("waiting", MAX_ATTEMPTS + 3, ["one"])
    fail(match, "two")
    assert (match.state, match.failed_on) == ("stuck", ["one", "two"])


@pytest.mark.parametrize(
    "state", ["ill", "silent", "draining", "open", "other rules", "no other rules"]
)
def test_machines_that_can_play_a_match(match: Match, state: str) -> None:
    make.worker("worker@one")
    other = WorkerNode.objects.filter(name="worker@two")
    make.worker("worker@two")
    if state == "ill":
        report_trouble("worker@two", "No sandbox.")
    elif state == "silent":
        other.update(seen=timezone.now() - timedelta(hours=1))
    elif state == "draining":
        other.update(draining=timezone.now())
    elif state == "open":
        other.update(level="none")
    elif state == "other rules":
        other.update(rules={"cassino": "9 of-others"})
    for _ in range(MAX_ATTEMPTS):
        fail(match, "one")
    assert (match.state == "stuck") == (state != "no other rules")


def test_an_uncounted_failure_is_not_stored(match: Match) -> None:
    for _ in range(2 * MAX_ATTEMPTS):
        fail(match, "one", counted=False)
    assert (match.state, match.failures, match.failed_on) == ("waiting", 0, [])
    assert 0 < delay(match) <= 2


def test_each_failure_doubles_the_delay(match: Match) -> None:
    make.worker("worker@two")
    delays = []
    for _ in range(8):
        fail(match, "one")
        claimed = attempts.claim("w/1", 1000)
        assert match.pk not in {attempt.match_id for attempt in claimed}
        attempts.release_attempts([attempt.pk for attempt in claimed], "On the way.")
        delays.append(delay(match))
    for remaining, full in zip(delays, (5, 10, 20, 40, 80, 160, 300, 300), strict=True):
        assert full / 2 < remaining <= full
    make.end_retry_delays()
    assert match.pk in {attempt.match_id for attempt in attempts.claim("w/1", 1000)}


def test_the_first_lost_worker_causes_no_delay(match: Match) -> None:
    lose(match, "one")
    assert (match.failures, match.failed_on, delay(match)) == (1, ["one"], 0)
    fail(match, "two")
    assert 5 < delay(match) <= 10


def test_a_redealt_group_keeps_its_failures(match: Match) -> None:
    fail(match, "one")
    fail(match, "two", seated=True)
    new = list(Match.objects.filter(deal_group__instead_of=match.deal_group))
    assert [(row.failures, row.failed_on) for row in new] == [(2, ["one", "two"])] * 2
    assert all(5 < delay(row) <= 10 for row in new)
    make.end_retry_delays()
    rerun = actions.rerun_match(make.finish(new[0]), None, "A test.")
    assert (rerun.failures, rerun.failed_on, rerun.not_before) == (0, [], None)


def test_delayed_matches_wake_no_worker(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "queue_length", lambda _: 0)
    Match.objects.exclude(pk=match.pk).update(state="void")
    OutboxMessage.objects.all().delete()
    fail(match, "one")
    OutboxMessage.objects.all().delete()
    assert tasks.announce_waiting() == 0
    make.end_retry_delays()
    assert tasks.announce_waiting() == 1


def test_a_failure_names_suspects_and_work(match: Match) -> None:
    [attempt] = attempts.claim("worker@one/1", 1)
    owners = frozenset(match.seats.values_list("version__bot__owner", flat=True))
    failure = failure_of(attempt.pk, "It broke.", None)
    assert (failure.suspects, failure.elsewhere, failure.format) == (owners, False, match.format)
    [owner] = failure_of(attempt.pk, "It broke.", 1).suspects
    assert owner == match.seats.get(index=1).version.bot.owner_id
    attempts.fail_attempt(attempt.pk, "It broke.")
    make.end_retry_delays()
    [second] = attempts.claim("worker@two/1", 1)
    second_failure = failure_of(second.pk, "It broke.", None)
    assert second_failure.work == failure.work  # new cards do not change it
    assert second_failure.elsewhere
