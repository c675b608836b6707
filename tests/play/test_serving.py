"""The threads of a host: who gets one, what becomes of work when a host ends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from cardroom_tables import host, match_cache, serving
from cardroom_tables.actions import moves, opinions
from cardroom_tables.guests import Person, hash_secret
from cardroom_tables.models import Hint
from cardroom_tables.serving import WorkPool
from cardroom_tables.turns import Work
from engine.search.analysis import Question
from tests import factories as make
from tests.play.hall import SHORT, Bots, account, guest, table
from tests.servers import wait_for

PATIENCE = 20.0


class Doing:
    """Work that lasts until it is let go."""

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
        """The numbers of the work that has been begun, once it is so much."""
        with self._change:
            assert self._change.wait_for(lambda: len(self.begun) >= count, PATIENCE), self.begun
            return sorted(self.begun)

    def end(self, *keys: int) -> None:
        """Let these go."""
        for key in keys:
            self.gates.setdefault(key, threading.Event()).set()


@pytest.fixture
def doing() -> Doing:
    return Doing()


@pytest.fixture
def pool(doing: Doing) -> Iterator[WorkPool]:
    made = WorkPool(4, doing)
    yield made
    doing.end(*range(20))
    made.stop()


def sleeper(key: int, person: str = "eve") -> Work:
    return Work("table", key, person, frozenset({"mallory"}))


def test_sleepers_leave_a_thread_to_others(pool: WorkPool, doing: Doing) -> None:
    pool.submit([sleeper(number) for number in range(5)])
    assert doing.wait(2) == [0, 1]
    pool.submit([Work("table", 9, "ada")])
    assert doing.wait(3) == [0, 1, 9]
    doing.end(0)
    assert doing.wait(4) == [0, 1, 2, 9]
    assert [work.key for work in pool.unstarted()] == [3, 4]


def test_a_pool_that_stops_says_what_is_left(doing: Doing) -> None:
    pool = WorkPool(2, doing)
    pool.submit([sleeper(0), sleeper(1)])
    doing.wait(1)
    stopping = threading.Thread(target=pool.stop)
    stopping.start()
    wait_for(lambda: pool._stopped, "It does not stop", PATIENCE)
    doing.end(0)
    stopping.join(PATIENCE)
    assert not stopping.is_alive()
    pool.submit([sleeper(2, "bob")])
    assert [work.key for work in pool.unstarted()] == [1, 2]
    assert doing.begun == [0]


def test_work_that_fails_does_not_end_its_thread() -> None:
    done = threading.Event()

    def do(work: Work) -> bool:
        if work.key == 0:
            raise RuntimeError("a mistake of ours")
        done.set()
        return False

    pool = WorkPool(1, do)
    pool.submit([Work("table", 0, "ada"), Work("table", 1, "ada")])
    assert done.wait(PATIENCE)
    pool.stop()


@pytest.mark.django_db
def test_who_waits_and_whose_bots_are_asked(settings: Any) -> None:
    user, author = make.user("ada"), make.user("mallory")
    version = make.version(make.bot(author))
    one, other = table(SHORT, account(user)), table("cassino/standard/2v2?deals=1", guest())
    one.seats.filter(index=1).update(bot=version.bot.name, version=version)
    found = {work.key: work for work in serving.work_of("table", [one.pk, other.pk, 12345])}
    assert set(found) == {one.pk, other.pk}
    assert found[one.pk].person == f"account {user.pk}"
    assert found[one.pk].authors == {f"author {author.pk}"}
    assert found[other.pk].person == f"guest {hash_secret('ada')}"
    assert found[other.pk].authors == frozenset()
    [compared] = serving.work_of("comparison", [one.pk])
    assert compared.authors == {f"author {author.pk}"}
    hint = Hint.objects.create(table=one, n=0, seat=0, bot="house:greedy")
    [work] = serving.work_of("hint", [hint.pk])
    assert (work.person, work.authors) == (f"account {user.pk}", frozenset())


@pytest.mark.django_db
def test_a_table_leaves_its_thread_after_its_slice(bots: Bots, monkeypatch: Any) -> None:
    monkeypatch.setattr(host, "SLICE_SECONDS", -1.0)
    made = table("cassino/standard/2v2?deals=1")
    moves.play_move(made, guest(), 0, match_cache.position_of(made).legal_moves()[0])
    [work] = serving.work_of("table", [made.pk])
    assert serving.do_work(work), "two more bots are to move"
    made.refresh_from_db()
    assert (made.moves, made.worker, made.lease_until) == (2, "", None)
    assert serving.do_work(work)
    assert not serving.do_work(work)
    made.refresh_from_db()
    assert (made.moves, made.bots_turn) == (4, False)
    assert len(bots.seats) == 3, "the bots stay seated meanwhile"


@pytest.mark.django_db
def test_whoever_asks_the_expert_for_much_holds_nobody_up(pool: WorkPool, doing: Doing) -> None:
    ada, bob = account(make.user("ada")), account(make.user("bob"))
    asked = [_opinion(number, ada) for number in range(6)]
    last = _opinion(6, bob)
    pool.submit(serving.work_of("opinion", [*asked, last]))
    assert doing.wait(2) == [asked[0], last]
    doing.end(*asked, last)


@pytest.mark.django_db
def test_the_sessions_of_an_address_are_one_asker() -> None:
    here, there = "192.0.2.1", "192.0.2.2"
    keys = [
        _opinion(number, Person(guest=secret, address=address))
        for number, (secret, address) in enumerate([("a", here), ("b", here), ("c", there)])
    ]
    one, same, other = (work.person for work in serving.work_of("opinion", keys))
    assert one == same != other
    assert here not in one


def _opinion(number: int, person: Person) -> int:
    question = Question(0, 0, 0, f"{number}", {}, [], [])
    return opinions.request_opinion("0" * 64, question, person).pk
