"""Beat ends on SIGTERM, even if its exception is lost, and never fills the broker."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator

import pytest
from celery.apps.beat import Beat
from celery.beat import Scheduler
from celery.schedules import schedule
from celery.utils.imports import symbol_by_name

from cardroom import beat
from cardroom.celery import app
from cardroom_base.db import outbox

TICKS = 3


class LossyScheduler(Scheduler):
    """Receives SIGTERM in its first tick and loses the exception, as a read from Redis may."""

    ticks = 0

    def tick(self, *_: object, **__: object) -> float:
        type(self).ticks += 1
        assert self.ticks < TICKS, "beat has not ended"
        with contextlib.suppress(SystemExit):
            os.kill(os.getpid(), signal.SIGTERM if self.ticks == 1 else 0)
        return 0.001


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_beat_ends_even_if_its_exception_is_lost() -> None:
    LossyScheduler.ticks = 0
    Beat(app=app, scheduler_cls=f"{__name__}:LossyScheduler", quiet=True).start_scheduler()
    assert LossyScheduler.ticks == 1


def test_beat_sends_nothing_while_many_messages_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    waiting = beat.MAX_WAITING + 1
    monkeypatch.setattr(beat, "CHECK_SECONDS", 0.0)
    monkeypatch.setattr(outbox, "queue_length", lambda _queue: waiting)
    monkeypatch.setattr(
        "celery.beat.Scheduler.apply_async", lambda _self, entry, **_: sent.append(entry.name)
    )
    scheduler = beat.Scheduler(app, lazy=True)
    entry = scheduler.Entry(
        name="sweep", task="cardroom.housekeeping.sweep", schedule=schedule(5), app=app
    )
    scheduler.apply_entry(entry)
    assert sent == []
    waiting = beat.MAX_WAITING
    scheduler.apply_entry(entry)
    assert sent == ["sweep"]

    def fail(_queue: str) -> int:
        raise ConnectionError

    monkeypatch.setattr(outbox, "queue_length", fail)
    scheduler.apply_entry(entry)
    assert sent == ["sweep", "sweep"]


def test_the_settings_name_this_scheduler() -> None:
    assert symbol_by_name(app.conf.beat_scheduler) is beat.Scheduler
