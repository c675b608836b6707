"""What bots see lies on a tmpfs of the process that starts them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bots.sandbox import Program, Sandbox, detect, image, interpreter, root, tmpfs
from bots.sandbox.model import SandboxUnavailable
from tests.bots.sandbox.conftest import ask

pytestmark = pytest.mark.sandbox

FIRST = Program({"bot.py": b"def choose(view, legal): return legal[0]"})
_WHERE = """
from bots.sandbox import detect, tmpfs
detect()
[shown] = tmpfs._made.values()
import os
print(os.readlink(f"/proc/self/fd/{shown.mounts}"))
"""

_OPTIONS = """
import subprocess
from bots.sandbox import detect, tmpfs
detect()
[shown] = tmpfs._made.values()
command = [*shown.entering(), "grep", "/sys.* - tmpfs ", "/proc/self/mountinfo"]
subprocess.run(command, pass_fds=shown.descriptors, check=True)
"""


@pytest.fixture
def shown() -> tmpfs.Shown:
    detect()
    return show()


def show() -> tmpfs.Shown:
    python = interpreter.running()
    bubblewrap = shutil.which("bwrap")
    assert bubblewrap is not None
    seen, engine = root.ensure_root(python, "python"), image.ensure_image(python)
    return tmpfs.show(bubblewrap, python, seen, engine)


def place(shown: tmpfs.Shown) -> str:
    return str(Path(f"/proc/self/fd/{shown.mounts}").readlink())


def test_it_is_made_once_a_process(shown: tmpfs.Shown) -> None:
    assert show() is shown
    assert shown.stands
    said = subprocess.run(
        [sys.executable, "-c", _WHERE], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() not in (place(shown), "")


def test_the_machine_sees_nothing_of_it(shown: tmpfs.Shown) -> None:
    assert shown.stands
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


def test_forked_processes_do_not_share_it(shown: tmpfs.Shown) -> None:
    """Pages that two map would let them talk by the processor's caches."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, f"{shown.stands} {place(show())}".encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, encoding="ascii") as answer:  # noqa: PTH123 - a descriptor
        stands, theirs = answer.read().split()
    os.waitpid(child, 0)
    assert stands == "False"
    assert theirs != place(shown)
    assert shown.stands


def test_who_starts_no_sandboxes_gives_the_memory_back(shown: tmpfs.Shown) -> None:
    mapped = Path("/proc/self/smaps_rollup").read_text()
    tmpfs.leave()
    assert not shown.stands
    assert shmem_kib(Path("/proc/self/smaps_rollup").read_text()) + 30_000 < shmem_kib(mapped)
    with Sandbox() as sandbox:
        assert ask(sandbox.open(FIRST, name="bot")) == "a"


def shmem_kib(rollup: str) -> int:
    return int(re.findall(r"^Pss_Shmem:\s+(\d+)", rollup, re.MULTILINE)[0])


def test_it_is_made_anew_where_somebody_closed_it(shown: tmpfs.Shown) -> None:
    for fd in shown.descriptors:
        os.close(fd)
    assert not shown.stands
    with Sandbox() as sandbox:
        assert ask(sandbox.open(FIRST, name="bot")) == "a"
    assert show() is not shown


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, shown: tmpfs.Shown) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SandboxUnavailable, match="nsenter"):
        shown.entering()


def test_what_cannot_be_copied_is_named(tmp_path: Path) -> None:
    python = interpreter.running()
    bubblewrap = str(shutil.which("bwrap"))
    with pytest.raises(SandboxUnavailable, match=r"kept in memory.*No such file"):
        tmpfs.show(bubblewrap, python, tmp_path / "missing", tmp_path)
    before = sorted(Path("/proc/self/fd").iterdir())
    with pytest.raises(SandboxUnavailable, match="kept in memory"):
        tmpfs.show("/bin/false", python, tmp_path, tmp_path)
    assert sorted(Path("/proc/self/fd").iterdir()) == before
