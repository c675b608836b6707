"""workers.health: illness and recovery of a worker process, with faked test matches."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError

from bots import isolation_summary
from bots.models import WorkerNode
from bots.workers import health
from bots.workers.health import Failure, Health
from cardroom_base.core import drain
from tests import factories as make
from tests.breakable_bubblewrap import breakable_bubblewrap

pytestmark = pytest.mark.django_db

NODE = "worker@here"
BROKEN = "There is no sandbox."


class FakeTestMatch:
    """A fake test match with set results, and the process's pauses."""

    def __init__(self) -> None:
        self.trouble: Iterator[str] | str = ""
        """The result of each test, or of all."""
        self.pauses: list[float] = []

    def __call__(self, format_: str, *, trusted: bool) -> str:
        del format_, trusted
        return self.trouble if isinstance(self.trouble, str) else next(self.trouble)

    def pause(self, seconds: float) -> bool:
        self.pauses.append(seconds)
        return False


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> FakeTestMatch:
    fake = FakeTestMatch()
    monkeypatch.setattr(drain, "sleep", fake.pause)
    return fake


@pytest.fixture
def process_health(machine: FakeTestMatch) -> Health:
    make.worker(NODE)
    return Health(f"{NODE}/7", machine)


def failure(work: str, *authors: int, **fields: Any) -> Failure:
    return Failure(work, "It broke.", frozenset(authors), **fields)


def is_ill(process_health: Health) -> bool:
    return process_health.ill


def trouble() -> str:
    return WorkerNode.objects.get(name=NODE).trouble


def test_a_machine_without_a_sandbox_is_ill_and_reports_it(
    process_health: Health, machine: FakeTestMatch, caplog: pytest.LogCaptureFixture
) -> None:
    machine.trouble = BROKEN
    with caplog.at_level(logging.ERROR):
        assert not process_health.judge(failure("a", 1))
    assert is_ill(process_health)
    assert f"{NODE}/7 takes no more work until it is well: {BROKEN}" in caplog.text
    assert trouble() == BROKEN
    make.worker(NODE)  # the report of each minute does not change it
    assert trouble() == BROKEN
    assert isolation_summary.healthy_isolated_workers() == []
    [node] = isolation_summary.ill_workers(isolation_summary.recent_workers())
    assert node.trouble_since is not None


def test_pauses_grow_until_a_test_succeeds(process_health: Health, machine: FakeTestMatch) -> None:
    machine.trouble = iter([BROKEN] * 9 + [""])
    assert not process_health.judge(failure("a"))
    process_health.wait_until_ready()
    assert machine.pauses == [5, 10, 20, 40, 80, 160, 300, 300, 300]
    state = (is_ill(process_health), process_health.takes_one_at_a_time, trouble())
    assert state == (False, True, "")
    machine.trouble = iter([BROKEN, ""])
    assert not process_health.judge(failure("b"))  # no work succeeded meanwhile
    machine.pauses.clear()
    process_health.wait_until_ready()
    assert machine.pauses == [300]
    process_health.succeeded()
    assert not process_health.takes_one_at_a_time
    machine.trouble = iter([BROKEN, ""])
    process_health.judge(failure("c"))
    machine.pauses.clear()
    process_health.wait_until_ready()
    assert machine.pauses == [5]


def test_a_failure_on_an_ill_machine_counts(process_health: Health, machine: FakeTestMatch) -> None:
    """Otherwise a match that breaks machine after machine would never end."""
    process_health.succeeded()
    machine.trouble = BROKEN
    assert process_health.judge(failure("a"))
    assert is_ill(process_health)


def test_repeated_failures_of_one_match_make_no_machine_ill(
    process_health: Health, machine: FakeTestMatch
) -> None:
    assert all(process_health.judge(failure("a", 1, 2)) for _ in range(20))
    process_health.wait_until_ready()
    assert not is_ill(process_health)
    assert machine.pauses == [5]


