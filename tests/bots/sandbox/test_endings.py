"""However a bot ends, nothing of it is left, and what is said of it is true."""

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

pytestmark = pytest.mark.sandbox

SMALL = Limits(memory_mib=64, threads=6, disk_mib=4, cpu_s=2, output_bytes=300_000)
GOOD = Program({"bot.py": b"def choose(view, legal): return legal[0]"})


class Held(NamedTuple):
    """What this process has of the system."""

    descriptors: int
    children: int
    threads: int
    folders: int


def held() -> Held:
    folder = Path(tempfile.gettempdir())
    return Held(
        len(list(Path("/proc/self/fd").iterdir())),
        len(descendants(os.getpid())),
        threading.active_count(),
        len(list(folder.iterdir())),
    )


def ended(pid: int) -> bool:
    """Whether a process has ended; who is its parent now may take its time to notice."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.fixture(scope="module", autouse=True)
def quiet() -> None:
    """What is made once a process is made, and the factories of other modules rest."""
    for trusted in (False, True):
        with Sandbox(trusted=trusted) as sandbox:
            for program in (GOOD, Program({}, ("true",))):
                sandbox.open(program, name="first").close()
    helds: list[Held] = []
    while len(helds) < 3 or len(set(helds[-3:])) > 1:
        helds.append(held())
        time.sleep(0.1)


@pytest.fixture(autouse=True)
def nothing_is_left(quiet: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Before and after a test: the same descriptors, processes, threads, folders."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = held()
    yield
    assert held() == before


def ending(seat: BotProcess, patience_s: float = 0.05, grace_s: float = 0.02) -> Exit:
    """Let a bot go as far as it will, and close it.

    `grace_s`: for ending by itself once it is asked nothing more.
    """
    with contextlib.suppress(SeatClosed, SeatTimeout, LineTooLong):
        for line in (START, MOVE, MOVE):
            seat.send(line)
            seat.receive(patience_s)
    found = seat.close(grace_s=grace_s)
    assert seat.close() is found
    assert found.text.endswith(".")
    assert (found.code is None) != (found.signal is None)
    return found


def test_strange_endings_of_python_bots(full_size: bool) -> None:
    signals = tuple(range(1, 65)) if full_size else (1, 6, 9, 11, 15, 19, 24, 34, 64)
    made = strange.sources(strange.MANY if full_size else strange.SOME, signals)
    chosen = list(made) if full_size else random.Random(7).sample(list(made), 160)
    with Sandbox(SMALL) as sandbox:
        sandbox.open(GOOD, name="first").close()  # starts the thread that starts the others
        before = held()
        for name in chosen:
            seat = sandbox.open(Program({"bot.py": made[name]}), name=name)
            found = ending(seat)
            assert found.reason != "outside", (name, found)
            if found.signal == signal.SIGKILL and "RLIMIT_CPU" not in name:
                assert found.reason in ("killed", "cpu", "output"), (name, found)
            assert held() == before, name
            assert ended(seat._process.pid), name


def test_strange_endings_of_programs() -> None:
    with Sandbox(SMALL) as sandbox:
        for name, command in strange.COMMANDS.items():
            seat = sandbox.open(Program(strange.FILES, command), name=name)
            found = ending(seat, 1.0 if name == "limits itself" else 0.05)
            assert found.reason != "outside", (name, found)
            assert ended(seat._process.pid), name


def test_strange_endings_of_trusted_bots(full_size: bool) -> None:
    """With no sandbox around it a bot can send itself any signal, and the status is its own."""
    made = strange.sources(strange.SOME, tuple(range(1, 65)))
    chosen = list(made) if full_size else random.Random(7).sample(list(made), 40)
    with Sandbox(SMALL, trusted=True) as sandbox:
        for name in chosen:
            if "os.kill(" in name and "getpid" not in name:  # that would be us
                continue
            seat = sandbox.open(Program({"bot.py": made[name]}), name=name)
            assert ending(seat).reason != "outside", name
            assert ended(seat._process.pid), name


@pytest.mark.parametrize("status", [0, 3, 86, 87, 88, 127])
def test_a_status_below_128_is_what_it_is_and_means_nothing(status: int) -> None:
    source = f"import os\ndef choose(view, legal): os._exit({status})".encode()
    with Sandbox() as sandbox:
        found = ending(sandbox.open(Program({"bot.py": source}), name="bot"), 60.0)
    assert (found.reason, found.code) == ("exited", status)
    assert found.text == f"The bot exited with status {status}."


@pytest.mark.parametrize("status", [129, 137, 152, 193, 255])
def test_a_status_above_127_is_no_signal(status: int) -> None:
    """It is what the bot chose, or the filter ends it: never what the kernel did for a cause."""
    source = f"import os\ndef choose(view, legal): os._exit({status})".encode()
    with Sandbox() as sandbox:
        found = ending(sandbox.open(Program({"bot.py": source}), name="bot"), 60.0)
    assert (found.reason, found.code, found.signal) in [
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
def test_the_kernel_and_bubblewrap_say_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels before 6.15 cannot be asked; then bubblewrap's word must do."""
    with Sandbox() as sandbox:
        asked = ending(sandbox.open(Program({"bot.py": ENDS[name]}), name="bot"), 60.0, 60.0)
        monkeypatch.setattr(process_stats, "wait_status", lambda pidfd: None)
        passed_on = ending(sandbox.open(Program({"bot.py": ENDS[name]}), name="bot"), 60.0, 60.0)
    assert asked == passed_on


