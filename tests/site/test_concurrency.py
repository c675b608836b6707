"""Concurrent actions, which SQLite serializes and PostgreSQL runs in parallel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import Any, TypeVar

import pytest
from django.db import DataError, OperationalError, connection
from rest_framework.test import APIClient

from bots.actions import register_bot
from cardroom import housekeeping
from cardroom_base.core.errors import ActionError
from cardroom_base.db import outbox
from cardroom_tables.actions.tables import SeatChoice, create_table
from cardroom_tables.guests import Person
from tests import factories as make
from tournaments import actions, projections, tasks
from tournaments.actions import deal_groups
from tournaments.actions.challenges import MAX_RUNNING
from tournaments.models import Attempt, Challenge, Match, RatingChange, StoredRecord, Tournament

pytestmark = pytest.mark.django_db(transaction=True)

T = TypeVar("T")
THREADS = 6


def in_threads(action: Callable[[int], T], threads: int = THREADS) -> list[T]:
    """Call the action with each thread's number in threads that start together; the results."""
    barrier = Barrier(threads)

    def run(number: int) -> T:
        try:
            barrier.wait(10)
            return action(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, range(threads)))


def test_concurrent_challenges_respect_the_limit() -> None:
    jay = make.bot(name="Jay")
    bots = [make.bot() for _ in range(MAX_RUNNING - 1 + THREADS)]

    def challenge(number: int) -> bool:
        bot = bots[number]
        assert bot.active_version is not None
        assert jay.active_version is not None
        try:
            actions.start_challenge(bot.active_version, jay.active_version, bot.owner, groups=1)
        except ActionError:
            return False
        return True

    assert all(challenge(number) for number in range(MAX_RUNNING - 1))
    assert sum(in_threads(lambda number: challenge(MAX_RUNNING - 1 + number))) == 1
    assert Challenge.objects.count() == MAX_RUNNING


def test_concurrent_requests_respect_the_quotas_of_a_person(settings: Any) -> None:
    settings.MAX_BOTS = settings.MAX_ACTIVE_TOURNAMENTS = settings.MAX_TABLES_PER_GUEST = 1
    author, guest = make.user(), Person(guest="g", address="192.0.2.1")
    fields = {"format": make.FORMAT}
    drafts = [actions.create_tournament(author, name=f"Cup {n}", **fields) for n in range(THREADS)]
    seats = [SeatChoice("you"), SeatChoice("bot", "house:random")]
    requests: dict[str, Callable[[int], object]] = {
        "bot": lambda number: register_bot(author, f"Jay {number}"),
        "tournament": lambda number: actions.open_(drafts[number], author),
        "table": lambda _: create_table(guest, make.FORMAT, seats),
    }
    for name, request in requests.items():

        def succeeds(number: int, request: Callable[[int], object] = request) -> bool:
            try:
                request(number)
            except ActionError:
                return False
            return True

        assert sum(in_threads(succeeds)) == 1, name


def test_matches_of_one_deal_group_are_not_claimed_at_the_same_time() -> None:
    make.tournament(2, groups=THREADS, start=True)
    claims = in_threads(lambda number: actions.claim(f"n/{number}", 1))
    groups = [attempt.match.deal_group_id for claimed in claims for attempt in claimed]
    assert len(set(groups)) == len(groups) == THREADS


def test_of_concurrent_requests_with_one_key_one_has_an_effect() -> None:
    user = make.user()

    def create(_: int) -> Any:
        client = APIClient()
        client.force_authenticate(user)
        body = {"name": "Spring Cup", "format": make.FORMAT}
        headers = {"Idempotency-Key": "k"}
        return client.post("/api/v1/tournaments/", body, format="json", headers=headers)

    responses = in_threads(create)
    assert {response.status_code for response in responses} == {201}
    assert len({response["Location"] for response in responses}) == 1
    assert Tournament.objects.count() == 1


def test_concurrent_tournaments_of_one_name_get_different_addresses() -> None:
    organizer = make.user()

    def create(_: int) -> str:
        fields = {"name": "Cup", "format": make.FORMAT}
        return actions.create_tournament(organizer, **fields).slug

    assert sorted(in_threads(create)) == ["cup", *(f"cup-{n}" for n in range(2, THREADS + 1))]


@pytest.fixture
def cup() -> Tournament:
    return make.tournament(3, groups=3, start=True)


