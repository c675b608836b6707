"""Many at once: on SQLite one after the other, on PostgreSQL truly side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, TypeVar

import pytest
from django.db import connection

from tests import factories as make
from tournaments import actions, projections
from tournaments.actions import playing
from tournaments.models import Attempt, Match, RatingChange, StoredRecord, Tournament

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
                playing.store_result(attempt.pk, outcome)
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
            assert match.state == "waiting"
            assert not StoredRecord.objects.filter(match=match).exists()


def test_a_tournament_played_by_many_finishes_once_and_counts_each_match_once(
    cup: Tournament,
) -> None:
    def work(number: int) -> int:
        played = 0
        while attempts := actions.claim(f"w/{number}", 1):
            played += playing.store_result(attempts[0].pk, make.outcome(attempts[0].match))
            projections.take_in()
        return played

    assert sum(at_once(work)) == cup.matches.count() == 18
    cup.refresh_from_db()
    assert cup.state == "finished"
    assert cup.fixtures.filter(finished=None).count() == 0
    while projections.take_in():
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


def test_of_many_entries_each_gets_a_number_of_its_own(cup: Tournament) -> None:
    opened = make.tournament()
    bots = [make.bot() for _ in range(THREADS)]
    entries = at_once(lambda number: actions.enter(opened, bots[number], bots[number].owner))
    assert numbers(entries) == list(range(1, THREADS + 1))


def numbers(entries: Sequence[Any]) -> list[int]:
    return sorted(entry.number for entry in entries)
