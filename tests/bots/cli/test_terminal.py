"""Output of commands on a real (pseudo) terminal."""

from __future__ import annotations

import os
import pty
import sys
from pathlib import Path

import pytest

COMMAND = "from tournaments.__main__ import main; main()"
FORMAT = "cassino/standard/1v1?deals=1"


def terminal_output(*arguments: str) -> bytes:
    """The terminal output of `cardroom` with these arguments."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm", COLUMNS="100", LINES="40")
        os.execv(sys.executable, [sys.executable, "-c", COMMAND, *arguments])
    output = b""
    try:
        while part := os.read(terminal, 65_536):
            output += part
    except OSError:  # the command has ended
        pass
    finally:
        os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, output.decode()
    return output


def test_a_progress_bar_moves_the_cursor_and_prints_no_escapes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    bots = ("house:greedy", "house:random")
    output = terminal_output("play", FORMAT, *bots, "--matches", "40", "--inprocess", "--jobs", "1")
    assert b"\x1b[" in output
    assert b"\\x1b" not in output
