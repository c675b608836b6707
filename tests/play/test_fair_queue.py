"""The order of work: shares of persons and authors, house bots first, no endless waiting."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardroom_tables.fair_queue import BACKGROUND, MAX_PASSED, FairQueue, Kind, Work

KINDS: tuple[Kind, ...] = ("table", "hint", "comparison", "opinion")


def table_work(key: int, person: str = "eve", *authors: str) -> Work:
    return Work("table", key, person, frozenset(authors))


def queue_with(threads: int, *work: Work) -> FairQueue:
    queue = FairQueue(threads)
    for item in work:
        queue.add(item)
    return queue


def begin_all(queue: FairQueue) -> list[int]:
    """Begin all work that may begin now; its keys."""
    numbers = []
    while (work := queue.next()) is not None:
        numbers.append(work.key)
    return numbers


def test_one_person_has_half_of_the_threads() -> None:
    items = [table_work(number, "eve", "mallory") for number in range(5)]
    queue = queue_with(4, *items)
    assert begin_all(queue) == [0, 1]
    queue.add(table_work(9, "ada"))
    assert begin_all(queue) == [9]


def test_the_bots_of_one_author_have_half_of_the_threads() -> None:
    queue = queue_with(
        4, *[table_work(number, f"guest {number}", "mallory") for number in range(5)]
    )
    assert begin_all(queue) == [0, 1]
    queue.add(table_work(9, "ada", "mallory", "bob"))
    queue.add(table_work(10, "ada", "bob"))
    assert begin_all(queue) == [10]


def test_a_thread_is_left_for_the_house() -> None:
    items = [table_work(number, f"guest {number}", f"author {number}") for number in range(9)]
    queue = queue_with(4, *items)
    assert begin_all(queue) == [0, 1, 2]
    queue.add(table_work(9, "ada"))
    assert begin_all(queue) == [9]


def test_work_of_the_house_is_first() -> None:
    queue = queue_with(
        4, table_work(1, "eve", "mallory"), table_work(2, "ada"), Work("hint", 3, "bob")
    )
    assert begin_all(queue) == [2, 3, 1]


def test_comparisons_do_not_delay_others() -> None:
    comparisons = [Work("comparison", number, "eve", frozenset({"mallory"})) for number in range(3)]
    queue = queue_with(4, *comparisons, Work("comparison", 9, "ada"), Work("opinion", 10, "bob"))
    assert begin_all(queue) == [0, 9], "not one for each person and half of the threads in total"
    queue.add(table_work(11, "bob"))
    assert begin_all(queue) == [11]


def test_persons_take_turns() -> None:
    queue = queue_with(1, *[table_work(number, "eve") for number in range(3)], table_work(9, "ada"))
    order = []
    while (work := queue.next()) is not None:
        order.append(work.key)
        queue.done(work)
    assert order == [0, 9, 1, 2]


def test_the_same_table_is_played_once_at_a_time() -> None:
    queue = queue_with(4, table_work(1))
    work = queue.next()
    assert work is not None
    queue.add(table_work(1))
    queue.add(table_work(1))
    assert queue.next() is None
    queue.done(work)
    assert begin_all(queue) == [1]
    assert queue.waiting == []


def test_work_is_not_passed_over_forever() -> None:
    queue = queue_with(1, table_work(0, "eve", "mallory"), Work("comparison", 1, "bob"))
    for number in range(2 * MAX_PASSED + 2):
        queue.add(table_work(100 + number, f"guest {number}"))
        work = queue.next()
        assert work is not None
        queue.done(work)
    assert all(work.key >= 100 for work in queue.waiting)


def any_work(rng: Random) -> Work:
    authors = frozenset(rng.sample(["mallory", "carol"], rng.randrange(3)))
    return Work(rng.choice(KINDS), rng.randrange(10), rng.choice(["eve", "ada", "bob"]), authors)


@given(st.integers(1, 6), st.integers(0, 40), st.integers(0, 2**32))
def test_the_guarantees_hold_for_random_work(threads: int, count: int, seed: int) -> None:
    rng, queue = Random(seed), FairQueue(threads)
    incoming = [any_work(rng) for _ in range(count)]
    running: list[Work] = []
    added: set[Work] = set()
    finished: set[Work] = set()
    half = max(1, threads // 2)
    while incoming or queue.waiting or running:
        if incoming and rng.random() < 0.6:
            queue.add(incoming[-1])
            added.add(incoming.pop())
        while (work := queue.next()) is not None:
            running.append(work)
        assert len(running) == len(set(running)) <= threads
        assert sum(item.rank > 0 for item in running) <= max(1, threads - 1)
        for name in ("eve", "ada", "bob"):
            persons_work = [item for item in running if item.person == name]
            assert len(persons_work) <= half
            assert sum(item.kind in BACKGROUND for item in persons_work) <= 1
        for author in ("mallory", "carol"):
            assert sum(author in item.authors for item in running) <= half
        if queue.waiting and not running:
            pytest.fail("Work waits although all threads are free.")
        if running and (not incoming or rng.random() < 0.5):
            work = running.pop(rng.randrange(len(running)))
            queue.done(work)
            finished.add(work)
    assert finished == added, "some work was not done"
