"""Draining: told in one process, seen in those that it forked."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from cardroom_base.core import drain

LONG = 1000.0
"""Seconds that no test waits."""


@pytest.fixture(autouse=True)
def at_work() -> Iterator[None]:
    drain.resume()
    yield
    drain.resume()


def test_who_is_not_told_goes_on() -> None:
    assert not drain.draining()
    assert not drain.is_time_up()
    drain.stop_if_time_is_up()


def test_first_no_more_work_is_taken_then_all_is_given_back() -> None:
    drain.begin(LONG)
    assert drain.draining()
    assert not drain.is_time_up()
    drain.stop_if_time_is_up()
    drain.begin(0)
    assert drain.is_time_up()
    with pytest.raises(drain.Stopped, match="given back"):
        drain.stop_if_time_is_up()


def test_told_again_it_does_not_take_longer() -> None:
    drain.begin(0)
    drain.begin(LONG)
    assert drain.is_time_up()


def test_it_can_be_taken_back() -> None:
    drain.begin(0)
    drain.resume()
    assert not drain.draining()
    drain.stop_if_time_is_up()


def test_a_stop_cannot_be_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drain, "_deadlines", memoryview(bytearray(16)).cast("d"))
    drain.begin(0)
    assert not drain.stopping()
    drain.begin(LONG, stops=True)
    drain.resume()
    assert (drain.stopping(), drain.draining(), drain.is_time_up()) == (True, True, False)
    drain.begin(0, stops=True)
    assert drain.is_time_up()


def test_nothing_takes_it_for_a_failure() -> None:
    assert not issubclass(drain.Stopped, Exception)


def test_a_forked_process_sees_it() -> None:
    child = os.fork()
    if not child:
        os._exit(0 if drain.sleep(LONG) else 1)
    drain.begin(LONG)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_rest_ends_by_itself() -> None:
    before = time.monotonic()
    assert not drain.sleep(0.01)
    assert time.monotonic() >= before + 0.01


def test_who_is_told_already_does_not_rest() -> None:
    drain.begin(LONG)
    assert drain.sleep(LONG)
