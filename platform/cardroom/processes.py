"""Processes that must end with the process that started them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import runpy
import signal
import sys
from collections.abc import Mapping, Sequence
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import IO

from setproctitle import setproctitle

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end a supervisor in good order."""
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def die_with_parent(number: signal.Signals = signal.SIGKILL) -> None:
    """Make the kernel send this process a signal when the thread that started it ends (Linux)."""
    _prctl(_PR_SET_PDEATHSIG, number)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent has ended (Linux)."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


class ModuleProcess(ForkProcess):
    """`python -m MODULE` in a copy of this process, which shares the modules imported here.

    It leads its own session, and dies with the thread that started it. It has the methods of
    `subprocess.Popen` that the supervisor uses.
    """

    pid: int

    def __init__(
        self, command: Sequence[str], log: IO[bytes], environment: Mapping[str, str]
    ) -> None:
        """`command`: Python, `-m`, the module and its arguments; `environment`: more variables."""
        super().__init__()
        self._command = command
        self._log = log
        self._environment = environment
        self.start()

    def run(self) -> None:
        os.setsid()
        die_with_parent()
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        with Path(os.devnull).open("rb") as null_device:
            os.dup2(null_device.fileno(), 0)
        for descriptor in (1, 2):
            os.dup2(self._log.fileno(), descriptor)
        sys.stdout = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115 - open to the end
        # Before the environment changes: `setproctitle` fails once the first variable has changed.
        setproctitle(" ".join(self._command))
        os.environ.update(self._environment)
        _, _, module, *arguments = self._command
        sys.argv = [module, *arguments]
        sys.modules.pop(f"{module}.__main__", None)  # runpy warns of a module that it finds there
        runpy.run_module(module, run_name="__main__", alter_sys=True)

    def poll(self) -> int | None:
        return self.exitcode

    def wait(self, timeout: float | None = None) -> int | None:
        self.join(timeout)
        return self.exitcode


def descendants(pid: int) -> list[int]:
    """Descendants of a process, nearest first; empty if there is no /proc."""
    children = _children()
    pids: list[int] = []
    level = [pid]
    while level:
        level = [child for parent in level for child in children.get(parent, ())]
        pids += level
    return pids


def children(pid: int) -> list[int]:
    """The direct children of a process; empty if there is no /proc."""
    return _children().get(pid, [])


def _children() -> dict[int, list[int]]:
    by_parent: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            # The name, in parentheses, may itself contain spaces and parentheses.
            fields = entry.read_text().rpartition(")")[2].split()
            by_parent.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    return by_parent


def reap(own_pids: set[int]) -> None:
    """Reap adopted children that have ended; children in `own_pids` are left to their owners."""
    while True:
        try:
            ended_child = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if ended_child is None or ended_child.si_pid in own_pids:
            return
        with contextlib.suppress(ChildProcessError):
            os.waitpid(ended_child.si_pid, os.WNOHANG)
