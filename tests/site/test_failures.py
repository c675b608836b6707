"""tournaments.actions.failures, and what failures do to a match: rests, machines, stuck."""

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

MOST = settings.MAX_ATTEMPTS


@pytest.mark.parametrize(
    ("failures", "failed_on", "well", "stuck"),
    [
        (MOST - 1, ["a", "b"], [], False),
        (MOST, ["a"], [], True),  # there is no other
        (MOST, ["a"], ["a"], True),
        (MOST, ["a"], ["a", "b"], False),
        (99, ["a"], ["b"], False),
        (MOST, ["a", "b"], ["a", "b", "c"], True),
        (MOST, [], ["a"], False),
    ],
)
def test_a_match_is_stuck_when_different_machines_failed(
    failures: int, failed_on: list[str], well: list[str], stuck: bool
) -> None:
    assert is_stuck(failures, failed_on, well) == stuck


@pytest.fixture
def match(db: None) -> Match:
    return make.tournament(2, start=True).matches.earliest("pk")


def fail(match: Match, host: str, *, counted: bool = True, seated: bool = False) -> None:
    """An attempt of a machine that fails."""
    make.end_retry_delays()
    for attempt in attempts.claim(f"worker@{host}/1", 1000):
        if attempt.match_id == match.pk:
            assert attempts.fail_attempt(attempt.pk, "It broke.", seated=seated, counted=counted)
        else:
            attempts.release_attempts([attempt.pk], "On the way.")
    match.refresh_from_db()


def lose(match: Match, host: str) -> None:
    """An attempt of a machine that vanishes."""
    make.end_retry_delays()
    for attempt in attempts.claim(f"worker@{host}/1", 1000):
        if attempt.match_id == match.pk:
            past = timezone.now() - timedelta(seconds=1)
            Attempt.objects.filter(pk=attempt.pk).update(lease_until=past)
        else:
            attempts.release_attempts([attempt.pk], "On the way.")
    assert attempts.sweep_attempts() == 1
    match.refresh_from_db()


def rest(match: Match) -> float:
    """Seconds for which it still rests."""
    return (match.not_before - timezone.now()).total_seconds() if match.not_before else 0.0


def test_one_machine_alone_makes_nothing_stuck_while_another_is_well(match: Match) -> None:
    for host in ("one", "two"):
        make.worker(f"worker@{host}")
    for _ in range(MOST + 3):
        fail(match, "one")
    assert (match.state, match.failures, match.failed_on) == ("waiting", MOST + 3, ["one"])
    fail(match, "two")
    assert (match.state, match.failed_on) == ("stuck", ["one", "two"])


@pytest.mark.parametrize(
    "why", ["ill", "silent", "draining", "open", "other rules", "no other rules"]
)
def test_which_machines_could_play_it(match: Match, why: str) -> None:
    make.worker("worker@one")
    other = WorkerNode.objects.filter(name="worker@two")
    make.worker("worker@two")
    if why == "ill":
        report_trouble("worker@two", "No sandbox.")
    elif why == "silent":
        other.update(seen=timezone.now() - timedelta(hours=1))
    elif why == "draining":
        other.update(draining=timezone.now())
    elif why == "open":
        other.update(level="none")
    elif why == "other rules":
        other.update(rules={"cassino": "9 of-others"})
    for _ in range(MOST):
        fail(match, "one")
    assert (match.state == "stuck") == (why != "no other rules")


def test_a_failure_that_does_not_count_leaves_no_mark(match: Match) -> None:
    for _ in range(2 * MOST):
        fail(match, "one", counted=False)
    assert (match.state, match.failures, match.failed_on) == ("waiting", 0, [])
    assert 0 < rest(match) <= 2


def test_a_match_that_failed_rests_longer_each_time(match: Match) -> None:
    make.worker("worker@two")
    rests = []
    for _ in range(8):
        fail(match, "one")
        claimed = attempts.claim("w/1", 1000)
        assert match.pk not in {each.match_id for each in claimed}
        attempts.release_attempts([each.pk for each in claimed], "On the way.")
        rests.append(rest(match))
    for left, whole in zip(rests, (5, 10, 20, 40, 80, 160, 300, 300), strict=True):
        assert whole / 2 < left <= whole
    make.end_retry_delays()
    assert match.pk in {each.match_id for each in attempts.claim("w/1", 1000)}


def test_a_lost_worker_costs_the_match_no_rest_the_first_time(match: Match) -> None:
    lose(match, "one")
    assert (match.failures, match.failed_on, rest(match)) == (1, ["one"], 0)
    fail(match, "two")
    assert 5 < rest(match) <= 10


def test_a_deal_group_with_new_cards_takes_its_failures_along(match: Match) -> None:
    fail(match, "one")
    fail(match, "two", seated=True)
    new = list(Match.objects.filter(deal_group__instead_of=match.deal_group))
    assert [(each.failures, each.failed_on) for each in new] == [(2, ["one", "two"])] * 2
    assert all(5 < rest(each) <= 10 for each in new)
    make.end_retry_delays()
    again = actions.rerun_match(make.finish(new[0]), None, "A test.")
    assert (again.failures, again.failed_on, again.not_before) == (0, [], None)


def test_nobody_is_woken_for_what_rests(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "queue_length", lambda _: 0)
    Match.objects.exclude(pk=match.pk).update(state="void")
    OutboxMessage.objects.all().delete()
    fail(match, "one")
    OutboxMessage.objects.all().delete()
    assert tasks.announce_waiting() == 0
    make.end_retry_delays()
    assert tasks.announce_waiting() == 1


def test_what_an_attempt_that_failed_tells_of_its_machine(match: Match) -> None:
    [attempt] = attempts.claim("worker@one/1", 1)
    owners = frozenset(match.seats.values_list("version__bot__owner", flat=True))
    found = failure_of(attempt.pk, "It broke.", None)
    assert (found.suspects, found.elsewhere, found.format) == (owners, False, match.format)
    [one] = failure_of(attempt.pk, "It broke.", 1).suspects
    assert one == match.seats.get(index=1).version.bot.owner_id
    attempts.fail_attempt(attempt.pk, "It broke.")
    make.end_retry_delays()
    [again] = attempts.claim("worker@two/1", 1)
    moved = failure_of(again.pk, "It broke.", None)
    assert moved.work == found.work  # with new cards it is the same
    assert moved.elsewhere