def test_bubblewrap_killed_is_ours() -> None:
    with Sandbox() as sandbox:
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV):
            seat = sandbox.open(GOOD, name="bot")
            ask(seat)
            os.kill(seat._process.popen.pid, number)
            with pytest.raises(SeatClosed):
                seat.receive(60.0)
            found = seat.close()
            assert found.reason == "outside"
            assert f"sandbox itself was ended by signal {number:d}" in found.text
            assert ended(seat._process.pid)


def test_a_runner_that_fails_before_the_bot_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    # One instruction: forbid everything with EPERM; so the runner's own check fails.
    refuse = bytes.fromhex("0600000001000500")
    monkeypatch.setattr(seccomp, "build", lambda runtime: b"no filter" + refuse)
    with Sandbox() as sandbox:
        found = ending(sandbox.open(GOOD, name="bot"), 60.0)
    assert found.reason == "outside"
    assert "failed before the bot began: cardroom: the system call filter" in found.text


def test_a_machine_without_memory_is_ours_only_if_it_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cgroup, "parent_group", lambda: None)  # which would know better
    kills = iter([0, 1, 5, 5])
    monkeypatch.setattr(process_stats, "out_of_memory_kills", lambda: next(kills))
    found = []
    with Sandbox() as sandbox:
        for _ in range(2):
            seat = sandbox.open(GOOD, name="bot")
            ask(seat)
            os.kill(seat._process.pid, signal.SIGKILL)
            found.append(ending(seat))
    assert [one.reason for one in found] == ["outside", "crashed"]
    assert "ran out of memory" in found[0].text
    assert "counts as the bot's own doing" in found[1].text


def test_the_kernels_count_of_kills_can_be_read() -> None:
    assert "\noom_kill" in Path("/proc/vmstat").read_text()
    assert process_stats.out_of_memory_kills() >= 0


def test_seats_that_are_never_asked_and_killed_at_any_moment(full_size: bool) -> None:
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
            found = seat.close(grace_s=rng.choice([0.0, 0.25]))
            assert found.text
            assert ended(seat._process.pid)


@pytest.mark.parametrize("start_ms", [0, 1, 3, 6, 9, 12, 15])
def test_starts_that_are_given_up_leave_nothing(start_ms: int) -> None:
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
        made = spawned(where, command, descriptors)
        killer = threading.Timer(rng.random() / 60, made.signal, [signal.SIGKILL])
        killers.append(killer)
        killer.start()
        return made

    killers: list[threading.Timer] = []
    monkeypatch.setattr(process, "spawn_inside", spawn)
    with Sandbox(SMALL, warm=warm) as sandbox:
        for _ in range(300 if full_size else 20):
            with contextlib.suppress(SandboxUnavailable):
                ending(sandbox.open(GOOD, name="bot"))
    for killer in killers:
        killer.join()


def test_what_breaks_on_the_way_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
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
    before = held()
    for owner, name in places:
        with Sandbox() as sandbox, monkeypatch.context() as patch:
            patch.setattr(owner, name, broken)
            with contextlib.suppress(BrokenError):
                seat = sandbox.open(GOOD, name="bot")
                seat.send(START)
                with pytest.raises(BrokenError):
                    seat.close()
                assert seat.close().reason == "killed"
            assert held().children == before.children


@pytest.mark.parametrize("trusted", [False, True])
def test_no_descriptors_left_to_start_with(trusted: bool) -> None:
    import resource

    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Sandbox(trusted=trusted) as sandbox:
        sandbox.open(GOOD, name="bot").close()
        before = held()
        for spare in range(14):
            low = min(set(range(4096)) - {int(fd.name) for fd in Path("/proc/self/fd").iterdir()})
            resource.setrlimit(resource.RLIMIT_NOFILE, (low + spare, limits[1]))
            try:
                with contextlib.suppress(SandboxUnavailable):
                    sandbox.open(GOOD, name="bot").close()
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, limits)
            assert held() == before, spare


def test_closing_the_factory_ends_what_is_on_its_way() -> None:
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


def test_what_a_trusted_bot_starts_ends_with_it() -> None:
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
    while not ended(child):
        assert time.monotonic() < deadline
        time.sleep(0.005)
