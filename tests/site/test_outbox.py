"""cardroom_base.db.outbox: messages are stored with the work and sent after the commit."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from celery import current_app
from django.db import OperationalError, transaction
from django.utils import timezone

from cardroom_base.db import outbox
from cardroom_base.models import OutboxMessage
from tests import factories as make
from tournaments import projections, tasks
from tournaments.queue.task_names import PLAY_TASK


class Broker:
    """A fake broker, which takes or refuses messages."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Any]] = []
        self.broken = False

    def send_task(self, task: str, kwargs: Any, **_: Any) -> None:
        if self.broken:
            raise ConnectionError("The broker is gone.")
        self.sent.append((task, kwargs))


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Broker:
    fake = Broker()
    monkeypatch.setattr(current_app, "send_task", fake.send_task)
    monkeypatch.setattr(outbox, "_broken_until", 0.0)
    return fake


@pytest.mark.django_db(transaction=True)
def test_a_message_is_sent_only_after_the_commit(broker: Broker) -> None:
    with transaction.atomic():
        outbox.announce("some.task", version=1)
        assert broker.sent == []
    assert broker.sent == [("some.task", {"version": 1})]
    assert not outbox.has_unsent("some.task")


@pytest.mark.django_db(transaction=True)
def test_work_that_was_rolled_back_is_not_announced(broker: Broker) -> None:
    with transaction.atomic():
        outbox.announce("some.task")
        transaction.set_rollback(True)
    outbox.relay()
    assert broker.sent == []


@pytest.mark.django_db(transaction=True)
def test_a_dead_broker_loses_no_messages(broker: Broker) -> None:
    broker.broken = True
    with transaction.atomic():
        outbox.announce("some.task", number=1)
    assert outbox.has_unsent("some.task")
    broker.broken = False
    with transaction.atomic():
        outbox.announce("some.task", number=2)
    assert broker.sent == []  # no retry yet: a request may be waiting
    assert outbox.relay() == 2
    assert [kwargs for _, kwargs in broker.sent] == [{"number": 1}, {"number": 2}]


@pytest.mark.django_db(transaction=True)
def test_the_number_of_messages_sent_after_a_commit_is_limited(broker: Broker) -> None:
    with transaction.atomic():
        outbox.announce_many("some.task", [{"number": n} for n in range(outbox.RELAY_LIMIT + 7)])
    assert len(broker.sent) == outbox.RELAY_LIMIT
    assert outbox.relay() == 7


@pytest.mark.django_db
def test_old_sent_messages_are_deleted(broker: Broker) -> None:
    outbox.announce("old.task")
    outbox.relay()
    OutboxMessage.objects.update(sent=timezone.now() - timedelta(days=2))
    outbox.announce("new.task")
    assert outbox.purge() == 1
    assert [message.task for message in OutboxMessage.objects.all()] == ["new.task"]


@pytest.mark.django_db(transaction=True)
def test_a_failed_database_is_not_reported_as_the_broker(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: object) -> None:
        raise OperationalError("gone")

    OutboxMessage.objects.create(task="some.task")
    monkeypatch.setattr(outbox, "_mark_sent", fail)
    with pytest.raises(OperationalError):
        outbox.relay()
    outbox._relay_quietly()  # after a successful commit
    assert "The database cannot be reached: gone" in caplog.text
    assert "broker" not in caplog.text


# --- the sweep ----------------------------------------------------------------------------------


@pytest.fixture
def empty_queues(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    lengths: dict[str, int] = {}
    monkeypatch.setattr(outbox, "queue_length", lambda queue: lengths.get(queue, 0))
    return lengths


@pytest.mark.django_db
def test_the_sweep_wakes_workers_if_the_queue_is_empty(
    broker: Broker, empty_queues: dict[str, int]
) -> None:
    make.tournament(2, groups=2, start=True)
    outbox.relay()
    broker.sent.clear()  # the messages are lost
    assert tasks.sweep()["woken"] == 4
    assert tasks.sweep()["woken"] == 0  # four are still unsent
    outbox.relay()
    assert [task for task, _ in broker.sent] == [PLAY_TASK] * 4
    empty_queues["matches"] = 4
    assert tasks.sweep()["woken"] == 0


@pytest.mark.django_db
def test_the_sweep_wakes_no_worker_without_work(
    broker: Broker, empty_queues: dict[str, int]
) -> None:
    make.finish_all(make.tournament(2, start=True))
    outbox.relay()
    assert tasks.sweep()["woken"] == 0


@pytest.mark.django_db
def test_the_sweep_announces_a_lost_check_again(
    broker: Broker, empty_queues: dict[str, int]
) -> None:
    from bots import actions

    version = actions.queue_version(make.bot(), make.package("new"), "")
    outbox.relay()
    broker.sent.clear()
    tasks.sweep()
    outbox.relay()
    assert (actions.CHECK_TASK, {"version": version.pk}) in broker.sent


@pytest.mark.django_db
def test_the_sweep_advances_a_tournament_of_a_dead_worker(
    broker: Broker, empty_queues: dict[str, int]
) -> None:
    cup = make.tournament(2, start=True)
    for match in cup.matches.all():
        make.finish(match)
    cup.refresh_from_db()
    assert cup.state == "running"  # nothing called `advance`, since tests commit nothing
    assert tasks.sweep()["advanced"] == 1
    cup.refresh_from_db()
    assert cup.state == "finished"


@pytest.mark.django_db
def test_slow_ratings_cause_a_longer_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("tournaments.tasks.time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(tasks, "_pause_end", 0.0)

    remaining = [5]

    def slow() -> int:
        remaining[0] -= 1
        now[0] += 0.6
        return remaining[0]

    monkeypatch.setattr(projections, "refresh_next", slow)
    assert tasks.refresh_ratings()
    assert remaining == [3]  # two turns in more than a second
    now[0] += 10
    assert not tasks.refresh_ratings()
    now[0] += 1
    assert tasks.refresh_ratings()
    assert remaining == [1]
    now[0] += 11
    assert tasks.refresh_ratings()
    assert remaining == [0]  # none remains: one turn, a short pause
    now[0] += 6
    assert tasks.refresh_ratings()
