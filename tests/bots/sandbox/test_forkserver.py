"""Forked runners: the same world as one that was started alone, and apart from each other."""

from __future__ import annotations

import json
import logging
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.sandbox import BotProcess, Program, Sandbox, bubblewrap, process, seccomp
from tests.bots.sandbox.conftest import START, ask
from tests.bots.sandbox.test_alone import LET_ALL

pytestmark = pytest.mark.sandbox

FIRST = Program({"bot.py": b"def choose(view, legal): return legal[0]"})
NAMESPACES = ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup")
# Whatever a bot can ask about where it is, but for what is measured or drawn by lot.
WORLD = b"""
import gc, json, os, resource, signal, sys, threading
def choose(view, legal):
    main = sys.modules["__main__"]
    found = {
        "modules": sorted(sys.modules),
        "path": sys.path,
        "argv": sys.argv,
        "flags": repr(sys.flags),
        "main": [main.__name__, main.__file__],
        "names": sorted(name for name in vars(main) if not name.startswith("__")),
        "depth": len(list(frames(sys._getframe()))),
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "files": {place: sorted(os.listdir(place)) for place in ("/", "/tmp", "/dev", "/cardroom")},
        "who": [os.getresuid(), os.getresgid(), os.getgroups(), os.uname().nodename],
        "process": [os.getpid(), os.getppid(), os.getpgid(0), os.getsid(0)],
        "limits": {name: resource.getrlimit(getattr(resource, name))
                   for name in dir(resource) if name.startswith("RLIMIT_")},
        "signals": [str(signal.getsignal(number)) for number in range(1, 32)],
        "masked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
        "descriptors": [fd for fd in range(64) if exists(fd)],
        "threads": threading.active_count(),
        "collecting": [gc.isenabled(), gc.get_threshold()],
        "hash": hash("seat"),
        "umask": os.umask(0o22),
        "nice": os.getpriority(os.PRIO_PROCESS, 0),
    }
    return json.dumps(found)
def frames(frame):
    while frame:
        yield frame
        frame = frame.f_back
def exists(fd):
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True
"""


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(warm=1) as made:
        yield made


def world(warm: int) -> dict[str, object]:
    with Sandbox(warm=warm) as sandbox:
        seat = sandbox.open(Program({"bot.py": WORLD}), name="bot")
        assert forked(seat) == bool(warm)
        found: dict[str, object] = json.loads(ask(seat))
    return found


def forked(seat: BotProcess) -> bool:
    return not isinstance(seat._process.popen, process.Started)


def gone(seat: BotProcess) -> bool:
    assert seat._process.pidfd is not None
    return process.readable(seat._process.pidfd, 10_000)


def test_forked_and_started_runners_find_the_same_world() -> None:
    started, made = world(0), world(1)
    assert {name: made[name] for name in made if made[name] != started[name]} == {}
    assert made.keys() == started.keys()


def test_each_has_namespaces_of_its_own(sandbox: Sandbox) -> None:
    seats = [sandbox.open(FIRST, name="bot") for _ in range(2)]
    server = sandbox._server
    assert server is not None
    pids = [os.getpid(), server._server.pid, *(seat._process.pid for seat in seats)]
    for kind in NAMESPACES:
        ours, servers, *theirs = (Path(f"/proc/{pid}/ns/{kind}").readlink() for pid in pids)
        assert len({ours, servers, *theirs}) == len({ours, servers}) + len(seats), kind


@pytest.mark.parametrize("warm", [0, 1])
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the filter of one rule is x86_64's")
def test_without_the_filter_none_can_make_a_namespace_of_users(
    monkeypatch: pytest.MonkeyPatch, warm: int
) -> None:
    monkeypatch.setattr(seccomp, "build", lambda _: LET_ALL)
    source = b"""
import ctypes, errno
def choose(view, legal):
    libc = ctypes.CDLL(None, use_errno=True)
    return str(libc.unshare(0x10000000)) + " " + errno.errorcode.get(ctypes.get_errno(), "")
"""
    with Sandbox(warm=warm) as sandbox:
        assert ask(sandbox.open(Program({"bot.py": source}), name="bot")) == "-1 ENOSPC"


def test_server_that_is_killed_takes_its_seats_along_and_is_replaced(sandbox: Sandbox) -> None:
    seat = sandbox.open(FIRST, name="bot")
    assert ask(seat) == "a"
    assert sandbox._server is not None
    sandbox._server.kill()
    assert gone(seat)
    assert seat.close().reason == "outside"
    again = sandbox.open(FIRST, name="bot")
    assert ask(again) == "a"
    assert forked(again)


def test_monitor_that_is_killed_ends_its_seat_alone(sandbox: Sandbox) -> None:
    victim, other = (sandbox.open(FIRST, name="bot") for _ in range(2))
    ask(other)
    os.kill(victim._process.popen.pid, signal.SIGKILL)
    assert gone(victim)
    assert victim.close().reason == "outside"
    other.send(START)
    assert other.receive(10) == b'{"type":"ready"}'


def test_where_nothing_can_be_forked_runners_are_started(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(bubblewrap, "server_command", lambda *_: ["/bin/false"])
    with caplog.at_level(logging.WARNING), Sandbox(warm=1) as sandbox:
        for _ in range(6):
            seat = sandbox.open(FIRST, name="bot")
            assert ask(seat) == "a"
            assert not forked(seat)
            seat.close()
    assert 1 <= len([one for one in caplog.messages if "forked" in one]) <= 4


def test_no_descriptor_is_left_open(sandbox: Sandbox) -> None:
    counts = []
    for _ in range(6):
        seat = sandbox.open(FIRST, name="bot")
        ask(seat)
        seat.close()
        deadline = time.monotonic() + 10
        while not sandbox.waiting() and time.monotonic() < deadline:
            time.sleep(0.002)
        counts.append(len(list(Path("/proc/self/fd").iterdir())))
    assert counts[0] == counts[-1]
