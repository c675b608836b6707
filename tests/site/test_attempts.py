"""tournaments.actions.attempts: claims, leases, each result stored exactly once."""

from __future__ import annotations

import json
import logging
import zlib
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from bots import actions as bot_actions
from bots import isolation_summary
from bots.sandbox import Isolation
from cardroom_base.models import OutboxMessage
from engine import Record, rules
from tests import factories as make
from tournaments import actions
from tournaments.actions import attempts
from tournaments.models import Attempt, Match, SideResult, StoredRecord, Tournament
from tournaments.queue import scheduler
from tournaments.queue.waits import libraries_missing

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup() -> Tournament:
    return make.tournament(2, groups=2, start=True)


def expire(attempt: Attempt) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Attempt.objects.filter(pk=attempt.pk).update(lease_until=past)


def test_a_match_is_claimed_once_oldest_first(cup: Tournament) -> None:
    keys = list(cup.matches.order_by("pk").values_list("pk", flat=True))
    first, second, third = (actions.claim("a", 1), actions.claim("a", 2), actions.claim("a", 9))
    assert [a.match_id for a in (*first, *second, *third)] == keys
    assert actions.claim("d", 9) == []
    attempt = first[0]
    assert (attempt.number, attempt.worker, attempt.outcome) == (1, "a", "running")
    attempt.refresh_from_db()
    remaining = attempt.lease_until - timezone.now()
    assert timedelta(seconds=50) < remaining <= timedelta(seconds=60)
    assert set(cup.matches.values_list("state", flat=True)) == {"playing"}


def test_two_processes_do_not_play_the_same_cards_at_the_same_time(cup: Tournament) -> None:
    """Else bots of an author could tell each other the hands of the other table by timing."""
    editions = tuple(rules.editions().values())
    keys = list(cup.matches.order_by("pk").values_list("pk", flat=True))
    [attempt] = actions.claim("n/1", 1)
    assert scheduler.has_due_match(editions)
    other_group = actions.claim("n/2", 9)
    assert [other.match_id for other in other_group] == keys[2:]
    assert not scheduler.has_due_match(editions)
    assert actions.claim("n/3", 9) == []
    actions.store_result(attempt.pk, make.outcome(attempt.match))
    assert [mate.match_id for mate in actions.claim("n/3", 9)] == [keys[1]]


def test_without_isolation_only_house_bots_are_claimed() -> None:
    mixed = make.tournament([make.house_bot("house:a"), make.bot()], start=True)
    house = make.tournament([make.house_bot("house:a"), make.house_bot("house:b")], start=True)
    claimed = actions.claim("w", 9, house_only=True)
    assert {attempt.match.tournament_id for attempt in claimed} == {house.pk}
    assert mixed.matches.filter(state="waiting").count() == 2


def test_matches_go_only_to_workers_with_their_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = make.bot()
    bot.versions.update(needs="numpy")
    cup = make.tournament([bot, make.bot(), make.bot()], start=True)
    numpy_matches = set(cup.matches.filter(seats__version__bot=bot).values_list("pk", flat=True))
    isolation = Isolation("full", (), "Fine.")
    bot_actions.report_worker("here", isolation)
    monkeypatch.setenv("CARDROOM_LIBRARIES", "")
    assert numpy_matches
    assert not numpy_matches & {attempt.match_id for attempt in actions.claim("w", 99)}
    assert libraries_missing(cup, isolation_summary.recent_workers()) == ""
    bot_actions.report_worker("here", isolation)
    assert "that need numpy" in libraries_missing(cup, isolation_summary.recent_workers())
    monkeypatch.delenv("CARDROOM_LIBRARIES")
    assert numpy_matches == {attempt.match_id for attempt in actions.claim("w", 99)}


def test_the_database_refuses_a_second_running_attempt(cup: Tournament) -> None:
    [attempt] = actions.claim("a", 1)
    with pytest.raises(IntegrityError), transaction.atomic():
        Attempt.objects.create(
            match=attempt.match, number=2, worker="b", lease_until=timezone.now()
        )


def test_all_parts_of_a_result_are_stored(cup: Tournament) -> None:
    [attempt] = actions.claim("a", 1)
    outcome = make.outcome(attempt.match, faults=[(1, "crash")])
    assert actions.store_result(attempt.pk, outcome)
    match = Match.objects.get(pk=attempt.match_id)
    assert (match.state, match.faulted, match.reason) == ("finished", True, "deals")
    assert match.moves_played == len(outcome.record.moves)
    stored = Record.from_json(json.loads(zlib.decompress(match.record.content)))
    assert stored == outcome.record
    stored.verify()
    rows = list(match.results.values_list("side", "rank", "faulted"))
    assert rows == [(0, 1, False), (1, 2, True)]
    assert [r.score for r in match.results.all()] == (outcome.record.result or {})["scores"]
    seat = match.seats.get(index=1)
    assert (seat.fault, seat.cpu_ms, seat.wall_ms, seat.peak_memory_kib) == (
        "crash",
        12,
        21,
        15_000,
    )
    assert zlib.decompress(seat.log) == b"a log\n"
    attempt.refresh_from_db()
    assert attempt.outcome == "stored"
    assert attempt.finished is not None


def test_each_side_of_partners_is_stored_once() -> None:
    cup = make.tournament(2, format="cassino/standard/2v2", start=True)
    match = make.finish(cup.matches.latest("pk"), faults=[(3, "time")])
    results = list(match.results.order_by("side"))
    assert [result.faulted for result in results] == [False, True]
    assert [result.side for result in results] == [0, 1]


