"""Cores are assigned in turn and released."""

from __future__ import annotations

import os
import threading

import pytest

from bots.sandbox import pick_cpu, pin, unpin


def test_cores_are_assigned_in_turn() -> None:
    first = pick_cpu(0)
    if first is None:
        pytest.skip("no pinning on this system")
    dealt = [pick_cpu(index) for index in range(64)]
    size = len(set(dealt))
    assert dealt[:size] * 2 == dealt[: 2 * size]


def test_pinning_affects_only_the_calling_thread() -> None:
    cpu = pick_cpu(0)
    if cpu is None:
        pytest.skip("no pinning on this system")
    affinity = os.sched_getaffinity(0)
    affinities: list[set[int]] = []

    def work() -> None:
        pin(None)
        affinities.append(os.sched_getaffinity(0))
        pin(cpu)
        affinities.append(os.sched_getaffinity(0))
        unpin()
        affinities.append(os.sched_getaffinity(0))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert affinities == [affinity, {cpu}, affinity]
    assert os.sched_getaffinity(0) == affinity