def test_no_match_is_claimed_twice(cup: Tournament) -> None:
    def claim_all(number: int) -> list[int]:
        claimed: list[int] = []
        while attempts := actions.claim(f"w/{number}", 2):
            claimed += [attempt.match_id for attempt in attempts]
        return claimed

    claimed = [match for matches in in_threads(claim_all) for match in matches]
    for number in range(THREADS):  # a thread may stop while another one has locked its last match
        claimed += claim_all(number)
    assert sorted(claimed) == sorted(cup.matches.values_list("pk", flat=True))
    assert Attempt.objects.count() == len(claimed)


def test_one_of_many_equal_results_is_stored(cup: Tournament) -> None:
    [attempt] = actions.claim("w", 1)
    outcome = make.outcome(attempt.match)
    results = in_threads(lambda _: actions.store_result(attempt.pk, outcome))
    assert sorted(results) == [False] * (THREADS - 1) + [True]
    assert StoredRecord.objects.count() == 1


def test_a_concurrent_failure_and_result_leave_one_of_both(cup: Tournament) -> None:
    attempts = actions.claim("w", THREADS)
    outcomes = [make.outcome(attempt.match) for attempt in attempts]

    def store_or_fail(number: int) -> None:
        if number % 2:
            for attempt, outcome in zip(attempts, outcomes, strict=True):
                actions.store_result(attempt.pk, outcome)
        else:
            for attempt in reversed(attempts):
                actions.fail_attempt(attempt.pk, "Lost.")

    in_threads(store_or_fail)
    for attempt in attempts:
        attempt.refresh_from_db()
        match = Match.objects.get(pk=attempt.match_id)
        if attempt.outcome == "stored":
            assert match.state == "finished"
            assert match.results.count() == 2
        else:
            assert match.state == "void"  # another match replaces it
            assert not StoredRecord.objects.filter(match=match).exists()


def test_concurrent_workers_count_each_match_once(
    cup: Tournament,
) -> None:
    def play_all(number: int) -> int:
        count = 0
        while attempts := actions.claim(f"w/{number}", 1):
            count += actions.store_result(attempts[0].pk, make.outcome(attempts[0].match))
            projections.update_live()
        return count

    assert sum(in_threads(play_all)) == cup.matches.count() == 18
    assert sum(in_threads(lambda _: make.housekeep())) >= 9  # a message for each deal group
    cup.refresh_from_db()
    assert cup.state == "finished"
    assert cup.deal_groups.filter(finished=None).count() == 0
    while projections.update_live():
        pass
    ordinals = Match.objects.order_by("ordinal").values_list("ordinal", flat=True)
    assert list(ordinals) == list(range(1, 19))
    assert RatingChange.objects.count() == 18 * 2 * 3


def test_one_of_many_concurrent_starts_succeeds(cup: Tournament) -> None:
    open_cup = make.tournament(2)

    def start(_: int) -> Any:
        try:
            return actions.start(open_cup, None).state
        except actions.ActionError as error:
            return error.code

    assert sorted(in_threads(start)) == ["conflict"] * (THREADS - 1) + ["running"]
    assert open_cup.matches.count() == 2


def test_planned_groups_are_created_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deal_groups, "PIECE", 4)
    cup = make.tournament(5, start=True)  # five rounds of two deal groups
    assert cup.planned.count() == 4

    def create(_: int) -> int:
        pieces = 0
        while actions.advance(cup.pk):
            pieces += 1
        return pieces

    assert sum(in_threads(create)) == 4
    places = list(cup.deal_groups.values_list("round", "pairing"))
    assert len(places) == len(set(places)) == 10
    assert cup.matches.count() == 20


def test_concurrent_entries_have_different_numbers(cup: Tournament) -> None:
    open_cup = make.tournament()
    bots = [make.bot() for _ in range(THREADS)]
    entries = in_threads(lambda number: actions.enter(open_cup, bots[number], bots[number].owner))
    assert numbers(entries) == list(range(1, THREADS + 1))


def numbers(entries: Sequence[Any]) -> list[int]:
    return sorted(entry.number for entry in entries)


def fail(attempts: Sequence[int], number: int) -> bool:
    return actions.fail_attempt(attempts[number], "On fire.")


