"""Draining: requested in one process, noticed in forked ones."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from cardroom_base.core import drain

LONG_S = 1000.0
"""Longer than any test, in seconds."""


@pytest.fixture(autouse=True)
def working() -> Iterator[None]:
    drain.resume()
    yield
    drain.resume()


def test_without_a_request_work_continues() -> None:
    assert not drain.draining()
    assert not drain.is_time_up()
    drain.stop_if_time_is_up()


def test_a_drain_first_takes_no_work_then_gives_work_back() -> None:
    drain.begin(LONG_S)
    assert drain.draining()
    assert not drain.is_time_up()
    drain.stop_if_time_is_up()
    drain.begin(0)
    assert drain.is_time_up()
    with pytest.raises(drain.Stopped, match="given back"):
        drain.stop_if_time_is_up()


def test_a_repeated_request_does_not_extend_the_drain() -> None:
    drain.begin(0)
    drain.begin(LONG_S)
    assert drain.is_time_up()


def test_a_drain_can_be_cancelled() -> None:
    drain.begin(0)
    drain.resume()
    assert not drain.draining()
    drain.stop_if_time_is_up()


def test_a_stop_cannot_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drain, "_deadlines", memoryview(bytearray(16)).cast("d"))
    drain.begin(0)
    assert not drain.stopping()
    drain.begin(LONG_S, stops=True)
    drain.resume()
    assert (drain.stopping(), drain.draining(), drain.is_time_up()) == (True, True, False)
    drain.begin(0, stops=True)
    assert drain.is_time_up()


def test_draining_is_not_caught_as_a_failure() -> None:
    assert not issubclass(drain.Stopped, Exception)


def test_a_forked_process_sees_the_drain() -> None:
    child = os.fork()
    if not child:
        os._exit(0 if drain.sleep(LONG_S) else 1)
    drain.begin(LONG_S)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_rest_ends_by_itself() -> None:
    start = time.monotonic()
    assert not drain.sleep(0.01)
    assert time.monotonic() >= start + 0.01


def test_a_draining_process_does_not_rest() -> None:
    drain.begin(LONG_S)
    assert drain.sleep(LONG_S)
