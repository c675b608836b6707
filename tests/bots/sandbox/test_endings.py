"""Bots leave nothing behind, however they end, and the description of their end is correct."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bots.sandbox import (
    BotProcess,
    Exit,
    Limits,
    LineTooLong,
    Program,
    Sandbox,
    SandboxUnavailable,
    SeatClosed,
    SeatTimeout,
    cgroup,
    process,
    process_stats,
    seccomp,
)
from bots.sandbox.process import Process
from bots.sandbox.tmpfs import FilesNamespace
from cardroom.processes import descendants
from tests.bots.sandbox import strange
from tests.bots.sandbox.conftest import MOVE, START, ask
from tests.sites import eventually

pytestmark = pytest.mark.sandbox

SMALL = Limits(memory_mib=64, threads=6, disk_mib=4, cpu_s=2, output_bytes=300_000)
GOOD = Program({"bot.py": b"def choose(view, legal): return legal[0]"})


class Resources(NamedTuple):
    """Resources of the system that this process uses."""

    descriptors: int
    children: int
    threads: int
    folders: int


def used_resources() -> Resources:
    folder = Path(tempfile.gettempdir())
    return Resources(
        len(list(Path("/proc/self/fd").iterdir())),
        len(descendants(os.getpid())),
        threading.active_count(),
        len(list(folder.iterdir())),
    )


def has_ended(pid: int) -> bool:
    """Whether a process has ended; its new parent may reap it later."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.fixture(scope="module", autouse=True)
def idle_modules() -> None:
    """Make resources that are made once in a process, and let sandboxes of other modules rest."""
    for trusted in (False, True):
        with Sandbox(trusted=trusted) as sandbox:
            for program in (GOOD, Program({}, ("true",))):
                sandbox.open(program, name="first").close()
    samples: list[Resources] = []
    while len(samples) < 3 or len(set(samples[-3:])) > 1:
        samples.append(used_resources())
        time.sleep(0.1)


