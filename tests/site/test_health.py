"""workers.health: whether a worker process is well, with tests that say what they are told to."""

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
BROKEN = "No sandbox can be had."


class Machine:
    """What a test of the machine finds, and how long the process rested between tests."""

    def __init__(self) -> None:
        self.found: Iterator[str] | str = ""
        self.rests: list[float] = []

    def __call__(self, format_: str, *, trusted: bool) -> str:
        del format_, trusted
        return self.found if isinstance(self.found, str) else next(self.found)

    def rest(self, seconds: float) -> bool:
        self.rests.append(seconds)
        return False


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine()
    monkeypatch.setattr(drain, "sleep", made.rest)
    return made


@pytest.fixture
def own(machine: Machine) -> Health:
    make.worker(NODE)
    return Health(f"{NODE}/7", machine)


def failed(work: str, *authors: int, **more: Any) -> Failure:
    return Failure(work, "It broke.", frozenset(authors), **more)


def is_ill(own: Health) -> bool:
    return own.ill


def trouble() -> str:
    return WorkerNode.objects.get(name=NODE).trouble


def test_a_machine_without_a_sandbox_is_ill_at_once_and_says_so(
    own: Health, machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    machine.found = BROKEN
    with caplog.at_level(logging.ERROR):
        assert not own.judge(failed("a", 1))
    assert is_ill(own)
    assert f"{NODE}/7 takes no more work until it is well: {BROKEN}" in caplog.text
    assert trouble() == BROKEN
    make.worker(NODE)  # what the worker tells every minute leaves it
    assert trouble() == BROKEN
    assert isolation_summary.healthy_isolated_workers() == []
    [node] = isolation_summary.ill_workers(isolation_summary.recent_workers())
    assert node.trouble_since is not None


def test_it_rests_longer_each_time_until_it_is_well(own: Health, machine: Machine) -> None:
    machine.found = iter([BROKEN] * 9 + [""])
    assert not own.judge(failed("a"))
    own.wait_until_ready()
    assert machine.rests == [5, 10, 20, 40, 80, 160, 300, 300, 300]
    assert (is_ill(own), own.takes_one_at_a_time, trouble()) == (False, True, "")
    machine.found = iter([BROKEN, ""])
    assert not own.judge(failed("b"))  # it has done nothing since
    machine.rests.clear()
    own.wait_until_ready()
    assert machine.rests == [300]
    own.succeeded()
    assert not own.takes_one_at_a_time
    machine.found = iter([BROKEN, ""])
    own.judge(failed("c"))
    machine.rests.clear()
    own.wait_until_ready()
    assert machine.rests == [5]


def test_work_with_which_machines_fall_ill_counts(own: Health, machine: Machine) -> None:
    """Else a match that brings down one after the other would go round for ever."""
    own.succeeded()
    machine.found = BROKEN
    assert own.judge(failed("a"))
    assert is_ill(own)


def test_one_bad_match_makes_no_machine_ill(own: Health, machine: Machine) -> None:
    assert all(own.judge(failed("a", 1, 2)) for _ in range(20))
    own.wait_until_ready()
    assert not is_ill(own)
    assert machine.rests == [5]


def test_different_matches_in_a_row_show_a_machine_that_is_ill(
    own: Health, machine: Machine
) -> None:
    found = [own.judge(failed(work, *authors)) for work, *authors in (("a", 1, 2), ("b", 3, 4))]
    assert found == [True, False]
    assert not is_ill(own)
    assert not own.judge(failed("c", 1, 4))
    assert is_ill(own)
    assert trouble() == "3 different pieces of work failed in a row; the last: It broke."
    own.wait_until_ready()
    assert machine.rests == [5]
    assert not is_ill(own)
    assert trouble()  # only work that succeeds shows that it is well
    assert own.judge(failed("a", 1, 2))  # this one failed before
    assert not is_ill(own)
    assert not own.judge(failed("d", 5, 6))
    assert is_ill(own)
    own.wait_until_ready()
    assert machine.rests == [5, 10]
    own.succeeded()
    assert trouble() == ""


def test_a_result_in_between_shows_that_it_is_well(own: Health) -> None:
    for number in range(20):
        assert own.judge(failed(f"{number}", number))
        own.succeeded()
    assert not is_ill(own)


def test_an_author_cannot_make_machines_ill(own: Health, machine: Machine) -> None:
    assert all(own.judge(failed(f"{number}", 7, number)) for number in range(20))
    assert not is_ill(own)
    own.wait_until_ready()
    assert machine.rests == [5]


def test_house_bots_are_nobodys_suspects(own: Health) -> None:
    assert [own.judge(failed(work)) for work in "abc"] == [True, False, False]
    assert is_ill(own)


def test_what_failed_elsewhere_says_nothing_of_this_machine(own: Health) -> None:
    assert all(own.judge(failed(work, elsewhere=True)) for work in "abcdef")
    assert not is_ill(own)


def test_the_first_failure_costs_no_pause(own: Health, machine: Machine) -> None:
    for _ in range(7):
        own.judge(failed("a"))
        own.wait_until_ready()
    own.wait_until_ready()
    own.plan_pause()
    own.wait_until_ready()
    assert machine.rests == [0, 1, 2, 3, 4, 5, 5, 0, 5]


def test_a_worker_that_drains_does_not_rest(
    own: Health, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.found = BROKEN
    own.judge(failed("a"))
    monkeypatch.setattr(drain, "sleep", lambda _: True)
    own.wait_until_ready()
    assert is_ill(own)


def test_a_database_that_is_away_hurts_no_one(
    own: Health, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(health, "report_trouble", away)
    monkeypatch.setattr(health, "report_recovery", away)
    machine.found = iter([BROKEN, ""])
    assert not own.judge(failed("a"))
    own.wait_until_ready()
    own.succeeded()
    assert not is_ill(own)


def test_a_worker_nobody_has_heard_of_is_told_of_later(machine: Machine) -> None:
    own = Health("new@here/1", machine)
    machine.found = BROKEN
    own.judge(failed("a"))
    assert not WorkerNode.objects.exists()


def test_each_process_has_its_own() -> None:
    assert health.of_process("a@x/1") is health.of_process("a@x/1")
    assert health.of_process("a@x/1") is not health.of_process("a@x/2")


# --- the test itself ----------------------------------------------------------------------------


@pytest.mark.sandbox
def test_a_machine_that_is_well_plays_its_test() -> None:
    assert health.run_test_match() == ""
    assert health.run_test_match("zwicker/grupp/ffa4", trusted=True) == ""


@pytest.mark.sandbox
def test_a_bubblewrap_that_breaks_later_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with breakable_bubblewrap() as own:
        monkeypatch.setenv("PATH", own.path)
        assert health.run_test_match() == ""
        own.set_state("broken")
        assert (
            "bubblewrap cannot be started: bwrap: No space left on device"
            in health.run_test_match()
        )
        own.set_state("working")
        assert health.run_test_match() == ""


def test_whatever_keeps_the_test_from_being_played_is_its_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ImportError("No module named engine.games.cassino")

    monkeypatch.setattr(health, "play_match", broken)
    assert "ImportError: No module named" in health.run_test_match(trusted=True)
