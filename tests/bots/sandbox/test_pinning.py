"""Cores are dealt out in turn, taken and given back."""

from __future__ import annotations

import os
import threading

import pytest

from bots.sandbox import pick_cpu, pin, unpin


def test_cores_are_dealt_out_in_turn() -> None:
    first = pick_cpu(0)
    if first is None:
        pytest.skip("no pinning on this system")
    dealt = [pick_cpu(index) for index in range(64)]
    size = len(set(dealt))
    assert dealt[:size] * 2 == dealt[: 2 * size]


def test_pinning_holds_for_the_calling_thread_only() -> None:
    cpu = pick_cpu(0)
    if cpu is None:
        pytest.skip("no pinning on this system")
    before = os.sched_getaffinity(0)
    seen: list[set[int]] = []

    def work() -> None:
        pin(None)
        seen.append(os.sched_getaffinity(0))
        pin(cpu)
        seen.append(os.sched_getaffinity(0))
        unpin()
        seen.append(os.sched_getaffinity(0))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before, {cpu}, before]
    assert os.sched_getaffinity(0) == before