@pytest.fixture(autouse=True)
def no_leak(idle_modules: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A test ends with the same descriptors, processes, threads and folders that it began with."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    resources = used_resources()
    yield
    eventually(lambda: used_resources() == resources)  # on a busy machine helpers end late
    assert used_resources() == resources


def play_and_close(seat: BotProcess, patience_s: float = 0.05, grace_s: float = 0.02) -> Exit:
    """Let a bot play as far as it can, and close it.

    `grace_s`: time to end by itself after the last question.
    """
    with contextlib.suppress(SeatClosed, SeatTimeout, LineTooLong):
        for line in (START, MOVE, MOVE):
            seat.send(line)
            seat.receive(patience_s)
    end = seat.close(grace_s=grace_s)
    assert seat.close() is end
    assert end.text.endswith(".")
    assert (end.code is None) != (end.signal is None)
    return end


def test_strange_endings_of_python_bots(full_size: bool) -> None:
    signals = tuple(range(1, 65)) if full_size else (1, 6, 9, 11, 15, 19, 24, 34, 64)
    bots = strange.sources(strange.ALL_STATUSES if full_size else strange.SOME_STATUSES, signals)
    names = list(bots) if full_size else random.Random(7).sample(list(bots), 160)
    with Sandbox(SMALL) as sandbox:
        sandbox.open(GOOD, name="first").close()  # starts the thread that starts the sandboxes
        resources = used_resources()
        for name in names:
            seat = sandbox.open(Program({"bot.py": bots[name]}), name=name)
            end = play_and_close(seat)
            assert end.reason != "outside", (name, end)
            if end.signal == signal.SIGKILL and "RLIMIT_CPU" not in name:
                assert end.reason in ("killed", "cpu", "output"), (name, end)
            assert used_resources() == resources, name
            assert has_ended(seat._process.pid), name


def test_strange_endings_of_programs() -> None:
    with Sandbox(SMALL) as sandbox:
        for name, command in strange.COMMANDS.items():
            seat = sandbox.open(Program(strange.FILES, command), name=name)
            end = play_and_close(seat, 1.0 if name == "limits itself" else 0.05)
            assert end.reason != "outside", (name, end)
            assert has_ended(seat._process.pid), name


def test_strange_endings_of_trusted_bots(full_size: bool) -> None:
    """Without a sandbox a bot can send itself any signal and choose its status."""
    bots = strange.sources(strange.SOME_STATUSES, tuple(range(1, 65)))
    names = list(bots) if full_size else random.Random(7).sample(list(bots), 40)
    with Sandbox(SMALL, trusted=True) as sandbox:
        for name in names:
            if "os.kill(" in name and "getpid" not in name:  # that is this process
                continue
            seat = sandbox.open(Program({"bot.py": bots[name]}), name=name)
            assert play_and_close(seat).reason != "outside", name
            assert has_ended(seat._process.pid), name


@pytest.mark.parametrize("status", [0, 3, 86, 87, 88, 127])
def test_a_status_below_128_is_reported_without_a_meaning(status: int) -> None:
    source = f"import os\ndef choose(view, legal): os._exit({status})".encode()
    with Sandbox() as sandbox:
        end = play_and_close(sandbox.open(Program({"bot.py": source}), name="bot"), 60.0)
    assert (end.reason, end.code) == ("exited", status)
    assert end.text == f"The bot exited with status {status}."


@pytest.mark.parametrize("status", [129, 137, 152, 193, 255])
def test_a_status_above_127_is_no_signal(status: int) -> None:
    """The bot chose it, or the filter ended the bot; it never means a kill by the kernel."""
    source = f"import os\ndef choose(view, legal): os._exit({status})".encode()
    with Sandbox() as sandbox:
        end = play_and_close(sandbox.open(Program({"bot.py": source}), name="bot"), 60.0)
    assert (end.reason, end.code, end.signal) in [
        ("exited", status, None),
        ("crashed", None, signal.SIGSYS),
    ]


ENDS = {
    "by itself": b"def choose(view, legal): return 'a'",
    "status": b"import os; os._exit(7)",
    "fault": b"import ctypes; ctypes.string_at(0)",
    "filter": b"import ctypes; ctypes.CDLL(None).syscall(0x40000000 + 39)",
}


@pytest.mark.parametrize("name", ENDS)
def test_kernel_and_bubblewrap_agree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels before 6.15 do not report it; then bubblewrap's report is used."""
    with Sandbox() as sandbox:
        end = play_and_close(sandbox.open(Program({"bot.py": ENDS[name]}), name="bot"), 60.0, 60.0)
        monkeypatch.setattr(process_stats, "wait_status", lambda pidfd: None)
        passed_on = play_and_close(
            sandbox.open(Program({"bot.py": ENDS[name]}), name="bot"), 60.0, 60.0
        )
    assert end == passed_on


def test_a_killed_bubblewrap_is_our_fault() -> None:
    with Sandbox() as sandbox:
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV):
            seat = sandbox.open(GOOD, name="bot")
            ask(seat)
            os.kill(seat._process.popen.pid, number)
            with pytest.raises(SeatClosed):
                seat.receive(60.0)
            end = seat.close()
            assert end.reason == "outside"
            assert f"sandbox itself was ended by signal {number:d}" in end.text
            assert has_ended(seat._process.pid)


def test_a_runner_that_fails_before_the_bot_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    # One instruction that forbids everything with EPERM, so that the runner's own check fails.
    refuse = bytes.fromhex("0600000001000500")
    monkeypatch.setattr(seccomp, "build", lambda runtime: b"no filter" + refuse)
    with Sandbox() as sandbox:
        end = play_and_close(sandbox.open(GOOD, name="bot"), 60.0)
    assert end.reason == "outside"
    assert "failed before the bot began: cardroom: the system call filter" in end.text


def test_lack_of_memory_is_our_fault_only_with_evidence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cgroup, "parent_group", lambda: None)  # which has better evidence
    kills = iter([0, 1, 5, 5])
    monkeypatch.setattr(process_stats, "out_of_memory_kills", lambda: next(kills))
    exits = []
    with Sandbox() as sandbox:
        for _ in range(2):
            seat = sandbox.open(GOOD, name="bot")
            ask(seat)
            os.kill(seat._process.pid, signal.SIGKILL)
            exits.append(play_and_close(seat))
    assert [one.reason for one in exits] == ["outside", "crashed"]
    assert "ran out of memory" in exits[0].text
    assert "the bot is held responsible" in exits[1].text


def test_the_kernels_count_of_kills_can_be_read() -> None:
    assert "\noom_kill" in Path("/proc/vmstat").read_text()
    assert process_stats.out_of_memory_kills() >= 0


def test_seats_killed_at_any_moment_leave_nothing(full_size: bool) -> None:
    rng = random.Random(5)
    with Sandbox(SMALL) as sandbox:
        for _ in range(600 if full_size else 30):
            seat = sandbox.open(GOOD, name="bot")
            victim = rng.choice([seat._process.pid, seat._process.popen.pid, None])
            if rng.random() < 0.7:
                seat.send(START)
            if rng.random() < 0.5:
                with contextlib.suppress(SeatClosed, SeatTimeout):
                    seat.receive(rng.random() / 500)
            if victim is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
            end = seat.close(grace_s=rng.choice([0.0, 0.25]))
            assert end.text
            assert has_ended(seat._process.pid)


