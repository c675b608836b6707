"""A machine that is stopped during a match: no bot loses by it, in any order of resumption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from bots.sandbox import detect
from cardroom.processes import children, descendants
from tests.faults.hosts import control_group, freeze_for, is_bot, remove_group

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(detect().level == "none", reason="no sandbox can be had here"),
]

# A bot that needs half a second to start and 20 ms a move, and a clock of 300 ms without a bank:
# a pause of two seconds that is charged to it is a fault, or shows in the times of the record. It
# is longer than the time in which a sandbox must stand, as half a lease is.
REFEREE = """
import json, sys, time
from bots.referee.clock import ClockSettings
from bots.referee import live_seat
from bots.referee.outcome import SeatedBot
from bots.referee.referee import play_match
from bots.sandbox import Limits, Program, Sandbox
from engine import Format

live_seat.START_MS = 1_500
SLOW = b'''
import time
time.sleep(0.5)
def choose(view, legal):
    time.sleep(0.02)
    return legal[0]
'''
players = [SeatedBot(name, Program({"bot.py": SLOW})) for name in "ab"]
with Sandbox(Limits(start_ms=1_500), warm=int(sys.argv[2])) as sandbox:
    while sandbox.waiting() < int(sys.argv[2]):
        time.sleep(0.01)
    print("opened", flush=True)
    sys.stdin.readline()
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


def descendants_at(pid: int, steps: int) -> list[int]:
    """The processes that are `steps` generations below one."""
    pids = [pid]
    for _ in range(steps):
        pids = [child for parent in pids for child in children(parent)]
    return pids


Choose = Callable[[int], Sequence[int]]
TARGETS: dict[str, Choose] = {
    "referee": lambda referee: [referee],
    "bots": lambda referee: [pid for pid in descendants(referee) if is_bot(pid)],
    "sandboxes": lambda referee: [pid for pid in descendants(referee) if not is_bot(pid)],
    "everybody": lambda referee: [referee, *descendants(referee)],
    # The starter's bubblewrap is between it and the fork server.
    "starter": lambda referee: descendants_at(referee, 1),
    "fork server": lambda referee: descendants_at(referee, 3),
    "monitors": lambda referee: descendants_at(referee, 4),
}
COLD, WARM = 0, 1
"""The number of warm sandboxes; with none, each bot has its own bubblewrap."""
Begin = Callable[[int], subprocess.Popen[str]]


@pytest.fixture
def start_referee() -> Iterator[Begin]:
    """A function that starts a referee, which opens sandboxes and then waits for a line."""
    with ExitStack() as stack:

        def begin(warm: int) -> subprocess.Popen[str]:
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", REFEREE, str(MATCHES), str(warm)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    env=os.environ | {"CARDROOM_COMPILE": "0"},
                )
            )
            stack.callback(end, process)
            assert process.stdout is not None
            assert process.stdout.readline() == "opened\n"
            return process

        yield begin


def begin_play(referee: subprocess.Popen[str]) -> None:
    """Let a referee begin."""
    assert referee.stdin is not None
    referee.stdin.write("\n")
    referee.stdin.flush()


def end(referee: subprocess.Popen[str]) -> None:
    """End a referee and its processes, including stopped ones."""
    signal_each([referee.pid, *descendants(referee.pid)], signal.SIGCONT)
    referee.kill()


CASES = [
    *[(COLD, who, 1) for who in ("referee", "starter", "bots", "sandboxes", "everybody")],
    *[(WARM, who, 1) for who in ("fork server", "monitors", "everybody")],
    (WARM, "everybody", -1),
]


@pytest.mark.parametrize(("warm", "target", "order"), CASES)
def test_a_pause_is_never_a_bots_fault(
    start_referee: Begin, warm: int, target: str, order: int
) -> None:
    """Processes are stopped during a start, then during moves, and resumed one by one."""
    referee = start_referee(warm)
    begin_play(referee)
    for moment_s in MOMENTS_S:
        time.sleep(moment_s)
        pids = TARGETS[target](referee.pid)[::order]
        signal_each(pids, signal.SIGSTOP)
        time.sleep(PAUSE_S)
        signal_each(pids, signal.SIGCONT, between_s=0.1)
    assert_no_fault(referee)


def test_a_stopped_fork_server_is_awaited(
    start_referee: Begin, capfd: pytest.CaptureFixture[str]
) -> None:
    """The second bot is requested while the server is stopped; the first, waiting, survives."""
    referee = start_referee(WARM)
    pids = TARGETS["fork server"](referee.pid)
    signal_each(pids, signal.SIGSTOP)
    begin_play(referee)
    time.sleep(2 * PAUSE_S)
    signal_each(pids, signal.SIGCONT)
    assert_no_fault(referee)
    assert "No runner could be forked" not in capfd.readouterr().err


@pytest.mark.parametrize(("warm", "target"), [(COLD, "bots"), (WARM, "everybody")])
def test_a_frozen_control_group_is_never_a_bots_fault(
    group: Path, start_referee: Begin, warm: int, target: str
) -> None:
    referee = start_referee(warm)
    begin_play(referee)
    for moment_s in MOMENTS_S:
        time.sleep(moment_s)
        freeze_for(TARGETS[target](referee.pid), PAUSE_S, group)
    assert_no_fault(referee)


@pytest.fixture(params=[1, 2])
def group(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A control group of each version, which can be frozen."""
    cgroup = control_group(request.param)
    if cgroup is None:
        pytest.skip(f"no control group of version {request.param} can be made here")
    yield cgroup
    remove_group(cgroup)


def signal_each(pids: Sequence[int], number: signal.Signals, *, between_s: float = 0.0) -> None:
    """Send a signal to processes, with a delay between them."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
        time.sleep(between_s)


def assert_no_fault(referee: subprocess.Popen[str]) -> None:
    """Assert that all matches were played without a fault and that no pause was charged."""
    assert referee.stdout is not None
    reports = [json.loads(line) for line in referee.stdout]
    assert len(reports) == MATCHES, "the referee itself failed"
    assert [match["faults"] for match in reports] == [[]] * MATCHES
    assert max(match["slowest"] for match in reports) < PAUSE_S * 1000 / 4