def test_a_repeated_result_is_ignored_and_logged(
    cup: Tournament, caplog: pytest.LogCaptureFixture
) -> None:
    [attempt] = actions.claim("a", 1)
    outcome = make.outcome(attempt.match)
    assert actions.store_result(attempt.pk, outcome)
    before = StoredRecord.objects.get(match=attempt.match_id)
    with caplog.at_level(logging.WARNING):
        assert not actions.store_result(
            attempt.pk, make.outcome(attempt.match, faults=[(0, "time")])
        )
    assert "arrived twice" in caplog.text
    assert bytes(StoredRecord.objects.get(match=attempt.match_id).content) == bytes(before.content)
    assert SideResult.objects.filter(match=attempt.match_id).count() == 2
    assert not actions.store_result(999_999, outcome)


def test_a_late_result_is_ignored_logged_and_marked(
    cup: Tournament, caplog: pytest.LogCaptureFixture
) -> None:
    [slow] = actions.claim("slow", 1)
    expire(slow)
    assert actions.sweep_attempts() == 1
    [lost] = [record for record in caplog.records if "ended (lost)" in record.getMessage()]
    assert {"match": slow.match_id, "attempt": slow.pk}.items() <= vars(lost).items()
    [quick] = actions.claim("quick", 1)
    assert (quick.match_id, quick.number) == (slow.match_id, 2)
    with caplog.at_level(logging.WARNING):
        assert not actions.store_result(slow.pk, make.outcome(slow.match, faults=[(0, "time")]))
    assert "it had already ended (lost)" in caplog.text
    slow.refresh_from_db()
    assert slow.outcome == "late"
    assert actions.store_result(quick.pk, make.outcome(quick.match))
    assert not Match.objects.get(pk=quick.match_id).faulted


def test_leases_are_renewed_while_they_are_held(cup: Tournament) -> None:
    renewed, _, lost = actions.claim("a", 3)
    expire(renewed)
    attempts.fail_attempt(lost.pk, "Out of memory.")
    assert actions.heartbeat([renewed.pk, lost.pk], {renewed.match_id: 17}) == {renewed.pk}
    renewed.refresh_from_db()
    assert renewed.lease_until > timezone.now() + timedelta(seconds=50)
    assert Match.objects.get(pk=renewed.match_id).moves_played == 17
    assert actions.sweep_attempts() == 0


def test_five_lost_attempts_make_a_match_stuck_with_every_cause(cup: Tournament) -> None:
    match = cup.matches.earliest("pk")
    Match.objects.exclude(deal_group=match.deal_group).update(state="void")
    for number in range(settings.MAX_ATTEMPTS):
        match = Match.objects.get(deal_group__retired=None, deal_group__group=1, rotation=0)
        assert (match.state, match.failures) == ("waiting", number)
        make.end_retry_delays()
        [attempt] = actions.claim("w", 1)
        assert attempt.match_id == match.pk
        if number % 2:
            assert actions.fail_attempt(attempt.pk, f"Cause {number}.")
            assert not actions.fail_attempt(attempt.pk, "Again.")
        else:
            expire(attempt)
            assert actions.sweep_attempts() == 1
    match.refresh_from_db()
    assert match.state == "stuck"
    causes = [(a.number, a.outcome, a.cause) for a in Attempt.objects.order_by("pk")]
    silent = "The worker was not heard from for 60 seconds."
    assert causes == [  # new cards after each failed attempt
        (1, "lost", silent),
        (2, "failed", "Cause 1."),
        (1, "lost", silent),
        (2, "failed", "Cause 3."),
        (1, "lost", silent),
    ]
    assert match.pk not in {attempt.match_id for attempt in actions.claim("w", 9)}
    again = actions.rerun_match(match, None, "The disk was full.")
    assert (again.state, again.failures) == ("waiting", 0)
    assert again.pk in {attempt.match_id for attempt in actions.claim("w", 9)}


def test_a_failed_attempt_wakes_a_worker(cup: Tournament) -> None:
    [attempt] = actions.claim("w", 1)
    before = OutboxMessage.objects.count()
    actions.fail_attempt(attempt.pk, "Out of memory.")
    assert OutboxMessage.objects.count() == before + 1


def test_releasing_a_match_counts_no_failure(cup: Tournament) -> None:
    [attempt] = actions.claim("w", 1)
    attempts.release_attempts([attempt.pk], "Stopped.")
    match = Match.objects.get(pk=attempt.match_id)
    assert (match.state, match.failures) == ("waiting", 0)


def test_matches_of_a_dead_process_are_released() -> None:
    make.tournament(2, groups=3, start=True)
    [dead], [alive], [elsewhere] = (actions.claim(w, 1) for w in ("n/7", "n/8", "other/7"))
    assert attempts.release_worker("n", lambda process: process == "8", "Killed.") == 1
    outcomes = [Attempt.objects.get(pk=a.pk).outcome for a in (dead, alive, elsewhere)]
    assert outcomes == ["lost", "running", "running"]


def test_the_last_match_of_a_deal_group_finishes_it(cup: Tournament) -> None:
    deal_group = cup.deal_groups.earliest("number")
    first, second = deal_group.matches.order_by("pk")
    make.finish(first)
    deal_group.refresh_from_db()
    assert deal_group.finished is None
    make.finish(second)
    deal_group.refresh_from_db()
    assert deal_group.finished is not None
