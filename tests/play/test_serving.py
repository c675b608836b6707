"""The threads of a host: assignment of work, and unfinished work when a host ends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from cardroom_tables import host, match_cache, serving
from cardroom_tables.actions import moves, opinions
from cardroom_tables.fair_queue import Work
from cardroom_tables.guests import Person, hash_secret
from cardroom_tables.models import Hint
from cardroom_tables.serving import WorkPool
from engine.search.analysis import Question
from tests import factories as make
from tests.play.hall import SHORT, Bots, account, guest, new_table
from tests.servers import wait_for

PATIENCE = 20.0


class BlockingWork:
    """A worker function that blocks until it is released."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.gates: dict[int, threading.Event] = {}
        self._change = threading.Condition()

    def __call__(self, work: Work) -> bool:
        with self._change:
            self.begun.append(work.key)
            self._change.notify_all()
        self.gates.setdefault(work.key, threading.Event()).wait(PATIENCE)
        return False

    def wait(self, count: int) -> list[int]:
        """Wait until this number of works has begun; their keys."""
        with self._change:
            assert self._change.wait_for(lambda: len(self.begun) >= count, PATIENCE), self.begun
            return sorted(self.begun)

    def release(self, *keys: int) -> None:
        """Release these works."""
        for key in keys:
            self.gates.setdefault(key, threading.Event()).set()


@pytest.fixture
def blocking_work() -> BlockingWork:
    return BlockingWork()


@pytest.fixture
def pool(blocking_work: BlockingWork) -> Iterator[WorkPool]:
    pool = WorkPool(4, blocking_work)
    yield pool
    blocking_work.release(*range(20))
    pool.stop()


def slow_table(key: int, person: str = "eve") -> Work:
    return Work("table", key, person, frozenset({"mallory"}))


def test_slow_bots_leave_threads_to_others(pool: WorkPool, blocking_work: BlockingWork) -> None:
    pool.submit([slow_table(number) for number in range(5)])
    assert blocking_work.wait(2) == [0, 1]
    pool.submit([Work("table", 9, "ada")])
    assert blocking_work.wait(3) == [0, 1, 9]
    blocking_work.release(0)
    assert blocking_work.wait(4) == [0, 1, 2, 9]
    assert [work.key for work in pool.unstarted()] == [3, 4]


def test_a_stopping_pool_lists_unstarted_work(blocking_work: BlockingWork) -> None:
    pool = WorkPool(2, blocking_work)
    pool.submit([slow_table(0), slow_table(1)])
    blocking_work.wait(1)
    stopping = threading.Thread(target=pool.stop)
    stopping.start()
    wait_for(lambda: pool._stopped, "The pool does not stop", PATIENCE)
    blocking_work.release(0)
    stopping.join(PATIENCE)
    assert not stopping.is_alive()
    pool.submit([slow_table(2, "bob")])
    assert [work.key for work in pool.unstarted()] == [1, 2]
    assert blocking_work.begun == [0]


def test_work_that_fails_does_not_end_its_thread() -> None:
    finished = threading.Event()

    def fail_first(work: Work) -> bool:
        if work.key == 0:
            raise RuntimeError("a mistake")
        finished.set()
        return False

    pool = WorkPool(1, fail_first)
    pool.submit([Work("table", 0, "ada"), Work("table", 1, "ada")])
    assert finished.wait(PATIENCE)
    pool.stop()


@pytest.mark.django_db
def test_work_names_its_person_and_authors(settings: Any) -> None:
    user, author = make.user("ada"), make.user("mallory")
    version = make.version(make.bot(author))
    one, other = new_table(SHORT, account(user)), new_table("cassino/standard/2v2?deals=1", guest())
    one.seats.filter(index=1).update(bot=version.bot.name, version=version)
    items = {work.key: work for work in serving.work_of("table", [one.pk, other.pk, 12345])}
    assert set(items) == {one.pk, other.pk}
    assert items[one.pk].person == f"account {user.pk}"
    assert items[one.pk].authors == {f"author {author.pk}"}
    assert items[other.pk].person == f"guest {hash_secret('ada')}"
    assert items[other.pk].authors == frozenset()
    [comparison] = serving.work_of("comparison", [one.pk])
    assert comparison.authors == {f"author {author.pk}"}
    hint = Hint.objects.create(table=one, n=0, seat=0, bot="house:greedy")
    [work] = serving.work_of("hint", [hint.pk])
    assert (work.person, work.authors) == (f"account {user.pk}", frozenset())


@pytest.mark.django_db
def test_a_table_leaves_its_thread_after_its_slice(bots: Bots, monkeypatch: Any) -> None:
    monkeypatch.setattr(host, "SLICE_SECONDS", -1.0)
    table = new_table("cassino/standard/2v2?deals=1")
    moves.play_move(table, guest(), 0, match_cache.position_of(table).legal_moves()[0])
    [work] = serving.work_of("table", [table.pk])
    assert serving.do_work(work), "no bot is to move"
    table.refresh_from_db()
    assert (table.moves, table.worker, table.lease_until) == (2, "", None)
    assert serving.do_work(work)
    assert not serving.do_work(work)
    table.refresh_from_db()
    assert (table.moves, table.bots_turn) == (4, False)
    assert len(bots.seats) == 3, "the bots did not stay seated"


@pytest.mark.django_db
def test_many_opinions_for_one_person_do_not_delay_others(
    pool: WorkPool, blocking_work: BlockingWork
) -> None:
    ada, bob = account(make.user("ada")), account(make.user("bob"))
    keys = [_opinion(number, ada) for number in range(6)]
    other_key = _opinion(6, bob)
    pool.submit(serving.work_of("opinion", [*keys, other_key]))
    assert blocking_work.wait(2) == [keys[0], other_key]
    blocking_work.release(*keys, other_key)


@pytest.mark.django_db
def test_sessions_of_an_address_count_as_one_person() -> None:
    address_a, address_b = "192.0.2.1", "192.0.2.2"
    keys = [
        _opinion(number, Person(guest=secret, address=address))
        for number, (secret, address) in enumerate(
            [("a", address_a), ("b", address_a), ("c", address_b)]
        )
    ]
    one, same, other = (work.person for work in serving.work_of("opinion", keys))
    assert one == same != other
    assert address_a not in one


def _opinion(number: int, person: Person) -> int:
    question = Question(0, 0, 0, f"{number}", {}, [], [])
    return opinions.request_opinion("0" * 64, question, person).pk
