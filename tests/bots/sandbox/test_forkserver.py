"""Forked runners see the same world as fresh ones, and are isolated from each other."""

from __future__ import annotations

import json
import logging
import os
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from bots.sandbox import BotProcess, Program, Sandbox, bubblewrap, seccomp
from bots.sandbox.child import readable
from bots.sandbox.forkserver import Forkserver
from tests.bots.sandbox.conftest import START, ask
from tests.bots.sandbox.test_alone import ALLOW_ALL

pytestmark = pytest.mark.sandbox

FIRST = Program({"bot.py": b"def choose(view, legal): return legal[0]"})
NAMESPACES = ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup")
# All that a bot can find out about its environment, except for measured and random values.
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
    with Sandbox(warm=1) as sandbox:
        yield sandbox


def describe_world(warm: int) -> dict[str, object]:
    with Sandbox(warm=warm) as sandbox:
        seat = sandbox.open(Program({"bot.py": WORLD}), name="bot")
        assert forked(seat) == bool(warm)
        description: dict[str, object] = json.loads(ask(seat))
    return description


def forked(seat: BotProcess) -> bool:
    return isinstance(getattr(seat._process.popen, "_server", None), Forkserver)


def gone(seat: BotProcess) -> bool:
    assert seat._process.pidfd is not None
    return readable(seat._process.pidfd, 10_000)


def test_forked_and_fresh_runners_see_the_same_world() -> None:
    fresh, forked = describe_world(0), describe_world(1)
    assert {name: forked[name] for name in forked if forked[name] != fresh[name]} == {}
    assert forked.keys() == fresh.keys()


def test_each_seat_has_its_own_namespaces(sandbox: Sandbox) -> None:
    seats = [sandbox.open(FIRST, name="bot") for _ in range(2)]
    server = sandbox._servers[()]
    pids = [os.getpid(), server._server.popen.pid, *(seat._process.pid for seat in seats)]
    for kind in NAMESPACES:
        own, servers, *forked = (Path(f"/proc/{pid}/ns/{kind}").readlink() for pid in pids)
        assert len({own, servers, *forked}) == len({own, servers}) + len(seats), kind


@pytest.mark.parametrize("warm", [0, 1])
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the filter of one rule is x86_64's")
def test_user_namespaces_are_forbidden_even_without_the_filter(
    monkeypatch: pytest.MonkeyPatch, warm: int
) -> None:
    monkeypatch.setattr(seccomp, "build", lambda _: ALLOW_ALL)
    source = b"""
import ctypes, errno
def choose(view, legal):
    libc = ctypes.CDLL(None, use_errno=True)
    return str(libc.unshare(0x10000000)) + " " + errno.errorcode.get(ctypes.get_errno(), "")
"""
    with Sandbox(warm=warm) as sandbox:
        assert ask(sandbox.open(Program({"bot.py": source}), name="bot")) == "-1 ENOSPC"


def test_a_killed_server_ends_its_seats_and_is_replaced(sandbox: Sandbox) -> None:
    seat = sandbox.open(FIRST, name="bot")
    assert ask(seat) == "a"
    assert sandbox._servers
    sandbox._servers[()].kill()
    assert gone(seat)
    assert seat.close().reason == "outside"
    replacement = sandbox.open(FIRST, name="bot")
    assert ask(replacement) == "a"
    assert forked(replacement)


def test_a_killed_monitor_ends_only_its_seat(sandbox: Sandbox) -> None:
    victim, other = (sandbox.open(FIRST, name="bot") for _ in range(2))
    ask(other)
    os.kill(victim._process.popen.pid, signal.SIGKILL)
    assert gone(victim)
    assert victim.close().reason == "outside"
    other.send(START)
    assert other.receive(10) == b'{"type":"ready"}'


def test_without_a_fork_server_runners_are_started(
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


def test_descriptors_are_closed(sandbox: Sandbox) -> None:
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


# All objects that a bot can reach from its own frame, from the collector and from all classes.
REACHES = b"""
import gc, json, sys, types
def choose(view, legal):
    gc.unfreeze()
    waiting = [*gc.get_objects(), *object.__subclasses__()]
    frame = sys._getframe()
    while frame:
        waiting.append(frame)
        frame = frame.f_back
    seen, found = {}, []
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one
        if isinstance(one, types.FunctionType) and "forkserver" in one.__code__.co_filename:
            found.append(one.__name__)
        if isinstance(one, types.FrameType) and "forkserver" in one.f_code.co_filename:
            kept = ("interpreter_modules", "runner")
            found += [name for name in one.f_locals if name not in kept]
            found += list(one.f_globals)
        if type(one).__name__ in ("socket", "poll") or type(one).__module__ == "forkserver":
            found.append(repr(one))
        waiting += gc.get_referents(one)
    return json.dumps([len(seen), found])
"""


def test_a_runner_reaches_nothing_of_the_server(sandbox: Sandbox) -> None:
    for _ in range(2):  # the server of the second one has already had a seat
        seat = sandbox.open(Program({"bot.py": REACHES}), name="bot")
        assert forked(seat)
        frames, reached = json.loads(ask(seat))
        seat.close()
        assert frames > 1000
        assert set(reached) <= {"main", "<module>"}  # only code of the start


OPEN = b"""
import json, os
def choose(view, legal):
    found = []
    for fd in range(20_000):
        try:
            os.fstat(fd)
        except OSError:
            continue
        found.append(fd)
    return json.dumps(found)
"""


@pytest.mark.parametrize("warm", [0, 1])
def test_a_worker_with_many_descriptors_passes_on_none(warm: int) -> None:
    """There the descriptors of a new sandbox have high numbers."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4096:
        pytest.skip("this user may not open 1,100 files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4096), hard))
    with ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(1100):
            fd = os.open("/dev/null", os.O_RDONLY)
            stack.callback(os.close, fd)
            os.set_inheritable(fd, True)
        sandbox = stack.enter_context(Sandbox(warm=warm))
        seat = sandbox.open(Program({"bot.py": OPEN}), name="bot")
        assert forked(seat) == bool(warm)
        assert json.loads(ask(seat)) == [0, 1, 2, 3, 4]
