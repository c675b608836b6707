"""Beat ends on SIGTERM, even if its exception is lost."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator

import pytest
from celery.apps.beat import Beat
from celery.beat import Scheduler

from cardroom.celery import app

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
