"""Worker processes: Ctrl-C does not reach them; an error or the main process's death ends them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import pytest

from cardroom_base.core.worker_pool import WorkerPool
from tests.sites import eventually


def _interrupt_itself() -> str:
    os.kill(os.getpid(), signal.SIGINT)
    return "unharmed"


def test_workers_ignore_interrupts() -> None:
    """They start in a thread here, like those of `measure`."""
    results: list[str] = []
    with WorkerPool(1) as pool:
        thread = threading.Thread(
            target=lambda: results.append(pool.submit(_interrupt_itself).result())
        )
        thread.start()
        thread.join()
        assert pool.submit(_interrupt_itself).result() == "unharmed"
    assert results == ["unharmed"]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_workers_are_started_with_interrupts_blocked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until they ignore them themselves, which takes as long as their imports."""
    masks = []
    start = multiprocessing.get_context("spawn").Process.start

    def spied_start(process: multiprocessing.Process) -> None:
        masks.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        start(process)

    monkeypatch.setattr(multiprocessing.get_context("spawn").Process, "start", spied_start)
    with WorkerPool(2) as pool:
        assert pool.submit(abs, -1).result() == 1
    assert [signal.SIGINT in mask for mask in masks] == [True] * len(masks)
    assert masks


def _run_until_interrupted() -> None:
    with WorkerPool(1) as pool:
        running = pool.submit(time.sleep, 3_600)
        assert eventually(running.running, 300)
        raise KeyboardInterrupt


def test_an_error_does_not_wait_for_running_calls() -> None:
    children = set(multiprocessing.active_children())
    with pytest.raises(KeyboardInterrupt):
        _run_until_interrupted()
    assert set(multiprocessing.active_children()) == children


def test_a_call_to_a_pool_that_breaks_meanwhile_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_meanwhile(pool: WorkerPool, *_: object) -> Future[None]:
        pool._broken = True
        return Future()

    monkeypatch.setattr(ProcessPoolExecutor, "submit", break_meanwhile)
    with WorkerPool(1) as pool, pytest.raises(BrokenProcessPool):
        pool.submit(abs, -1)


_KILLED_WITH_A_POOL = """
import os, signal
from cardroom_base.core.worker_pool import WorkerPool
with WorkerPool(1) as pool:
    pool.submit(print, "works", flush=True).result()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_workers_end_when_the_main_process_is_killed() -> None:
    """The output ends when no process can write to it."""
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED_WITH_A_POOL], stdout=subprocess.PIPE, timeout=60, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert killed.stdout == b"works\n"
