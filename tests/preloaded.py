"""Starts Python programs as copies of a process that has imported a site's libraries.

Importing them takes more than half of the processor time of most commands.
"""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Final

from cardroom.processes import adopt_orphans

_ORIGINAL: Final = Path(__file__).with_name("preloading.py")


class PreloadedProcess(subprocess.Popen[Any]):
    """`subprocess.Popen`, but a Python program begins with the libraries imported.

    It runs in the network namespace `network`, if that is given. With `preexec_fn` it dies with its
    parent. Programs that need another interpreter, command or preloaded library start as usual.
    """

    def __init__(self, command: Sequence[str], *, network: Path | None = None, **options: Any):
        self._network = network
        super().__init__(command, **options)

    def _execute_child(self, args: Any, *options: Any) -> None:
        _, preexec_fn, _, _, folder, variables, *_ = options
        environment = dict(os.environ if variables is None else variables)
        if not _is_copyable(args, environment):
            # `ip netns exec` would hide the control groups.
            prefix = ["nsenter", f"--net={self._network}"] if self._network else []
            super()._execute_child([*prefix, *args], *options)  # type: ignore[misc]  # the stubs lack it
            return
        request = {
            "arguments": list(args),
            "environment": environment,
            "folder": str(folder or Path.cwd()),
            "network": str(self._network or ""),
            "parent": os.getpid(),
            "dies_with_parent": preexec_fn is not None,
            "new_session": options[-2],
        }
        pipe_ends = options[9:15]
        stdin, _, _, stdout, _, stderr = pipe_ends
        files = [own if end == -1 else end for own, end in enumerate((stdin, stdout, stderr))]
        self.pid = _original().copy(request, files)
        self._child_created = True
        self._close_pipe_fds(*pipe_ends)  # type: ignore[attr-defined]  # as above


def run(command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """`subprocess.run` of a Python program, with its output as text."""
    pipe = subprocess.PIPE
    with PreloadedProcess(command, stdout=pipe, stderr=pipe, text=True, **options) as process:
        output, errors = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def original_process() -> set[int]:
    """The id of the process that is copied, if there is one."""
    return {_original().pid} if _original.cache_info().currsize else set()


def _is_copyable(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    return (
        sys.platform == "linux"
        and command[0] == sys.executable
        and (command[1] in ("-m", "-c") or command[1].endswith(".py"))
        and "LD_PRELOAD" not in environment
    )


@cache
def _original() -> _Original:
    return _Original()


class _Original:
    """The process that is copied. It ends with this process."""

    def __init__(self) -> None:
        self._connection, other_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = Lock()
        with other_end:
            process = subprocess.Popen(
                [sys.executable, str(_ORIGINAL), str(other_end.fileno())],
                env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[other_end.fileno()],
            )
        self.pid = process.pid
        atexit.register(process.wait)
        atexit.register(self._connection.close)

    def copy(self, request: Mapping[str, Any], files: Sequence[int]) -> int:
        """Start a program; return its process id."""
        adopt_orphans()
        with self._lock:
            socket.send_fds(self._connection, [json.dumps(request).encode()], files)
            return int(self._connection.recv(20))
