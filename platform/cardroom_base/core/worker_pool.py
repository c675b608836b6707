"""A pool of worker processes that Ctrl-C does not reach and that end with the main process.

A terminal sends Ctrl-C to all processes, but only the main process may react, by ending the others.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

P = ParamSpec("P")
T = TypeVar("T")


class WorkerPool(ProcessPoolExecutor):
    """Spawned processes; an error inside `with` kills them instead of waiting for their work.

    Spawned, not forked: a fork of a process with threads could deadlock.
    """

    def __init__(
        self, processes: int, set_up: Callable[..., object] | None = None, *values: Any
    ) -> None:
        """`set_up`, if given, is called with the values in each process."""
        self._earlier_children = set(multiprocessing.active_children())
        context = multiprocessing.get_context("spawn")
        super().__init__(processes, context, _begin, (set_up, *values))

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a process call the function."""
        with _interrupts_blocked():  # the call may start processes
            future = super().submit(fn, *args, **kwargs)
        # Older versions of Python may overlook this future if the pool breaks meanwhile.
        if self._broken:
            raise BrokenProcessPool
        return future

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait for running calls, except after an error or Ctrl-C; drop all others."""
        try:
            if kind is None:
                self.shutdown(cancel_futures=True)
        except BaseException:
            self.kill()
            raise
        if kind is not None:
            self.kill()

    def kill(self) -> None:
        """End the processes without waiting for their calls."""
        for process in set(multiprocessing.active_children()) - self._earlier_children:
            process.kill()
        self.shutdown(cancel_futures=True)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C in processes started meanwhile, until they ignore it themselves."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _begin(set_up: Callable[..., object] | None, *values: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if parent := multiprocessing.parent_process():
        threading.Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()
    if set_up is not None:
        set_up(*values)


def _exit_with_parent(parent: BaseProcess) -> None:
    """End this process when its parent has ended, for whatever reason."""
    parent.join()
    os._exit(1)
