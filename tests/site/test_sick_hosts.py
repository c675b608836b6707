"""A tournament on a healthy and an ill machine.

Real bots play in real sandboxes. The machines take turns in this process, each with its own
bubblewrap. Pauses end before the next turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.conf import settings

from bots import actions, package_store
from bots import tasks as bot_tasks
from bots.models import WorkerNode
from bots.sandbox import Sandbox, detect
from bots.workers import health
from cardroom_base.core import drain
from tests import factories as make
from tests.breakable_bubblewrap import BreakableBubblewrap, breakable_bubblewrap
from tournaments import worker
from tournaments.models import Attempt, Match, Tournament

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sandbox]

TURNS = 60


class HostedWorker:
    """A worker process on its own machine."""

    def __init__(self, name: str, stack: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
        self.worker = f"worker@{name}/1"
        self.health = health.of_process(self.worker)
        self.bwrap: BreakableBubblewrap = stack.enter_context(breakable_bubblewrap())
        self._stack, self._patch = stack, monkeypatch
        self._sandbox: Sandbox | None = None

    def turn(self) -> int:
        """Play briefly, as the task does; the number of results."""
        with self._patch.context() as patch:
            patch.setenv("PATH", self.bwrap.path)
            if self._sandbox is None:
                trusted = detect().level == "none"
                self._sandbox = self._stack.enter_context(Sandbox(trusted=trusted))
            results = worker.play_batch(self.worker, self._sandbox)
            turns = iter((False,))
            patch.setattr(drain, "sleep", lambda _: next(turns, True))
            self.health.wait_until_ready()
            return results

    def is_ill(self) -> bool:
        return self.health.ill

    def attempts(self, outcome: str) -> int:
        return Attempt.objects.filter(worker=self.worker, outcome=outcome).count()


@pytest.fixture
def hosts(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[list[HostedWorker]]:
    monkeypatch.setattr(settings, "PACKAGE_CACHE", tmp_path)
    monkeypatch.setattr(worker, "BATCH_SECONDS", 0.02)  # one claim a turn
    package_store.forget()
    for name in ("one", "two"):
        make.worker(f"worker@{name}")
    with ExitStack() as stack:
        yield [HostedWorker(name, stack, monkeypatch) for name in ("one", "two")]


@pytest.fixture
def cup() -> Tournament:
    """Twelve matches of users' bots."""
    return make.tournament(4, start=True)


def play_on(cup: Tournament, *hosts: HostedWorker, results: int = 10_000) -> None:
    """Let the hosts take turns until this number of results, or to the end."""
    for _ in range(TURNS):
        for host in hosts:
            make.end_retry_delays()
            host.turn()
        make.housekeep()
        cup.refresh_from_db()
        finished = Match.objects.filter(state="finished", deal_group__retired=None).count()
        if cup.state == "finished" or finished >= results:
            return
    pytest.fail(
        f"The tournament does not end: {list(Match.objects.values_list('state', 'failures'))}"
    )


def test_a_host_that_is_ill_from_the_start_claims_nothing(
    hosts: list[HostedWorker], cup: Tournament
) -> None:
    sick, well = hosts
    sick.bwrap.set_state("broken")
    play_on(cup, sick, well)
    assert not Attempt.objects.filter(worker=sick.worker).exists()
    assert well.attempts("stored") == 12


def test_a_host_that_falls_ill_pauses_and_recovers(
    hosts: list[HostedWorker], cup: Tournament
) -> None:
    sick, well = hosts
    play_on(cup, sick, well, results=3)
    sick.bwrap.set_state("broken")
    before = sick.attempts("stored")
    play_on(cup, sick, well, results=6)
    assert sick.is_ill()
    assert sick.attempts("stored") == before
    assert Attempt.objects.filter(outcome="failed", cause__contains="No space left").count() == 1
    sick.bwrap.set_state("working")
    play_on(cup, sick, well)
    assert not sick.is_ill()
    assert sick.attempts("stored") > before
    assert not Match.objects.filter(state="stuck").exists()


def test_a_host_that_fails_half_of_the_time_makes_nothing_stuck(
    hosts: list[HostedWorker], cup: Tournament
) -> None:
    sick, well = hosts
    sick.bwrap.set_state("flaky")
    play_on(cup, sick, well)
    assert not Match.objects.filter(state="stuck").exists()


def test_a_host_that_fails_all_matches_makes_nothing_stuck(
    hosts: list[HostedWorker], cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    sick, well = hosts
    load_assignments = worker.load_assignments

    def load_or_fail(attempts: Any) -> Any:
        if attempts[0].worker == sick.worker:
            raise ImportError("No module named 'zlib'")
        return load_assignments(attempts)

    monkeypatch.setattr(worker, "load_assignments", load_or_fail)
    play_on(cup, sick, well)
    assert not Match.objects.filter(state="stuck").exists()
    assert sick.attempts("stored") == 0
    assert sick.health.takes_one_at_a_time


def test_matches_wait_while_all_hosts_are_ill(hosts: list[HostedWorker], cup: Tournament) -> None:
    for host in hosts:
        host.turn()
        host.bwrap.set_state("broken")
    for _ in range(3 * settings.MAX_ATTEMPTS):
        make.end_retry_delays()
        for host in hosts:
            host.turn()
    assert all(host.is_ill() for host in hosts)
    assert not Match.objects.filter(state="stuck").exists()
    for host in hosts:
        host.bwrap.set_state("working")
    play_on(cup, *hosts)


def test_bots_are_not_blamed_on_a_host_where_the_test_fails(
    hosts: list[HostedWorker], cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    sick, _ = hosts
    sick.turn()
    last = Attempt.objects.latest("pk")
    crash = make.outcome(cup.matches.latest("pk"), faults=[(0, "start"), (1, "start")])
    with monkeypatch.context() as patch:
        patch.setattr(worker, "play_match", lambda *_, **__: crash)
        patch.setattr(sick.health, "_test", lambda *_, **__: "A test match went wrong.")
        sick.turn()
    assert sick.is_ill()
    assert not Attempt.objects.filter(outcome="stored", pk__gt=last.pk).exists()
    assert not Match.objects.filter(faulted=True).exists()


def test_a_sick_host_does_not_fail_a_check(
    hosts: list[HostedWorker], monkeypatch: pytest.MonkeyPatch
) -> None:
    version = actions.queue_version(make.bot(), make.package("new"), "")
    sick, well = hosts
    monkeypatch.setenv("PATH", sick.bwrap.path)
    assert detect().level == "full"
    sick.bwrap.set_state("broken")
    WorkerNode.objects.all().delete()  # no other worker
    for _ in range(2 * settings.MAX_ATTEMPTS):
        check = actions.begin_check(version.pk, "worker@one")
        assert check is not None
        assert bot_tasks.run_check(check, sick.health) == "released"
    assert sick.is_ill()
    monkeypatch.setenv("PATH", well.bwrap.path)
    check = actions.begin_check(version.pk, "worker@two")
    assert check is not None
    assert bot_tasks.run_check(check, well.health) == "ready"
