"""A machine that stands still in the middle of a match: no bot loses by it, in no order of thaw."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from bots.sandbox import detect

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(detect().level == "none", reason="no sandbox can be had here"),
]

# A bot that needs half a second to start and 20 ms a move, and a clock of 300 ms without a bank:
# a pause of two seconds that is charged to it is a fault, or shows in the times of the record.
REFEREE = """
import json, sys
from bots.referee.clock import ClockSettings
from bots.referee import live_seat
from bots.referee.outcome import Player
from bots.referee.referee import play_match
from bots.sandbox import Program, Sandbox
from engine import Format

live_seat.START_MS = 1_500
SLOW = b'''
import time
time.sleep(0.5)
def choose(view, legal):
    time.sleep(0.02)
    return legal[0]
'''
players = [Player(name, Program({"bot.py": SLOW})) for name in "ab"]
with Sandbox() as sandbox:
    print("opened", flush=True)
    for number in range(int(sys.argv[1])):
        outcome = play_match(
            Format.parse("cassino/standard/1v1?deals=1"), "s", players, sandbox=sandbox,
            clock=ClockSettings(move_ms=300, bank_ms=0),
        )
        print(json.dumps({
            "faults": [fault.as_json("fallback") for fault in outcome.faults],
            "slowest": max(outcome.record.clock_ms, default=0),
        }), flush=True)
"""
PAUSE_S = 1.8
MOMENTS_S = (0.3, 1.3)
MATCHES = 2


def children(pid: int) -> list[int]:
    """All processes below one, the nearest first."""
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                found += [child, *children(child)]
    return found


def is_bot(pid: int) -> bool:
    """Whether a process is a runner that has taken its bot: who has no child there."""
    return not children(pid)


Choose = Callable[[int], Sequence[int]]
WHO: dict[str, Choose] = {
    "referee": lambda referee: [referee],
    "bots": lambda referee: [pid for pid in children(referee) if is_bot(pid)],
    "sandboxes": lambda referee: [pid for pid in children(referee) if not is_bot(pid)],
    "everybody": lambda referee: [referee, *children(referee)],
}


@pytest.fixture
def referee() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", REFEREE, str(MATCHES)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"CARDROOM_COMPILE": "0"},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "opened\n"
        yield process
        for pid in [process.pid, *children(process.pid)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        process.kill()


CASES = [("referee", 1), ("bots", 1), ("sandboxes", 1), ("everybody", 1), ("everybody", -1)]


@pytest.mark.parametrize(("who", "order"), CASES)
def test_a_pause_is_never_a_bots_fault(
    referee: subprocess.Popen[str], who: str, order: int
) -> None:
    """Stopped in the middle of a start, then in the middle of moves; thawed one after another."""
    for moment_s in MOMENTS_S:
        time.sleep(moment_s)
        pids = WHO[who](referee.pid)[::order]
        tell(pids, signal.SIGSTOP)
        time.sleep(PAUSE_S)
        tell(pids, signal.SIGCONT, between_s=0.1)
    expect_no_fault(referee)


@pytest.mark.parametrize("whom", ["everybody", "bots"])
def test_a_frozen_control_group_is_never_a_bots_fault(
    referee: subprocess.Popen[str], group: Path, whom: str
) -> None:
    for moment_s in MOMENTS_S:
        time.sleep(moment_s)
        for pid in WHO[whom](referee.pid):
            with suppress(OSError):  # gone meanwhile
                (group / "cgroup.procs").write_text(str(pid))
        (group / "cgroup.freeze").write_text("1")
        time.sleep(PAUSE_S)
        (group / "cgroup.freeze").write_text("0")
    expect_no_fault(referee)


@pytest.fixture
def group() -> Iterator[Path]:
    """A control group of version 2, which can be frozen."""
    for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        made = Path(root, f"cardroom-pause-{os.getpid()}")
        if not Path(root, "cgroup.procs").exists():
            continue
        with suppress(OSError):
            made.mkdir()
            yield made
            (made / "cgroup.freeze").write_text("0")
            for pid in (made / "cgroup.procs").read_text().split():
                (made.parent / "cgroup.procs").write_text(pid)
            made.rmdir()
            return
    pytest.skip("no control group of version 2 can be made here")


def tell(pids: Sequence[int], number: signal.Signals, *, between_s: float = 0.0) -> None:
    """Send processes a signal, some time between each and the next."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
        time.sleep(between_s)


def expect_no_fault(referee: subprocess.Popen[str]) -> None:
    """All matches were played, without a fault, and no move's time has a pause in it."""
    assert referee.stdout is not None
    told = [json.loads(line) for line in referee.stdout]
    assert len(told) == MATCHES, "the referee itself failed"
    assert [match["faults"] for match in told] == [[]] * MATCHES
    assert max(match["slowest"] for match in told) < PAUSE_S * 1000 / 4