@pytest.mark.parametrize("start_ms", [0, 1, 3, 6, 9, 12, 15])
def test_abandoned_starts_leave_nothing(start_ms: int) -> None:
    with Sandbox(Limits(start_ms=start_ms), warm=1) as sandbox:
        for _ in range(4):
            with contextlib.suppress(SandboxUnavailable):
                sandbox.open(GOOD, name="bot").close()


@pytest.mark.parametrize("warm", [0, 2])
def test_starts_whose_bubblewrap_is_killed_leave_nothing(
    monkeypatch: pytest.MonkeyPatch, full_size: bool, warm: int
) -> None:
    rng = random.Random(3)
    spawned = process.spawn_inside

    def spawn(where: FilesNamespace, command: list[str], descriptors: list[int]) -> Process:
        process = spawned(where, command, descriptors)
        killer = threading.Timer(rng.random() / 60, process.signal, [signal.SIGKILL])
        killers.append(killer)
        killer.start()
        return process

    killers: list[threading.Timer] = []
    monkeypatch.setattr(process, "spawn_inside", spawn)
    with Sandbox(SMALL, warm=warm) as sandbox:
        for _ in range(300 if full_size else 20):
            with contextlib.suppress(SandboxUnavailable):
                play_and_close(sandbox.open(GOOD, name="bot"))
    for killer in killers:
        killer.join()


def test_a_start_that_fails_at_any_step_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class BrokenError(Exception):
        pass

    def broken(*_: object, **__: object) -> Any:
        raise BrokenError

    places: list[tuple[Any, str]] = [
        (BotProcess, "_read_to_end"),
        (BotProcess, "_reap"),
        (BotProcess, "usage"),
        (BotProcess, "_bot_status"),
        (Process, "close_input"),
        (process_stats, "out_of_memory_kills"),
        (process, "_confine"),
        (process, "_pid_from_info"),
        (process, "load_message"),
    ]
    resources = used_resources()
    for owner, name in places:
        with Sandbox() as sandbox, monkeypatch.context() as patch:
            patch.setattr(owner, name, broken)
            with contextlib.suppress(BrokenError):
                seat = sandbox.open(GOOD, name="bot")
                seat.send(START)
                with pytest.raises(BrokenError):
                    seat.close()
                assert seat.close().reason == "killed"
            assert used_resources().children == resources.children


@pytest.mark.parametrize("trusted", [False, True])
def test_a_start_without_free_descriptors_leaves_nothing(trusted: bool) -> None:
    import resource

    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Sandbox(trusted=trusted) as sandbox:
        sandbox.open(GOOD, name="bot").close()
        resources = used_resources()
        for spare in range(14):
            lowest = min(
                set(range(4096)) - {int(fd.name) for fd in Path("/proc/self/fd").iterdir()}
            )
            resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + spare, limits[1]))
            try:
                with contextlib.suppress(SandboxUnavailable):
                    sandbox.open(GOOD, name="bot").close()
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, limits)
            assert used_resources() == resources, spare


def test_closing_the_sandbox_ends_pending_starts() -> None:
    for trusted in (False, True):
        for _ in range(4):
            sandbox = Sandbox(SMALL, warm=3, trusted=trusted)
            sandbox.open(GOOD, name="bot").send(START)
            sandbox.close()


def test_a_seat_may_be_closed_from_two_threads() -> None:
    with Sandbox() as sandbox:
        for _ in range(5):
            seat = sandbox.open(GOOD, name="bot")
            ask(seat)
            closers = [threading.Thread(target=seat.close) for _ in range(4)]
            for closer in closers:
                closer.start()
            for closer in closers:
                closer.join()
            assert seat.close().reason == "exited"


def test_processes_of_a_trusted_bot_end_with_it() -> None:
    source = b"""
import os, subprocess
def choose(view, legal):
    return str(subprocess.Popen(["sleep", "60"]).pid)
"""
    with Sandbox(trusted=True) as sandbox:
        seat = sandbox.open(Program({"bot.py": source}), name="bot")
        child = int(ask(seat))
        seat.close()
    deadline = time.monotonic() + 10
    while not has_ended(child):
        assert time.monotonic() < deadline
        time.sleep(0.005)
