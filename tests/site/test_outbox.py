"""cardroom_base.db.outbox: written with the work, sent after it, never in anybody's way."""

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
from tournaments.queue.messages import PLAY_TASK


class Broker:
    """Takes messages instead of the real one, or refuses them."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Any]] = []
        self.broken = False

    def send_task(self, task: str, kwargs: Any, **_: Any) -> None:
        if self.broken:
            raise ConnectionError("The broker is gone.")
        self.sent.append((task, kwargs))


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Broker:
    made = Broker()
    monkeypatch.setattr(current_app, "send_task", made.send_task)
    monkeypatch.setattr(outbox, "_broken_until", 0.0)
    return made


@pytest.mark.django_db(transaction=True)
def test_a_message_is_sent_after_the_commit_only(broker: Broker) -> None:
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
def test_a_dead_broker_stops_nobody_and_loses_nothing(broker: Broker) -> None:
    broker.broken = True
    with transaction.atomic():
        outbox.announce("some.task", number=1)
    assert outbox.has_unsent("some.task")
    broker.broken = False
    with transaction.atomic():
        outbox.announce("some.task", number=2)
    assert broker.sent == []  # not tried again so soon: somebody may be waiting
    assert outbox.relay() == 2
    assert [kwargs for _, kwargs in broker.sent] == [{"number": 1}, {"number": 2}]


@pytest.mark.django_db(transaction=True)
def test_only_so_many_are_sent_while_somebody_waits(broker: Broker) -> None:
    with transaction.atomic():
        outbox.announce_many("some.task", [{"number": n} for n in range(outbox.RELAY_LIMIT + 7)])
    assert len(broker.sent) == outbox.RELAY_LIMIT
    assert outbox.relay() == 7


@pytest.mark.django_db
def test_old_messages_are_deleted_once_they_were_sent(broker: Broker) -> None:
    outbox.announce("old.task")
    outbox.relay()
    OutboxMessage.objects.update(sent=timezone.now() - timedelta(days=2))
    outbox.announce("new.task")
    assert outbox.purge() == 1
    assert [message.task for message in OutboxMessage.objects.all()] == ["new.task"]


@pytest.mark.django_db(transaction=True)
def test_a_database_that_fails_is_not_called_the_broker(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def gone(_: object) -> None:
        raise OperationalError("gone")

    OutboxMessage.objects.create(task="some.task")
    monkeypatch.setattr(outbox, "_mark_sent", gone)
    with pytest.raises(OperationalError):
        outbox.relay()
    outbox._relay_quietly()  # after a commit, which has been told as done
    assert "The database cannot be reached: gone" in caplog.text
    assert "broker" not in caplog.text


# --- the sweep ----------------------------------------------------------------------------------


@pytest.fixture
def empty_queues(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    lengths: dict[str, int] = {}
    monkeypatch.setattr(outbox, "queue_length", lambda queue: lengths.get(queue, 0))
    return lengths


@pytest.mark.django_db
def test_where_work_waits_and_the_queue_is_empty_the_sweep_wakes_workers(
    broker: Broker, empty_queues: dict[str, int]
) -> None:
    make.tournament(2, groups=2, start=True)
    outbox.relay()
    broker.sent.clear()  # and lost
    assert tasks.sweep()["woken"] == 4
    assert tasks.sweep()["woken"] == 0  # these have not been sent yet
    outbox.relay()
    assert [task for task, _ in broker.sent] == [PLAY_TASK] * 4
    empty_queues["matches"] = 4
    assert tasks.sweep()["woken"] == 0


@pytest.mark.django_db
def test_the_sweep_wakes_nobody_without_work(broker: Broker, empty_queues: dict[str, int]) -> None:
    make.finish_all(make.tournament(2, start=True))
    outbox.relay()
    assert tasks.sweep()["woken"] == 0


@pytest.mark.django_db
def test_the_sweep_asks_again_for_a_check_that_was_lost(
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
def test_the_sweep_moves_a_tournament_on_whose_last_worker_died(
    broker: Broker, empty_queues: dict[str, int]
) -> None:
    cup = make.tournament(2, start=True)
    for match in cup.matches.all():
        make.finish(match)
    cup.refresh_from_db()
    assert cup.state == "running"  # nobody called `advance`: in tests nothing is committed
    assert tasks.sweep()["advanced"] == 1
    cup.refresh_from_db()
    assert cup.state == "finished"


@pytest.mark.django_db
def test_ratings_that_took_long_rest_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("tournaments.tasks.time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(tasks, "_pause_end", 0.0)

    left = [5]

    def slow() -> int:
        left[0] -= 1
        now[0] += 0.6
        return left[0]

    monkeypatch.setattr(projections, "refresh_next", slow)
    assert tasks.refresh_ratings()
    assert left == [3]  # two turns, more than a second
    now[0] += 10
    assert not tasks.refresh_ratings()
    now[0] += 1
    assert tasks.refresh_ratings()
    assert left == [1]
    now[0] += 11
    assert tasks.refresh_ratings()
    assert left == [0]  # nothing is left: one turn, a short rest
    now[0] += 6
    assert tasks.refresh_ratings()
