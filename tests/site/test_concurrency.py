"""Many at once: on SQLite one after the other, on PostgreSQL truly side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import Any, TypeVar

import pytest
from django.db import DataError, OperationalError, connection

from cardroom import housekeeping
from cardroom_base.core.errors import ActionError
from cardroom_base.db import outbox
from tests import factories as make
from tournaments import actions, projections, tasks
from tournaments.actions import deal_groups
from tournaments.actions.challenges import MAX_RUNNING
from tournaments.models import Attempt, Challenge, Match, RatingChange, StoredRecord, Tournament

pytestmark = pytest.mark.django_db(transaction=True)

T = TypeVar("T")
THREADS = 6


def at_once(work: Callable[[int], T], threads: int = THREADS) -> list[T]:
    """Do the same in many threads that start together; what each of them got."""
    barrier = Barrier(threads)

    def run(number: int) -> T:
        try:
            barrier.wait(10)
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, range(threads)))


def test_a_bot_takes_no_challenge_too_many() -> None:
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
    assert sum(at_once(lambda number: challenge(MAX_RUNNING - 1 + number))) == 1
    assert Challenge.objects.count() == MAX_RUNNING


@pytest.fixture
def cup() -> Tournament:
    return make.tournament(3, groups=3, start=True)


def test_no_match_is_claimed_twice(cup: Tournament) -> None:
    def claim_all(number: int) -> list[int]:
        claimed: list[int] = []
        while attempts := actions.claim(f"w/{number}", 2):
            claimed += [attempt.match_id for attempt in attempts]
        return claimed

    claimed = [match for some in at_once(claim_all) for match in some]
    assert sorted(claimed) == sorted(cup.matches.values_list("pk", flat=True))
    assert Attempt.objects.count() == len(claimed)


def test_of_many_equal_results_one_is_stored(cup: Tournament) -> None:
    [attempt] = actions.claim("w", 1)
    outcome = make.outcome(attempt.match)
    stored = at_once(lambda _: actions.store_result(attempt.pk, outcome))
    assert sorted(stored) == [False] * (THREADS - 1) + [True]
    assert StoredRecord.objects.count() == 1


def test_a_sweep_and_a_result_at_once_leave_one_of_both(cup: Tournament) -> None:
    attempts = actions.claim("w", THREADS)
    outcomes = [make.outcome(attempt.match) for attempt in attempts]

    def either(number: int) -> None:
        if number % 2:
            for attempt, outcome in zip(attempts, outcomes, strict=True):
                actions.store_result(attempt.pk, outcome)
        else:
            for attempt in reversed(attempts):
                actions.fail_attempt(attempt.pk, "Lost.")

    at_once(either)
    for attempt in attempts:
        attempt.refresh_from_db()
        match = Match.objects.get(pk=attempt.match_id)
        if attempt.outcome == "stored":
            assert match.state == "finished"
            assert match.results.count() == 2
        else:
            assert match.state == "void"  # another one has its place
            assert not StoredRecord.objects.filter(match=match).exists()


def test_a_tournament_played_by_many_finishes_once_and_counts_each_match_once(
    cup: Tournament,
) -> None:
    def work(number: int) -> int:
        played = 0
        while attempts := actions.claim(f"w/{number}", 1):
            played += actions.store_result(attempts[0].pk, make.outcome(attempts[0].match))
            projections.update_live()
        return played

    assert sum(at_once(work)) == cup.matches.count() == 18
    assert sum(at_once(lambda _: make.housekeep())) >= 9  # a message for each deal group
    cup.refresh_from_db()
    assert cup.state == "finished"
    assert cup.deal_groups.filter(finished=None).count() == 0
    while projections.update_live():
        pass
    ordinals = Match.objects.order_by("ordinal").values_list("ordinal", flat=True)
    assert list(ordinals) == list(range(1, 19))
    assert RatingChange.objects.count() == 18 * 2 * 3


def test_one_of_many_starts_starts(cup: Tournament) -> None:
    opened = make.tournament(2)

    def start(_: int) -> Any:
        try:
            return actions.start(opened, None).state
        except actions.ActionError as error:
            return error.code

    assert sorted(at_once(start)) == ["conflict"] * (THREADS - 1) + ["running"]
    assert opened.matches.count() == 2


def test_planned_groups_are_created_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deal_groups, "PIECE", 4)
    cup = make.tournament(5, start=True)  # five rounds of two deal groups
    assert cup.planned.count() == 4

    def create(_: int) -> int:
        pieces = 0
        while actions.advance(cup.pk):
            pieces += 1
        return pieces

    assert sum(at_once(create)) == 4
    places = list(cup.deal_groups.values_list("round", "pairing"))
    assert len(places) == len(set(places)) == 10
    assert cup.matches.count() == 20


def test_of_many_entries_each_gets_a_number_of_its_own(cup: Tournament) -> None:
    opened = make.tournament()
    bots = [make.bot() for _ in range(THREADS)]
    entries = at_once(lambda number: actions.enter(opened, bots[number], bots[number].owner))
    assert numbers(entries) == list(range(1, THREADS + 1))


def numbers(entries: Sequence[Any]) -> list[int]:
    return sorted(entry.number for entry in entries)


def fail(attempts: Sequence[int], number: int) -> bool:
    return actions.fail_attempt(attempts[number], "On fire.")


def test_workers_of_one_deal_group_that_fail_at_once_deal_it_anew_once(cup: Tournament) -> None:
    for _ in range(3):
        attempts = actions.claim("w", THREADS)
        groups = {attempt.match.deal_group_id for attempt in attempts}
        before = cup.deal_groups.count()
        keys = [attempt.pk for attempt in attempts]
        failed = at_once(partial(fail, keys))
        assert sum(failed) == len(groups) == 3
        assert cup.deal_groups.count() == before + 3
        assert cup.deal_groups.filter(retired=None).count() == 9
    numbers = list(cup.deal_groups.values_list("number", flat=True))
    assert numbers == list(range(1, 9 + 9 + 1))


def test_a_rerun_while_its_sibling_comes_to_an_end_takes_both_along(cup: Tournament) -> None:
    first = make.finish(cup.matches.earliest("pk"))
    attempts = [a for a in actions.claim("w", 50) if a.match.deal_group_id == first.deal_group_id]
    [other] = attempts
    outcome = make.outcome(other.match)

    def either(number: int) -> str:
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

    said = at_once(either)
    assert sorted(said) == ["conflict"] * (THREADS - 3) + ["done"] * 3  # one of the reruns did it
    old = first.deal_group
    assert set(old.matches.values_list("state", flat=True)) == {"void"}
    assert not StoredRecord.objects.filter(match__deal_group=old).exists()
    assert set(old.redealt.matches.values_list("state", flat=True)) == {"waiting"}
    assert not Attempt.objects.filter(match__deal_group=old, outcome="running").exists()
    projections.refresh()
    assert not RatingChange.objects.filter(match__deal_group=old).exists()


def test_decisions_and_failures_of_many_groups_at_once_leave_whole_groups(cup: Tournament) -> None:
    attempts = actions.claim("w", 18)
    outcomes = [make.outcome(attempt.match) for attempt in attempts]

    def work(number: int) -> None:
        for index in range(number, 18, 3):
            if number < 3:
                actions.store_result(attempts[index].pk, outcomes[index])
            else:
                actions.fail_attempt(attempts[index - 3].pk, "On fire.")
            projections.update_live()

    at_once(work)
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
    """What no `except Exception` catches, and is no exit: extension modules have such."""


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (RuntimeError("It cannot be paired."), "(RuntimeError)"),
        (Panic("It cannot be paired."), "(Panic)"),
        (actions.ActionError("It cannot be paired."), ": It cannot be paired. The site tries"),
        (DataError("It cannot be paired."), "(DataError)"),
        (OperationalError("It cannot be paired."), ""),
    ],
)
def test_an_advance_that_fails_leaves_what_was_stored(
    cup: Tournament,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: BaseException,
    told: str,
) -> None:
    def broken(tournament: int) -> bool:
        raise error

    monkeypatch.setattr("tournaments.actions.rounds.advance", broken)
    attempts = actions.claim("w", 18)
    for attempt in attempts:  # a whole batch: no failure of the first keeps the others back
        assert actions.store_result(attempt.pk, make.outcome(attempt.match))
    assert StoredRecord.objects.count() == 18
    housekeeping.run("advance", make.housekeep)
    assert "cannot be paired" in caplog.text
    match = attempts[0].match
    assert actions.void_match(match, None, "A test.").state == "void"
    cup.refresh_from_db()
    assert told in cup.trouble
    assert bool(told) == bool(cup.trouble)
    if told:
        assert tasks.sweep()["advanced"] == 0
        assert caplog.text.count("cannot be advanced.") == 1  # it says so once
    else:
        with pytest.raises(OperationalError):
            tasks.sweep()
    monkeypatch.undo()
    monkeypatch.setattr(outbox, "queue_length", lambda queue: 1)
    assert tasks.sweep()["advanced"] == 1
    cup.refresh_from_db()
    assert (cup.state, cup.trouble) == ("finished", "")