def test_failures_of_three_matches_in_a_row_make_a_machine_ill(
    process_health: Health, machine: FakeTestMatch
) -> None:
    verdicts = [
        process_health.judge(failure(work, *authors))
        for work, *authors in (("a", 1, 2), ("b", 3, 4))
    ]
    assert verdicts == [True, False]
    assert not is_ill(process_health)
    assert not process_health.judge(failure("c", 1, 4))
    assert is_ill(process_health)
    assert trouble() == "3 different pieces of work failed in a row; the last: It broke."
    process_health.wait_until_ready()
    assert machine.pauses == [5]
    assert not is_ill(process_health)
    assert trouble()  # only successful work clears it
    assert process_health.judge(failure("a", 1, 2))  # it failed before
    assert not is_ill(process_health)
    assert not process_health.judge(failure("d", 5, 6))
    assert is_ill(process_health)
    process_health.wait_until_ready()
    assert machine.pauses == [5, 10]
    process_health.succeeded()
    assert trouble() == ""


def test_a_success_in_between_keeps_a_machine_well(process_health: Health) -> None:
    for number in range(20):
        assert process_health.judge(failure(f"{number}", number))
        process_health.succeeded()
    assert not is_ill(process_health)


def test_an_author_cannot_make_machines_ill(process_health: Health, machine: FakeTestMatch) -> None:
    assert all(process_health.judge(failure(f"{number}", 7, number)) for number in range(20))
    assert not is_ill(process_health)
    process_health.wait_until_ready()
    assert machine.pauses == [5]


def test_failures_of_house_bots_count_against_the_machine(process_health: Health) -> None:
    assert [process_health.judge(failure(work)) for work in "abc"] == [True, False, False]
    assert is_ill(process_health)


def test_failures_that_happened_elsewhere_do_not_count(process_health: Health) -> None:
    assert all(process_health.judge(failure(work, elsewhere=True)) for work in "abcdef")
    assert not is_ill(process_health)


def test_the_first_failure_causes_no_pause(process_health: Health, machine: FakeTestMatch) -> None:
    for _ in range(7):
        process_health.judge(failure("a"))
        process_health.wait_until_ready()
    process_health.wait_until_ready()
    process_health.plan_pause()
    process_health.wait_until_ready()
    assert machine.pauses == [0, 1, 2, 3, 4, 5, 5, 0, 5]


def test_a_draining_worker_does_not_pause(
    process_health: Health, machine: FakeTestMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.trouble = BROKEN
    process_health.judge(failure("a"))
    monkeypatch.setattr(drain, "sleep", lambda _: True)
    process_health.wait_until_ready()
    assert is_ill(process_health)


def test_health_works_while_the_database_is_unavailable(
    process_health: Health, machine: FakeTestMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(health, "report_trouble", fail)
    monkeypatch.setattr(health, "report_recovery", fail)
    machine.trouble = iter([BROKEN, ""])
    assert not process_health.judge(failure("a"))
    process_health.wait_until_ready()
    process_health.succeeded()
    assert not is_ill(process_health)


def test_trouble_of_an_unreported_worker_is_not_stored(machine: FakeTestMatch) -> None:
    process_health = Health("new@here/1", machine)
    machine.trouble = BROKEN
    process_health.judge(failure("a"))
    assert not WorkerNode.objects.exists()


def test_each_process_has_its_own_health() -> None:
    assert health.of_process("a@x/1") is health.of_process("a@x/1")
    assert health.of_process("a@x/1") is not health.of_process("a@x/2")


# --- the test match -----------------------------------------------------------------------------


@pytest.mark.sandbox
def test_a_healthy_machine_plays_the_test_match() -> None:
    assert health.run_test_match() == ""
    assert health.run_test_match("zwicker/grupp/ffa4", trusted=True) == ""


@pytest.mark.sandbox
def test_a_bubblewrap_that_breaks_later_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    with breakable_bubblewrap() as wrapper:
        monkeypatch.setenv("PATH", wrapper.path)
        assert health.run_test_match() == ""
        wrapper.set_state("broken")
        assert (
            "bubblewrap cannot be started: bwrap: No space left on device"
            in health.run_test_match()
        )
        wrapper.set_state("working")
        assert health.run_test_match() == ""


def test_errors_of_the_test_match_are_its_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ImportError("No module named engine.games.cassino")

    monkeypatch.setattr(health, "play_match", broken)
    assert "ImportError: No module named" in health.run_test_match(trusted=True)
