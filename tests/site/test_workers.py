"""Workers report their machines from start to end, and can be drained."""

from __future__ import annotations

import io
import platform
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connections
from django.utils import timezone

from bots import actions, isolation_summary, tasks
from bots.models import WorkerNode
from bots.sandbox import Isolation, libraries
from cardroom_base.core import drain
from cardroom_base.models import OutboxMessage
from tests import factories as make
from tournaments.actions import attempts
from tournaments.models import Attempt, Match
from tournaments.queue.waits import site_facts
from tournaments.queue.workers import workers
from tournaments.tasks import play_matches

pytestmark = pytest.mark.django_db

FULL = Isolation("full", ("one", "two"), "Fine.", "a wall")


def consumer(*queues: str) -> Any:
    """A fake of the worker that Celery's signals send."""
    calls: list[Any] = []
    timer = SimpleNamespace(call_repeatedly=lambda *call: calls.append(call), calls=calls)
    consumed = dict.fromkeys(queues)
    amqp = SimpleNamespace(queues=SimpleNamespace(consume_from=consumed))
    pool = SimpleNamespace(num_processes=3)
    return SimpleNamespace(
        hostname="worker@here",
        timer=timer,
        app=SimpleNamespace(amqp=amqp),
        pool=pool,
        cancel_task_queue=consumed.pop,
        add_task_queue=consumed.setdefault,
    )


@pytest.fixture(autouse=True)
def one_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "detect", lambda: FULL)
    monkeypatch.setattr(connections, "close_all", lambda: None)  # the test uses the connection
    monkeypatch.setattr(drain, "_deadlines", memoryview(bytearray(16)).cast("d"))  # not draining


def test_a_worker_reports_from_start_to_end() -> None:
    worker = consumer("matches", "checks")
    tasks._report_start(worker)
    [node] = isolation_summary.recent_workers()
    assert (node.name, node.level, node.memory) == ("worker@here", "full", "a wall")
    assert (node.processes, isolation_summary.process_count()) == (3, 3)
    assert (node.layers, node.reason) == (["one", "two"], "Fine.")
    [(seconds, report, arguments)] = worker.timer.calls
    assert seconds * 2 < isolation_summary.RECENT.total_seconds()
    report(*arguments)
    assert len(isolation_summary.recent_workers()) == 1
    tasks._shut_down(worker)
    assert isolation_summary.recent_workers() == []


def test_a_restarted_worker_is_not_ill() -> None:
    worker = consumer("matches")
    tasks._report_start(worker)
    actions.report_trouble("worker@here", "The disk is full.")
    tasks._report(worker)
    assert [
        node.name for node in isolation_summary.ill_workers(isolation_summary.recent_workers())
    ] == ["worker@here"]
    first = WorkerNode.objects.get().trouble_since
    actions.report_trouble("worker@here", "The disk is still full.")
    node = WorkerNode.objects.get()
    assert (node.trouble, node.trouble_since) == ("The disk is still full.", first)
    tasks._report_start(worker)
    node.refresh_from_db()
    assert (
        isolation_summary.ill_workers(isolation_summary.recent_workers()),
        node.trouble,
        node.trouble_since,
    ) == (
        [],
        "",
        None,
    )


def test_a_housekeeper_reports_no_sandbox() -> None:
    worker = consumer("housekeeping")
    tasks._report_start(worker)
    assert (isolation_summary.recent_workers(), worker.timer.calls) == ([], [])


def test_a_lost_database_ends_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(actions, "report_worker", fail)
    tasks._report(consumer())


def test_silent_workers_are_not_counted_and_later_deleted() -> None:
    for name, age in (("minutes", timedelta(minutes=6)), ("days", timedelta(days=2))):
        actions.report_worker(name, FULL)
        WorkerNode.objects.filter(name=name).update(seen=timezone.now() - age)
    actions.report_worker("now", FULL)
    assert [node.name for node in isolation_summary.recent_workers()] == ["now"]
    assert not WorkerNode.objects.filter(name="days").exists()


def test_workers_with_the_same_sandbox_are_grouped() -> None:
    for name in ("a", "b"):
        actions.report_worker(name, FULL)
    actions.report_worker("c", Isolation("none", (), "Nothing."))
    runtimes = libraries.runtimes()
    assert runtimes["python"] == platform.python_version()
    assert isolation_summary.summary(isolation_summary.recent_workers()) == [
        isolation_summary.WorkerGroup(1, "none", "", (), "interpreted", runtimes),
        isolation_summary.WorkerGroup(2, "full", "a wall", ("one", "two"), "interpreted", runtimes),
    ]


# --- draining -------------------------------------------------------------------------------------


def states() -> dict[str, str]:
    return {worker.node.name: worker.state for worker in workers()}


