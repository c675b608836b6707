"""Memory is limited for every kind of page: a bot stays below its limit or is ended."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.referee.clock import ClockSettings
from bots.referee.outcome import MatchOutcome, SeatedBot
from bots.referee.referee import play_match
from bots.sandbox import BotProcess, Limits, Program, Sandbox, process_stats
from bots.sandbox.child import readable
from bots.sandbox.model import Exit
from engine import Format
from tests.bots.sandbox.conftest import MOVE, START, ask

pytestmark = pytest.mark.sandbox

LIMITS = Limits(memory_mib=64, threads=6, disk_mib=8)
FORMAT = Format.parse("cassino/standard/1v1?deals=1")
CLOCK = ClockSettings(move_ms=300, bank_ms=0)
SOURCE = Path(__file__).with_name("pages.c")
KINDS = re.findall(r"KIND\((?!name)(\w+)\)", SOURCE.read_text())
GENEROUS_MIB = 1024
"""More than a bot takes between two samples on any machine, less than it would take unsampled."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    binary = tmp_path_factory.mktemp("pages") / "bot"
    subprocess.run(["cc", "-w", "-static", "-pthread", SOURCE, "-o", binary], check=True)
    return binary.read_bytes()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS) as sandbox:
        yield sandbox


@pytest.fixture
def histories(monkeypatch: pytest.MonkeyPatch) -> dict[BotProcess, list[int]]:
    """Samples of each playing bot's memory, in MiB.

    The final sample is ignored: a bot whose time is up has had time to take more.
    """
    memory_of, enforce, end = process_stats.memory, BotProcess.enforce_memory_limit, BotProcess._end
    histories: dict[BotProcess, list[int]] = {}
    sample = 0

    def memory(pid: int) -> process_stats.Memory:
        nonlocal sample
        usage = memory_of(pid)
        sample = usage.held_kib >> 10
        return usage

    def enforce_memory_limit(process: BotProcess) -> bool:
        nonlocal sample
        sample = 0
        result = enforce(process)
        histories.setdefault(process, [0]).append(sample)
        return result

    def end_unsampled(process: BotProcess, grace_s: float) -> Exit:
        history = histories.setdefault(process, [0])
        count = len(history)
        result = end(process, grace_s)
        del history[count:]
        return result

    monkeypatch.setattr(process_stats, "memory", memory)
    monkeypatch.setattr(BotProcess, "enforce_memory_limit", enforce_memory_limit)
    monkeypatch.setattr(BotProcess, "_end", end_unsampled)
    return histories


def play_against(sandbox: Sandbox, program: Program, body: str = "return legal[0]") -> MatchOutcome:
    source = f"import time\ndef choose(view, legal):\n    {body}\n".encode()
    players = [SeatedBot("bad", program), SeatedBot("good", Program({"bot.py": source}))]
    outcome = play_match(FORMAT, "s", players, sandbox=sandbox, clock=CLOCK)
    outcome.record.verify()
    assert outcome.seats[1].fault is None
    return outcome


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_page_is_limited(
    kind: str, program: bytes, sandbox: Sandbox, histories: dict[BotProcess, list[int]]
) -> None:
    outcome = play_against(sandbox, Program({"bot": program, "room": b"x"}, ("./bot", kind)))
    (fault,) = outcome.faults
    peak = outcome.seats[0].peak_memory_kib >> 10
    samples = max(histories.values(), key=max)
    assert max(*samples, peak) < GENEROUS_MIB
    if fault.detail == "The bot needed more than 64 MiB of memory.":
        return
    if fault.kind == "time":  # the last sample may be taken while the bot is ended
        assert max(samples[:-1]) <= LIMITS.wall_mib, fault.detail
    else:
        assert max(*samples, peak) <= LIMITS.wall_mib, fault.detail


def test_memory_taken_while_others_think_counts(program: bytes, sandbox: Sandbox) -> None:
    hog = Program({"bot": program}, ("./bot", "any", "beside"))
    outcome = play_against(sandbox, hog, "time.sleep(0.2 * (len(legal) > 3))\n    return legal[0]")
    if not outcome.faults:  # a slow machine pauses it for computing before it has taken that much
        assert outcome.seats[0].peak_memory_kib < LIMITS.wall_mib << 10
        return
    (fault,) = outcome.faults
    assert (fault.kind, fault.detail) == ("crash", "The bot needed more than 64 MiB of memory.")
    assert fault.move > 0


PROTECTED = b"""
import ctypes
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
def choose(view, legal):
    kept = 0
    while True:
        start = libc.mmap(None, ctypes.c_size_t(1 << 20), 3, 0x22, -1, ctypes.c_long(0))
        if start in (None, 2**64 - 1):
            return str(kept)
        ctypes.memset(start, 1, 1 << 20)
        libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(1 << 20), 1)
        kept += 1
"""


def test_a_python_bot_is_limited_without_sampling() -> None:
    with Sandbox(LIMITS) as sandbox:
        mib = int(ask(sandbox.open(Program({"bot.py": PROTECTED}), name="bot")))
    assert LIMITS.memory_mib // 2 < mib < LIMITS.wall_mib + 40


def test_a_python_bot_may_use_all_its_memory_and_threads() -> None:
    source = b"""
import threading, time
def choose(view, legal):
    for _ in range(14):  # 8 MiB of stack each
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return str(len(bytearray(110 << 20)))
"""
    with Sandbox(Limits()) as sandbox:
        assert ask(sandbox.open(Program({"bot.py": source}), name="bot")) == str(110 << 20)


def test_a_sample_ends_a_bot_over_its_limit_once(
    program: bytes, monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox
) -> None:
    seat = sandbox.open(Program({"bot.py": b"def choose(view, legal): return 'a'"}), name="bot")
    ask(seat)
    assert seat.enforce_memory_limit()
    monkeypatch.setattr(process_stats, "memory", lambda pid: process_stats.Memory(1 << 20, 1 << 20))
    assert not seat.enforce_memory_limit()
    assert not seat.enforce_memory_limit()
    monkeypatch.undo()
    assert not seat.enforce_memory_limit()
    assert seat.close().reason == "memory"
    assert not seat.enforce_memory_limit()


def test_memory_taken_after_the_last_answer_is_limited(program: bytes, sandbox: Sandbox) -> None:
    seat = sandbox.open(Program({"bot": program}, ("./bot", "readable")), name="bot")
    seat.send(START)
    seat.receive(60.0)
    seat.send(MOVE)
    assert seat.close(grace_s=60.0).reason == "memory"


def test_the_memory_of_a_process_is_read() -> None:
    usage = process_stats.memory(os.getpid())
    assert 1000 < usage.held_kib <= usage.peak_kib + 10_000
    assert process_stats.memory(2**22 + 1) == (0, 0)


def test_a_reused_process_number_is_not_sampled(
    monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox
) -> None:
    seat: BotProcess = sandbox.open(Program({"bot.py": b"import os; os._exit(3)"}), name="bot")
    assert seat._process.pidfd is not None
    seat.send(START)
    assert readable(seat._process.pidfd, 10_000)
    monkeypatch.setattr(process_stats, "memory", lambda pid: process_stats.Memory(1 << 20, 1 << 20))
    assert seat.enforce_memory_limit()
    seat.close()
