"""The reasons and estimated durations of waits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from bots.actions import queue_version, report_recovery, report_trouble
from cardroom_base.models import OutboxMessage
from tests import factories as make
from tournaments import actions
from tournaments.models import Attempt
from tournaments.queue.task_names import PLAY_TASK
from tournaments.queue.waits import (
    MAX_UNSENT,
    WaitFacts,
    busy_pace,
    check_reason,
    check_wait,
    covered_time,
    reason,
    rounded_seconds,
    shared_wait,
    site_facts,
    tournament_wait,
)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (WaitFacts(5, 0, 0, unsent=True), "broker cannot be reached"),
        (WaitFacts(5, 0, 0), "No worker has reported"),
        (WaitFacts(5, 0, 0, drained=2), "All workers are drained and take no work"),
        (WaitFacts(5, 3, 2), "All 2 workers are busy, with 3 matches."),
        (WaitFacts(5, 1, 1), "The worker is busy, with a match."),
        (WaitFacts(5, 3, 2, blocked=1), "Bots of an author are in as many running matches"),
        (WaitFacts(5, 1, 2), "Workers are taking them now."),
    ],
)
def test_the_reason_is_a_sentence(facts: WaitFacts, words: str) -> None:
    assert words in reason(facts)
    assert reason(facts).endswith(".")
    assert not reason(WaitFacts(0, facts.playing, facts.workers, facts.unsent, facts.blocked))


def test_a_small_tournament_does_not_wait_for_a_large_one() -> None:
    assert shared_wait(10, 5, [], 2.0) == 5
    assert shared_wait(10, 5, [(1000, 5)], 2.0) == 10
    assert shared_wait(10, 5, [(1000, 6)], 2.0) == 505
    assert shared_wait(10, 5, [(1000, 4)], 2.0) == 5
    assert shared_wait(1000, 5, [(10, 5)], 2.0) == 505


def test_a_wait_is_never_rounded_to_zero() -> None:
    assert [rounded_seconds(0.004), rounded_seconds(0.26), rounded_seconds(12)] == [0.1, 0.3, 12]


def test_overlapping_periods_count_once() -> None:
    def at(minute: int) -> datetime:
        return datetime(2026, 1, 1, 12, minute, tzinfo=UTC)

    assert covered_time([]) == timedelta()
    assert covered_time(
        [(at(30), at(35)), (at(10), at(20)), (at(15), at(18)), (at(20), at(21))]
    ) == (timedelta(minutes=16))


@pytest.mark.django_db
def test_the_pace_ignores_idle_time() -> None:
    make.tournament(2, groups=3, start=True)
    now = timezone.now()
    for number, attempt in enumerate(actions.claim("w/1", 4)):
        assert actions.store_result(attempt.pk, make.outcome(attempt.match))
        start = now - timedelta(seconds=60 * number + 10)
        Attempt.objects.filter(pk=attempt.pk).update(
            started=start, finished=start + timedelta(seconds=8)
        )
    assert busy_pace() == pytest.approx(4 / 32)
    (running,) = actions.claim("w/1", 1)
    Attempt.objects.filter(pk=running.pk).update(started=now - timedelta(seconds=1))
    assert busy_pace() == pytest.approx(4 / 33, rel=0.1)
    Attempt.objects.filter(pk=running.pk).update(started=now - timedelta(hours=1))
    assert busy_pace() == pytest.approx(4 / 190, rel=0.1)  # since the sample's first start
    Attempt.objects.filter(pk=running.pk).update(outcome="lost")
    Attempt.objects.exclude(pk=running.pk).update(finished=now - timedelta(minutes=6))
    assert busy_pace() == 0


@pytest.mark.django_db
def test_the_wait_of_a_tournament_has_a_reason() -> None:
    cup = make.tournament(2, groups=2, start=True)
    wait = tournament_wait(cup)
    assert (wait.waiting, wait.seconds) == (4, None)
    assert "No worker has reported" in wait.reason
    make.worker(processes=2)
    make.tournament(2, groups=1, start=True)
    for attempt in actions.claim("w/1", 2):
        assert actions.store_result(attempt.pk, make.outcome(attempt.match))
    actions.claim("w/1", 1)
    wait = tournament_wait(cup)
    assert wait.seconds is not None
    assert wait.seconds > 0
    assert "Workers are taking them now." in wait.reason
    assert "One other tournament goes in turn with it." in wait.reason
    actions.cancel(cup, None)
    assert tournament_wait(cup).reason == ""


@pytest.mark.django_db
def test_the_wait_of_a_tournament_in_trouble() -> None:
    cup = make.tournament(2, start=True)
    for attempt in actions.claim("w/1", 2):
        assert actions.store_result(attempt.pk, make.outcome(attempt.match))
    cup.trouble = "The tournament could not be advanced: an accident."
    wait = tournament_wait(cup)
    assert (wait.waiting, wait.seconds) == (0, 0.0)
    assert wait.reason.startswith("The tournament could not be advanced")
    assert "accident" not in wait.reason  # only organizers see the cause


@pytest.mark.parametrize(
    ("before", "facts", "words"),
    [
        (0, WaitFacts(1, 0, 0, unsent=True), "the upload cannot be announced"),
        (3, WaitFacts(1, 0, 0), "No worker has reported"),
        (1, WaitFacts(1, 2, 2), "One other check comes first."),
        (2, WaitFacts(1, 0, 2), "2 other checks come first."),
        (0, WaitFacts(1, 2, 2), "All 2 workers are busy, with 2 matches."),
        (0, WaitFacts(1, 0, 2), "A worker takes it now."),
    ],
)
def test_reasons_for_a_checks_wait(before: int, facts: WaitFacts, words: str) -> None:
    assert words in check_reason(before, facts)


@pytest.mark.django_db
def test_only_an_old_unsent_message_shows_an_unavailable_broker() -> None:
    message = OutboxMessage.objects.create(task=PLAY_TASK)
    assert not site_facts(1).unsent  # every pairing writes new messages
    message.created -= 2 * MAX_UNSENT
    message.save()
    assert site_facts(1).unsent


@pytest.mark.django_db
def test_checks_wait_in_turn() -> None:
    make.worker()
    bot = make.bot()
    first, second = (queue_version(bot, make.package(name), "") for name in ("a", "b"))
    OutboxMessage.objects.update(sent=timezone.now())
    assert check_wait(first) == "A worker takes it now."
    assert check_wait(second) == "One other check comes first."
    assert check_wait(bot.versions.earliest("number")) == ""


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (WaitFacts(5, 0, 0, ill=2), "All workers found that they cannot play bots now."),
        (WaitFacts(5, 1, 2, paused=5), "Attempts to play have failed, but not because of a bot"),
        (WaitFacts(5, 1, 2, paused=4, ill=1), "Workers are taking them now."),
    ],
)
def test_reasons_for_waits_while_machines_fail(facts: WaitFacts, words: str) -> None:
    assert words in reason(facts)


@pytest.mark.django_db
def test_an_organizer_sees_causes_of_failures() -> None:
    cup = make.tournament(2, groups=1, start=True)
    make.worker("worker@one", processes=2)
    for attempt in actions.claim("worker@one/1", 2):
        assert actions.fail_attempt(attempt.pk, "The disk is full.", seated=False)
    assert "tried again" in tournament_wait(cup).reason
    assert "The disk is full" not in tournament_wait(cup).reason
    assert tournament_wait(cup, organizer=True).reason.endswith(
        "The last failure: The disk is full."
    )
    report_trouble("worker@one", "No sandbox.")
    facts = site_facts(2)
    assert (facts.workers, facts.ill) == (0, 2)
    assert "All workers found that they cannot play" in tournament_wait(cup).reason
    report_recovery("worker@one")
    make.end_retry_delays()
    assert tournament_wait(cup, organizer=True).reason == "Workers are taking them now."
