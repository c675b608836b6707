"""What bots see lies on a tmpfs of the process that starts them."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bots.sandbox import (
    Limits,
    Program,
    Sandbox,
    detect,
    image,
    interpreter,
    pick_cpu,
    pin,
    process,
    programs,
    root,
    tmpfs,
    unpin,
)
from bots.sandbox.model import SandboxUnavailable
from tests.bots.sandbox.conftest import ask

pytestmark = pytest.mark.sandbox

FIRST = Program({"bot.py": b"def choose(view, legal): return legal[0]"})
_WHERE = """
from bots.sandbox import detect, tmpfs
detect()
[shown] = tmpfs._cache.values()
import os
print(os.readlink(f"/proc/{shown.starter.pid}/ns/mnt"))
"""

_ORPHANS = """
import os, signal, time
from bots.sandbox import detect, tmpfs
detect()
[shown] = tmpfs._cache.values()
child = os.fork()
if not child:
    os.close(1)
    time.sleep(60)
    os._exit(0)
print(shown.starter.pid, child, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
_OPTIONS = """
from pathlib import Path
from bots.sandbox import detect, tmpfs
detect()
[shown] = tmpfs._cache.values()
mounts = Path(f"/proc/{shown.starter.pid}/mountinfo").read_text()
print(*(line for line in mounts.splitlines() if " /sys " in line and " - tmpfs " in line))
"""


@pytest.fixture
def shown() -> tmpfs.FilesNamespace:
    detect()
    return show()


def show() -> tmpfs.FilesNamespace:
    python = interpreter.running()
    bubblewrap = shutil.which("bwrap")
    assert bubblewrap is not None
    seen, engine = root.ensure_root(python, "python"), image.ensure_image(python)
    return tmpfs.ensure_namespace(bubblewrap, python, seen, engine)


def place(shown: tmpfs.FilesNamespace) -> str:
    return str(Path(f"/proc/{shown.starter.pid}/ns/mnt").readlink())


def test_it_is_made_once_a_process(shown: tmpfs.FilesNamespace) -> None:
    assert show() is shown
    assert shown.is_usable
    said = subprocess.run(
        [sys.executable, "-c", _WHERE], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() not in (place(shown), "")


def test_the_machine_sees_nothing_of_it(shown: tmpfs.FilesNamespace) -> None:
    assert shown.is_usable
    assert not Path(tmpfs.ROOT).exists()
    assert not Path(tmpfs.IMAGE).exists()
    assert "/sys/root" not in Path("/proc/self/mountinfo").read_text()


def test_files_lie_on_large_pages_that_the_kernel_leaves_alone() -> None:
    """What joins pages on its own, and when, would tell one bot what another has read."""
    before = large_pages()
    if before is None or tuple(map(int, os.uname().release.split(".")[:2])) < (6, 14):
        pytest.skip("this kernel makes no large pages here, or does not tell how many")
    options = subprocess.run(
        [sys.executable, "-c", _OPTIONS], capture_output=True, text=True, check=True
    ).stdout
    assert "tmpfs" in options
    assert "huge=" not in options
    assert (large_pages() or 0) > before + 100


def large_pages() -> int | None:
    """How many large pages this machine has made for any tmpfs."""
    counts = list(Path("/sys/kernel/mm/transparent_hugepage").glob("*/stats/shmem_alloc"))
    return sum(int(count.read_text()) for count in counts) if counts else None


def test_forked_processes_do_not_share_it(shown: tmpfs.FilesNamespace) -> None:
    """Pages that two map would let them talk by the processor's caches."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, f"{shown.is_usable} {place(show())}".encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, encoding="ascii") as answer:  # noqa: PTH123 - a descriptor
        stands, theirs = answer.read().split()
    os.waitpid(child, 0)
    assert stands == "False"
    assert theirs != place(shown)
    assert shown.is_usable


def test_who_starts_no_sandboxes_gives_the_memory_back(shown: tmpfs.FilesNamespace) -> None:
    mapped = Path("/proc/self/smaps_rollup").read_text()
    tmpfs.release()
    assert not shown.is_usable
    assert shmem_kib(Path("/proc/self/smaps_rollup").read_text()) + 30_000 < shmem_kib(mapped)
    with Sandbox() as sandbox:
        assert ask(sandbox.open(FIRST, name="bot")) == "a"


def shmem_kib(rollup: str) -> int:
    return int(re.findall(r"^Pss_Shmem:\s+(\d+)", rollup, re.MULTILINE)[0])


def test_it_is_made_anew_where_somebody_closed_it(shown: tmpfs.FilesNamespace) -> None:
    os.close(shown.starter.control.fileno())
    assert not shown.is_usable
    with Sandbox() as sandbox:
        assert ask(sandbox.open(FIRST, name="bot")) == "a"
    assert show() is not shown


def test_a_starter_has_all_cores_whoever_asked_first(shown: tmpfs.FilesNamespace) -> None:
    """What it starts inherits them, and warm sandboxes are made beside a pinned referee."""
    cpu = pick_cpu(0)
    if cpu is None:
        pytest.skip("no pinning on this system")
    tmpfs.release()
    cores = os.sched_getaffinity(0)
    pin(cpu)
    try:
        assert os.sched_getaffinity(show().starter.pid) == cores
    finally:
        unpin()


def test_a_starter_that_is_killed_takes_its_seats_along_and_is_replaced(
    shown: tmpfs.FilesNamespace,
) -> None:
    """Whoever ended it was no bot; a start that it was asked for is repeated."""
    with Sandbox() as sandbox:
        seat = sandbox.open(FIRST, name="bot")
        assert ask(seat) == "a"
        shown.starter.kill()
        again = sandbox.open(FIRST, name="bot")
        assert ask(again) == "a"
        assert seat.close().reason == "outside"
    assert not shown.is_usable


def test_a_starter_that_stands_still_is_waited_for(shown: tmpfs.FilesNamespace) -> None:
    """For longer than a sandbox may take to start."""
    os.kill(shown.starter.pid, signal.SIGSTOP)
    awake = threading.Timer(1.5, os.kill, (shown.starter.pid, signal.SIGCONT))
    awake.start()
    with Sandbox(Limits(start_ms=800)) as sandbox:
        assert ask(sandbox.open(FIRST, name="bot")) == "a"
    awake.join()
    assert show() is shown


def test_a_starter_that_stands_still_can_be_left(shown: tmpfs.FilesNamespace) -> None:
    pid = shown.starter.pid
    os.kill(pid, signal.SIGSTOP)
    tmpfs.release()
    assert not Path(f"/proc/{pid}").exists()


def test_a_starter_ends_with_its_process() -> None:
    """Also where others have copies of its socket, as children that were forked have."""
    said = subprocess.run([sys.executable, "-c", _ORPHANS], capture_output=True, check=False)
    first, child = map(int, said.stdout.split())
    try:
        deadline = time.monotonic() + 20
        while Path(f"/proc/{first}").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not Path(f"/proc/{first}").exists()
    finally:
        os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize("missing", ["bwrap", "nsenter", "setpriv"])
def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    if missing == "setpriv" and os.geteuid() != 0:
        pytest.skip("only root gives seats users of their own")
    tmpfs.release()
    find = programs.find
    monkeypatch.setattr(programs, "find", lambda name: None if name == missing else find(name))
    with pytest.raises(SandboxUnavailable, match="bubblewrap" if missing == "bwrap" else missing):
        process.start(Limits())


def test_what_cannot_be_copied_is_named(tmp_path: Path) -> None:
    python = interpreter.running()
    bubblewrap = str(shutil.which("bwrap"))
    with pytest.raises(SandboxUnavailable, match=r"kept in memory.*No such file"):
        tmpfs.ensure_namespace(bubblewrap, python, tmp_path / "missing", tmp_path)
    before = sorted(Path("/proc/self/fd").iterdir())
    with pytest.raises(SandboxUnavailable, match="kept in memory"):
        tmpfs.ensure_namespace("/bin/false", python, tmp_path, tmp_path)
    assert sorted(Path("/proc/self/fd").iterdir()) == before
