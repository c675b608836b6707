"""Measure whether the number of a program's new pipe reveals how many pipes others have created.

A test program creates a pipe and reports its inode number. It reveals nothing if it is the number
of a pipe that this process created before the program started (`bots.sandbox.pipes`).
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from bots.sandbox import bubblewrap, process
from bots.sandbox.bot_process import BotProcess
from bots.sandbox.model import Limits, Program, SandboxUnavailable, SeatError
from bots.sandbox.rootfs import PYTHON

# Python bots cannot create pipes. This program needs no other root than they do.
_PROGRAM: Final = Program(
    {"program.py": b"import os\nprint(os.fstat(os.pipe()[0]).st_ino, flush=True)\n"},
    (PYTHON, *bubblewrap.PYTHON_FLAGS, "program.py"),
)
_PTRACE_SCOPE: Final = Path("/proc/sys/kernel/yama/ptrace_scope")
_NO_PTRACE: Final = "3\n"


def reveal_count(limits: Limits) -> bool:
    """Whether the kernel creates and numbers a program's pipes. Raises SandboxUnavailable."""
    with ExitStack() as stack:
        runner = process.start(limits, gives_pipes=True)
        given_numbers = runner.pipe_giver.inode_numbers() if runner.pipe_giver else set()
        load = process.load_message(_PROGRAM, limits, None)
        seat = BotProcess(runner, limits, load, "pipes")
        stack.callback(seat.close, grace_s=0.0)
        try:
            return int(seat.receive(limits.start_ms / 1000)) not in given_numbers
        except (SeatError, ValueError) as error:
            log = seat.stderr().decode(errors="replace").strip()
            raise SandboxUnavailable(f"A test program got no pipe. {log}".strip()) from error


def remedy() -> str:
    """How to allow this process to write to programs' memory."""
    if _PTRACE_SCOPE.is_file() and _PTRACE_SCOPE.read_text() == _NO_PTRACE:
        return "Set kernel.yama.ptrace_scope to 2 or less, and restart the machine."
    if os.geteuid() == 0:
        return (
            "Run the service as an ordinary user, or grant it CAP_SYS_PTRACE: in a systemd unit by "
            "CapabilityBoundingSet=, in a container by --cap-add SYS_PTRACE."
        )
    return "Allow the service to trace processes of its own user (ptrace)."