def test_concurrent_failures_redeal_a_group_once(cup: Tournament) -> None:
    for _ in range(3):
        attempts = actions.claim("w", THREADS)
        groups = {attempt.match.deal_group_id for attempt in attempts}
        before = cup.deal_groups.count()
        keys = [attempt.pk for attempt in attempts]
        results = in_threads(partial(fail, keys))
        assert sum(results) == len(groups) == 3
        assert cup.deal_groups.count() == before + 3
        assert cup.deal_groups.filter(retired=None).count() == 9
    numbers = list(cup.deal_groups.values_list("number", flat=True))
    assert numbers == list(range(1, 9 + 9 + 1))


def test_a_rerun_during_the_siblings_result_voids_both(cup: Tournament) -> None:
    first = make.finish(cup.matches.earliest("pk"))
    attempts = [a for a in actions.claim("w", 50) if a.match.deal_group_id == first.deal_group_id]
    [other] = attempts
    outcome = make.outcome(other.match)

    def store_or_rerun(number: int) -> str:
        if number == 0:
            actions.store_result(other.pk, outcome)
        elif number == 1:
            projections.update_live()
        else:
            try:
                actions.rerun_match(first, None, "A test.")
            except actions.ActionError as error:
                return error.code
        return "done"

    codes = in_threads(store_or_rerun)
    assert (
        sorted(codes) == ["conflict"] * (THREADS - 3) + ["done"] * 3
    )  # one of the reruns succeeded
    old = first.deal_group
    assert set(old.matches.values_list("state", flat=True)) == {"void"}
    assert not StoredRecord.objects.filter(match__deal_group=old).exists()
    assert set(old.redealt.matches.values_list("state", flat=True)) == {"waiting"}
    assert not Attempt.objects.filter(match__deal_group=old, outcome="running").exists()
    projections.refresh()
    assert not RatingChange.objects.filter(match__deal_group=old).exists()


def test_concurrent_results_and_failures_leave_whole_groups(cup: Tournament) -> None:
    attempts = actions.claim("w", 18)
    outcomes = [make.outcome(attempt.match) for attempt in attempts]

    def store_or_fail(number: int) -> None:
        for index in range(number, 18, 3):
            if number < 3:
                actions.store_result(attempts[index].pk, outcomes[index])
            else:
                actions.fail_attempt(attempts[index - 3].pk, "On fire.")
            projections.update_live()

    in_threads(store_or_fail)
    counting = cup.deal_groups.filter(retired=None)
    assert counting.count() == 9
    for deal_group in counting:
        assert "void" not in deal_group.matches.values_list("state", flat=True)
        assert deal_group.matches.count() == 2
    while projections.update_live():
        pass
    projections.refresh()
    counted = Match.objects.filter(ordinal__isnull=False)
    assert not counted.exclude(state="finished").exists()
    assert counted.count() == Match.objects.filter(state="finished").count()


class Panic(BaseException):
    """An error that `except Exception` does not catch, as extension modules raise."""


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (RuntimeError("It cannot be paired."), "(RuntimeError)"),
        (Panic("It cannot be paired."), "(Panic)"),
        (actions.ActionError("It cannot be paired."), ": It cannot be paired. The site tries"),
        (DataError("It cannot be paired."), "(DataError)"),
        (OperationalError("It cannot be paired."), ""),
    ],
)
def test_a_failed_advance_keeps_results(
    cup: Tournament,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: BaseException,
    trouble: str,
) -> None:
    def broken(tournament: int) -> bool:
        raise error

    monkeypatch.setattr("tournaments.actions.rounds.advance", broken)
    attempts = actions.claim("w", 18)
    for attempt in attempts:  # a whole batch: a failure of the first does not stop the others
        assert actions.store_result(attempt.pk, make.outcome(attempt.match))
    assert StoredRecord.objects.count() == 18
    housekeeping.run("advance", make.housekeep)
    assert "cannot be paired" in caplog.text
    match = attempts[0].match
    assert actions.void_match(match, None, "A test.").state == "void"
    cup.refresh_from_db()
    assert trouble in cup.trouble
    assert bool(trouble) == bool(cup.trouble)
    if trouble:
        assert tasks.sweep()["advanced"] == 0
        assert caplog.text.count("cannot be advanced.") == 1  # it is logged once
    else:
        with pytest.raises(OperationalError):
            tasks.sweep()
    monkeypatch.undo()
    monkeypatch.setattr(outbox, "queue_length", lambda queue: 1)
    assert tasks.sweep()["advanced"] == 1
    cup.refresh_from_db()
    assert (cup.state, cup.trouble) == ("finished", "")
