"""Who is next: threads shared by person and by author, the house first, nobody for ever last."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardroom_tables.turns import BACKGROUND, MAX_PASSED, Kind, Turns, Work

KINDS: tuple[Kind, ...] = ("table", "hint", "comparison", "opinion")


def table(key: int, person: str = "eve", *authors: str) -> Work:
    return Work("table", key, person, frozenset(authors))


def turns(threads: int, *work: Work) -> Turns:
    made = Turns(threads)
    for each in work:
        made.add(each)
    return made


def begun(made: Turns) -> list[int]:
    """The numbers of all that may begin now."""
    numbers = []
    while (work := made.next()) is not None:
        numbers.append(work.key)
    return numbers


def test_one_person_has_half_of_the_threads() -> None:
    sleepers = [table(number, "eve", "mallory") for number in range(5)]
    made = turns(4, *sleepers)
    assert begun(made) == [0, 1]
    made.add(table(9, "ada"))
    assert begun(made) == [9]


def test_the_bots_of_one_author_have_half_of_the_threads() -> None:
    made = turns(4, *[table(number, f"guest {number}", "mallory") for number in range(5)])
    assert begun(made) == [0, 1]
    made.add(table(9, "ada", "mallory", "bob"))
    made.add(table(10, "ada", "bob"))
    assert begun(made) == [10]


def test_a_thread_is_left_for_the_house() -> None:
    many = [table(number, f"guest {number}", f"author {number}") for number in range(9)]
    made = turns(4, *many)
    assert begun(made) == [0, 1, 2]
    made.add(table(9, "ada"))
    assert begun(made) == [9]


def test_the_house_is_first() -> None:
    made = turns(4, table(1, "eve", "mallory"), table(2, "ada"), Work("hint", 3, "bob"))
    assert begun(made) == [2, 3, 1]


def test_a_comparison_holds_nobody_else_up() -> None:
    slow = [Work("comparison", number, "eve", frozenset({"mallory"})) for number in range(3)]
    made = turns(4, *slow, Work("comparison", 9, "ada"), Work("opinion", 10, "bob"))
    assert begun(made) == [0, 9], "one for each person, half of the threads in all"
    made.add(table(11, "bob"))
    assert begun(made) == [11]


def test_persons_take_turns() -> None:
    made = turns(1, *[table(number, "eve") for number in range(3)], table(9, "ada"))
    order = []
    while (work := made.next()) is not None:
        order.append(work.key)
        made.done(work)
    assert order == [0, 9, 1, 2]


def test_the_same_table_is_played_once_at_a_time() -> None:
    made = turns(4, table(1))
    work = made.next()
    assert work is not None
    made.add(table(1))
    made.add(table(1))
    assert made.next() is None
    made.done(work)
    assert begun(made) == [1]
    assert made.waiting == []


def test_nothing_is_passed_over_for_ever() -> None:
    made = turns(1, table(0, "eve", "mallory"), Work("comparison", 1, "bob"))
    for number in range(2 * MAX_PASSED + 2):
        made.add(table(100 + number, f"guest {number}"))
        work = made.next()
        assert work is not None
        made.done(work)
    assert all(work.key >= 100 for work in made.waiting)


def any_work(rng: Random) -> Work:
    authors = frozenset(rng.sample(["mallory", "carol"], rng.randrange(3)))
    return Work(rng.choice(KINDS), rng.randrange(10), rng.choice(["eve", "ada", "bob"]), authors)


@given(st.integers(1, 6), st.integers(0, 40), st.integers(0, 2**32))
def test_the_promises_hold_whatever_comes(threads: int, count: int, seed: int) -> None:
    rng, made = Random(seed), Turns(threads)
    incoming = [any_work(rng) for _ in range(count)]
    running: list[Work] = []
    added: set[Work] = set()
    done: set[Work] = set()
    half = max(1, threads // 2)
    while incoming or made.waiting or running:
        if incoming and rng.random() < 0.6:
            made.add(incoming[-1])
            added.add(incoming.pop())
        while (work := made.next()) is not None:
            running.append(work)
        assert len(running) == len(set(running)) <= threads
        assert sum(each.rank > 0 for each in running) <= max(1, threads - 1)
        for name in ("eve", "ada", "bob"):
            own = [each for each in running if each.person == name]
            assert len(own) <= half
            assert sum(each.kind in BACKGROUND for each in own) <= 1
        for author in ("mallory", "carol"):
            assert sum(author in each.authors for each in running) <= half
        if made.waiting and not running:
            pytest.fail("Something waits though all threads are free.")
        if running and (not incoming or rng.random() < 0.5):
            work = running.pop(rng.randrange(len(running)))
            made.done(work)
            done.add(work)
    assert done == added, "all was done"
