"""The sandbox: warm runners, threads, trusted bots, and ending with its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bots.sandbox import Limits, Program, Sandbox, SandboxUnavailable, SeatClosed, pick_cpu
from tests.bots.sandbox.conftest import ask, is_running

pytestmark = pytest.mark.sandbox

FIRST = Program({"bot.py": b"def choose(view, legal): return legal[0]"})


def wait_for(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_warm_runners_are_used_once_and_replaced() -> None:
    with Sandbox(warm=2) as sandbox:
        wait_for(lambda: sandbox.waiting() == 2)
        seats = [sandbox.open(FIRST, name=str(number)) for number in range(3)]
        assert sandbox.waiting() == 0
        assert len({seat._process.pid for seat in seats}) == 3
        assert [ask(seat) for seat in seats] == ["a", "a", "a"]
        for seat in seats:
            seat.close()
        wait_for(lambda: sandbox.waiting() == 2)


def test_a_dead_warm_runner_is_skipped() -> None:
    with Sandbox(warm=1) as sandbox:
        wait_for(lambda: sandbox.waiting() == 1)
        victim = sandbox._waiting[()][0]
        os.kill(victim.pid, signal.SIGKILL)
        victim.popen.wait()
        seat = sandbox.open(FIRST, name="bot")
        assert seat._process.pid != victim.pid
        assert ask(seat) == "a"


def test_warm_and_cold_see_the_same_modules() -> None:
    """A file of the bot may have the name of a module that warm runners have loaded."""
    files = {"bot.py": b"import heapq\ndef choose(view, legal): return heapq.NAME", "heapq.py": b""}
    files["heapq.py"] = b"NAME = 'my own'"
    for warm in (0, 1):
        with Sandbox(warm=warm) as sandbox:
            wait_for(lambda: sandbox.waiting() == warm)  # noqa: B023 - called at once
            assert ask(sandbox.open(Program(files), name="bot")) == "my own"


def test_many_threads() -> None:
    def match(number: int) -> str:
        source = b"def choose(view, legal): return 'bot %d'" % number
        seat = sandbox.open(Program({"bot.py": source}), name=str(number))
        move = ask(seat)
        assert seat.close().reason == "exited"
        return move

    with Sandbox(warm=2) as sandbox, ThreadPoolExecutor(6) as threads:
        assert list(threads.map(match, range(24))) == [f"bot {number}" for number in range(24)]


def test_a_seat_outlives_the_thread_that_opened_it() -> None:
    with Sandbox() as sandbox:
        seats = []
        opener = threading.Thread(target=lambda: seats.append(sandbox.open(FIRST, name="bot")))
        opener.start()
        opener.join()
        time.sleep(0.05)
        assert ask(seats[0]) == "a"


def test_closing_ends_everything() -> None:
    sandbox = Sandbox(warm=2)
    wait_for(lambda: sandbox.waiting() == 2)
    seat = sandbox.open(FIRST, name="bot")
    pids = [seat._process.pid, *(runner.pid for runner in sandbox._waiting[()])]
    descriptors = open_descriptors()
    sandbox.close()
    sandbox.close()
    assert [pid for pid in pids if is_running(pid)] == []
    assert open_descriptors() < descriptors
    assert seat.close().reason in ("killed", "exited")
    with pytest.raises(SeatClosed):
        seat.send(b"{}")
    with pytest.raises(SeatClosed):
        seat.receive(1.0)
    with pytest.raises(SandboxUnavailable, match="closed"):
        sandbox.open(FIRST, name="bot")


def test_no_descriptor_leaks() -> None:
    with Sandbox() as sandbox:
        sandbox.open(FIRST, name="bot").close()
        count = open_descriptors()
        for _ in range(5):
            ask(seat := sandbox.open(FIRST, name="bot"))
            seat.close()
        assert open_descriptors() == count


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


PARENT = """
import sys, time
from bots.sandbox import Program, Sandbox
spin = Program({"bot.py": b"def choose(view, legal):\\n    while True: pass"})
sandbox = Sandbox(warm=1, trusted=len(sys.argv) > 1)
while not sandbox.waiting():
    time.sleep(0.01)
busy, idle = sandbox.open(spin, name="busy"), sandbox.open(spin, name="idle")
busy.send(b'{"type":"start"}')
busy.receive(10)
busy.send(b'{"type":"move","view":{},"legal":[]}')
time.sleep(0.05)
while not sandbox.waiting():
    sandbox._refill()
    time.sleep(0.01)
print(busy._process.pid, idle._process.pid, sandbox._waiting[()][0].pid, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("trusted", [(), ("trusted",)])
def test_bots_die_with_a_killed_parent(trusted: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", PARENT, *trusted]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        pids = list(map(int, parent.stdout.readline().split()))
        assert len(pids) == 3
        assert all(is_running(pid) for pid in pids)
        parent.kill()
    wait_for(lambda: not any(is_running(pid) for pid in pids))


def test_seats_are_pinned_to_the_given_core() -> None:
    cpu = pick_cpu(1)
    if cpu is None:
        pytest.skip("no pinning on this system")
    with Sandbox(cpu=cpu) as sandbox:
        seat = sandbox.open(FIRST, name="bot")
        assert os.sched_getaffinity(seat._process.pid) == {cpu}
        assert ask(seat) == "a"


def test_a_start_timeout_is_the_machines_fault() -> None:
    with Sandbox(Limits(start_ms=0)) as sandbox, pytest.raises(SandboxUnavailable, match="0 ms"):
        sandbox.open(FIRST, name="bot")
