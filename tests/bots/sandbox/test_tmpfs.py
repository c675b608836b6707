"""The files of bots are on a tmpfs of the process that starts them."""

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
    executables,
    image,
    interpreter,
    pick_cpu,
    pin,
    process,
    rootfs,
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
def namespace() -> tmpfs.FilesNamespace:
    detect()
    return make_namespace()


def make_namespace() -> tmpfs.FilesNamespace:
    python = interpreter.running()
    bubblewrap = shutil.which("bwrap")
    assert bubblewrap is not None
    root_files, engine = rootfs.ensure_root(python, "python"), image.ensure_image(python)
    return tmpfs.ensure_namespace(bubblewrap, python, root_files, engine)


def mount_namespace_of(namespace: tmpfs.FilesNamespace) -> str:
    return str(Path(f"/proc/{namespace.starter.pid}/ns/mnt").readlink())


def test_the_namespace_is_made_once_for_each_process(namespace: tmpfs.FilesNamespace) -> None:
    assert make_namespace() is namespace
    assert namespace.is_usable
    process = subprocess.run(
        [sys.executable, "-c", _WHERE], capture_output=True, text=True, check=True
    )
    assert process.stdout.strip() not in (mount_namespace_of(namespace), "")


def test_the_namespace_is_invisible_to_the_machine(namespace: tmpfs.FilesNamespace) -> None:
    assert namespace.is_usable
    assert not Path(tmpfs.ROOT).exists()
    assert not Path(tmpfs.IMAGE).exists()
    assert "/sys/root" not in Path("/proc/self/mountinfo").read_text()


def test_files_are_on_large_pages() -> None:
    """The time at which the kernel joins pages would show a bot what another one has read."""
    count = large_pages()
    if count is None or tuple(map(int, os.uname().release.split(".")[:2])) < (6, 14):
        pytest.skip("this kernel makes no large pages here, or does not tell how many")
    options = subprocess.run(
        [sys.executable, "-c", _OPTIONS], capture_output=True, text=True, check=True
    ).stdout
    assert "tmpfs" in options
    assert "huge=" not in options
    assert (large_pages() or 0) > count + 100


def large_pages() -> int | None:
    """The number of large pages that this machine has made for any tmpfs."""
    counts = list(Path("/sys/kernel/mm/transparent_hugepage").glob("*/stats/shmem_alloc"))
    return sum(int(count.read_text()) for count in counts) if counts else None


def test_forked_processes_do_not_share_the_namespace(namespace: tmpfs.FilesNamespace) -> None:
    """Shared pages would let bots communicate through the processor's caches."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(
                writing, f"{namespace.is_usable} {mount_namespace_of(make_namespace())}".encode()
            )
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, encoding="ascii") as pipe:  # noqa: PTH123 - a descriptor
        is_usable, child_place = pipe.read().split()
    os.waitpid(child, 0)
    assert is_usable == "False"
    assert child_place != mount_namespace_of(namespace)
    assert namespace.is_usable


def test_memory_is_freed_when_no_sandboxes_start(namespace: tmpfs.FilesNamespace) -> None:
    mapped = Path("/proc/self/smaps_rollup").read_text()
    tmpfs.release()
    assert not namespace.is_usable
    assert shmem_kib(Path("/proc/self/smaps_rollup").read_text()) + 30_000 < shmem_kib(mapped)
    with Sandbox() as sandbox:
        assert ask(sandbox.open(FIRST, name="bot")) == "a"


def shmem_kib(rollup: str) -> int:
    return int(re.findall(r"^Pss_Shmem:\s+(\d+)", rollup, re.MULTILINE)[0])


def test_a_closed_namespace_is_made_again(namespace: tmpfs.FilesNamespace) -> None:
    os.close(namespace.starter.control.fileno())
    assert not namespace.is_usable
    with Sandbox() as sandbox:
        assert ask(sandbox.open(FIRST, name="bot")) == "a"
    assert make_namespace() is not namespace


def test_a_starter_may_use_all_cores(namespace: tmpfs.FilesNamespace) -> None:
    """Sandboxes inherit its cores, and warm ones may be started by a pinned referee."""
    cpu = pick_cpu(0)
    if cpu is None:
        pytest.skip("no pinning on this system")
    tmpfs.release()
    cores = os.sched_getaffinity(0)
    pin(cpu)
    try:
        assert os.sched_getaffinity(make_namespace().starter.pid) == cores
    finally:
        unpin()


def test_a_killed_starter_ends_its_seats_and_is_replaced(
    namespace: tmpfs.FilesNamespace,
) -> None:
    """No bot can have ended it, so a pending start is repeated."""
    with Sandbox() as sandbox:
        seat = sandbox.open(FIRST, name="bot")
        assert ask(seat) == "a"
        namespace.starter.kill()
        replacement = sandbox.open(FIRST, name="bot")
        assert ask(replacement) == "a"
        assert seat.close().reason == "outside"
    assert not namespace.is_usable


def test_a_stopped_starter_is_awaited(namespace: tmpfs.FilesNamespace) -> None:
    """It may be stopped for longer than the time limit of a start."""
    os.kill(namespace.starter.pid, signal.SIGSTOP)
    awake = threading.Timer(1.5, os.kill, (namespace.starter.pid, signal.SIGCONT))
    awake.start()
    with Sandbox(Limits(start_ms=800)) as sandbox:
        assert ask(sandbox.open(FIRST, name="bot")) == "a"
    awake.join()
    assert make_namespace() is namespace


def test_waiting_for_a_stopped_starter_can_be_cancelled(namespace: tmpfs.FilesNamespace) -> None:
    pid = namespace.starter.pid
    os.kill(pid, signal.SIGSTOP)
    tmpfs.release()
    assert not Path(f"/proc/{pid}").exists()


def test_a_starter_ends_with_its_process() -> None:
    """This holds even if others, such as forked children, have copies of its socket."""
    process = subprocess.run([sys.executable, "-c", _ORPHANS], capture_output=True, check=False)
    starter, child = map(int, process.stdout.split())
    try:
        deadline = time.monotonic() + 20
        while Path(f"/proc/{starter}").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not Path(f"/proc/{starter}").exists()
    finally:
        os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize("missing", ["bwrap", "nsenter", "setpriv"])
def test_missing_rights_are_named(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    if missing == "setpriv" and os.geteuid() != 0:
        pytest.skip("only root gives seats users of their own")
    tmpfs.release()
    find = executables.find
    monkeypatch.setattr(executables, "find", lambda name: None if name == missing else find(name))
    with pytest.raises(SandboxUnavailable, match="bubblewrap" if missing == "bwrap" else missing):
        process.start(Limits())


def test_files_that_cannot_be_copied_are_named(tmp_path: Path) -> None:
    python = interpreter.running()
    bubblewrap = str(shutil.which("bwrap"))
    with pytest.raises(SandboxUnavailable, match=r"kept in memory.*No such file"):
        tmpfs.ensure_namespace(bubblewrap, python, tmp_path / "missing", tmp_path)
    descriptors = sorted(Path("/proc/self/fd").iterdir())
    with pytest.raises(SandboxUnavailable, match="kept in memory"):
        tmpfs.ensure_namespace("/bin/false", python, tmp_path, tmp_path)
    assert sorted(Path("/proc/self/fd").iterdir()) == descriptors