def test_a_draining_worker_takes_no_messages_until_resumed() -> None:
    worker = consumer("matches", "checks")
    queues = worker.app.amqp.queues.consume_from
    tasks._report_start(worker)
    tasks._poll_drain(worker)
    assert (drain.draining(), set(queues)) == (False, {"matches", "checks"})
    poll, arguments = worker.timer.calls[-1][1:]
    actions.drain_worker("worker@here", "a test")
    poll(*arguments)
    assert (drain.draining(), drain.is_time_up(), set(queues)) == (True, False, set())
    assert play_matches.apply().get() == 0
    assert OutboxMessage.objects.count() == 1  # the wake-up is passed on
    actions.resume_worker("worker@here", "a test")
    poll(*arguments)
    assert (drain.draining(), set(queues)) == (False, {"matches", "checks"})


def test_a_stopping_worker_is_not_resumed() -> None:
    worker = consumer("matches")
    tasks._report_start(worker)
    tasks._end_soon()
    tasks._drain_or_resume(worker, ("matches",))
    assert drain.draining()


def test_a_worker_stopped_during_a_poll_is_not_resumed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stop_meanwhile(*_: object) -> bool:
        tasks._end_soon()  # as a signal handler does
        return False

    monkeypatch.setattr(actions, "is_draining", stop_meanwhile)
    worker = consumer()
    tasks._drain_or_resume(worker, ("matches",))
    assert (drain.draining(), set(worker.app.amqp.queues.consume_from)) == (True, set())


def test_a_failed_poll_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(actions, "is_draining", fail)
    drain.begin(1000)
    tasks._drain_or_resume(consumer(), ("matches",))
    assert drain.draining()


def test_states_of_a_worker() -> None:
    make.worker("a@here", 2)
    assert states() == {"a@here": "idle"}
    make.tournament(2, start=True)
    [attempt] = attempts.claim("a@here/7")
    assert states() == {"a@here": "at work"}
    actions.drain_worker("a@here", "a test")
    assert states() == {"a@here": "draining"}
    attempts.release_attempts([attempt.pk], "Given back.")
    assert states() == {"a@here": "draining"}  # it has not confirmed yet
    make.worker("a@here", 2)
    assert states() == {"a@here": "drained"}
    actions.resume_worker("a@here", "a test")
    WorkerNode.objects.update(trouble="No sandbox.")
    assert states() == {"a@here": "ill"}


def test_drained_workers_are_not_counted() -> None:
    make.worker("a@here", 2)
    make.worker("b@here", 3)
    actions.drain_worker("b@here", "a test")
    drained = [node.name for node in isolation_summary.recent_workers() if node.draining]
    assert (isolation_summary.process_count(), drained) == (2, ["b@here"])
    assert (
        sum(
            group.workers for group in isolation_summary.summary(isolation_summary.recent_workers())
        )
        == 2
    )
    actions.drain_worker("a@here", "a test")
    assert site_facts(1).drained == 2


def test_a_properly_stopped_worker_returns_undrained() -> None:
    make.worker("a@here")
    actions.drain_worker("a@here", "a test")
    make.worker("a@here")
    assert actions.is_draining("a@here")
    actions.forget_worker("a@here")
    make.worker("a@here")
    assert not actions.is_draining("a@here")


def test_a_match_that_is_given_back_waits_and_is_announced() -> None:
    make.tournament(2, start=True)
    [attempt] = attempts.claim("a@here/7")
    Match.objects.filter(pk=attempt.match_id).update(moves_played=9)
    before = OutboxMessage.objects.count()
    attempts.release_attempts([attempt.pk], "Given back.")
    match = Match.objects.get(pk=attempt.match_id)
    assert (match.state, match.failures, match.moves_played) == ("waiting", 0, 0)
    assert Attempt.objects.get().cause == "Given back."
    assert OutboxMessage.objects.count() == before + 1


def run_drain(*arguments: str) -> str:
    output = io.StringIO()
    call_command("drain", *arguments, stdout=output)
    return output.getvalue()


def test_the_command_lists_drains_and_resumes_workers() -> None:
    assert run_drain() == "No worker has been heard from in the last five minutes.\n"
    make.worker("a@here")
    assert run_drain() == "a@here: idle, unfinished work: nothing\n"
    assert run_drain("a@here", "--no-wait") == ""
    make.worker("a@here")  # it confirms by reporting
    assert run_drain("--all") == "a@here: drained, unfinished work: nothing\n"
    assert run_drain("--all", "--resume") == "a@here: will take work again within seconds.\n"
    assert states() == {"a@here": "idle"}
    with pytest.raises(CommandError, match=r"There is no worker b@here. Workers: a@here."):
        run_drain("b@here")
