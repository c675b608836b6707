"""The compiled engine: how a checkout comes by one, and which one a program takes.

A wheel brings compiled rules along. A checkout compiles them once, in the background, into
`build/compiled/KEY`; the key is a hash of the sources, of the recipe and of the kind of Python, so
that no copy is ever stale. A program that starts takes the copy that fits, else the sources; a
program that runs keeps what it has. CARDROOM_COMPILE=0: neither compile nor take one.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
RECIPE: Final = ROOT / "hatch_build.py"
"""What compiles; only a checkout has it."""
HOME: Final = ROOT / "build" / "compiled"
KEPT: Final = 3
"""Copies that are kept: who goes back to an older state of the sources finds them compiled."""
RETRY_S: Final = 86_400.0
"""Seconds until compiling is tried again after a failure: the disk was full, perhaps."""

_WORK: Final = "building-"
_FAILED: Final = ".failed"
# Folders in use are locked while this process lives: who sweeps passes them by.
_held: list[int] = []
_builders: list[subprocess.Popen[bytes]] = []
_why = ""


class Kind(NamedTuple):
    """Which engine runs."""

    word: str
    """`compiled` or `interpreted`."""
    reason: str
    """Why it is interpreted, as part of a sentence; empty if it is compiled."""

    def __str__(self) -> str:
        return f"{self.word} ({self.reason})" if self.reason else self.word


def use() -> None:
    """Let this program import the compiled engine; where there is none yet, have it compiled.

    To be called before the engine is imported; later it does nothing. Takes about 3 ms.
    """
    global _why
    if "engine" in sys.modules or not RECIPE.is_file():
        return
    if os.environ.get("CARDROOM_COMPILE") == "0":
        _why = "CARDROOM_COMPILE=0"
        return
    name = key(ROOT / "engine")
    if _hold(HOME / name):
        sys.path.insert(0, str(HOME / name))
    else:
        _why = _obstacle(name) or _begin()


def kind() -> Kind:
    """Which engine this program runs."""
    from engine import match

    if not (match.__file__ or "").endswith(".py"):
        return Kind("compiled", "")
    missing = "" if RECIPE.is_file() else "this installation came without compiled rules"
    return Kind("interpreted", _why or missing or "this program does not ask for compiled rules")


def key(engine: Path, recipe: bytes | None = None) -> str:
    """The name of what is compiled from these sources, by this recipe, for this Python.

    None: by the recipe as it is now.
    """
    found = sha256(EXTENSION_SUFFIXES[0].encode() + (recipe or RECIPE.read_bytes()))
    sources = []
    for folder, _, names in os.walk(engine):
        sources += [f"{folder}/{name}" for name in names if name.endswith(".py")]
    for source in sorted(sources):
        with open(source, "rb") as file:  # noqa: PTH123 - a hundred, at every start
            content = file.read()
        found.update(f"\0{source[len(str(engine)) :]}\0{len(content)}\0".encode() + content)
    return found.hexdigest()[:24]


def make(compile_engine: Callable[[Path], object]) -> Path:
    """The folder that holds the engine compiled, made now if it is missing.

    compile_engine: puts sources and compiled modules into an empty folder; what it raises is noted
    and passed on. One process at a time compiles, and the others wait for it.
    """
    HOME.mkdir(parents=True, exist_ok=True)
    with (HOME / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for left in HOME.glob(f"{_WORK}*"):  # by one that was killed
            shutil.rmtree(left, ignore_errors=True)
        name = key(ROOT / "engine")
        if not (HOME / name).is_dir():
            name = _make(compile_engine)
            _sweep(name)
        return HOME / name


def _make(compile_engine: Callable[[Path], object]) -> str:
    recipe = RECIPE.read_bytes()
    work = Path(tempfile.mkdtemp(dir=HOME, prefix=_WORK))
    work.chmod(0o755)
    try:
        compile_engine(work)
    except Exception as error:
        (HOME / f"{key(work / 'engine', recipe)}{_FAILED}").write_text(str(error))
        shutil.rmtree(work, ignore_errors=True)
        raise
    name = key(work / "engine", recipe)  # of what was copied: somebody may have edited since
    work.rename(HOME / name)
    return name


def _sweep(new: str) -> None:
    """Remove what has not been made lately and is not in use, and what is known of failures."""
    for note in HOME.glob(f"*{_FAILED}"):
        note.unlink(missing_ok=True)
    others = [path for path in HOME.iterdir() if path.is_dir() and path.name != new]
    others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for old in others[KEPT - 1 :]:
        with suppress(OSError):
            fd = os.open(old, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                old.rename(gone := HOME / f"{_WORK}{old.name}")
                shutil.rmtree(gone, ignore_errors=True)
            finally:
                os.close(fd)


def _hold(folder: Path) -> bool:
    """Whether the folder is there; then it stays as long as this process lives."""
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        if os.fstat(fd).st_ino == folder.stat().st_ino:
            _held.append(fd)
            return True
    except OSError:  # it is being swept
        pass
    os.close(fd)
    return False


def _obstacle(name: str) -> str:
    """Why the engine cannot be compiled here; empty if nothing is known to forbid it."""
    note = HOME / f"{name}{_FAILED}"
    with suppress(OSError):
        if time.time() - note.stat().st_mtime < RETRY_S:  # noqa: TID251 - the disk's
            return f"compiling failed: {note.read_text(errors='replace').strip()}"
    if find_spec("mypyc") is None:
        return "mypyc is not installed"
    if shutil.which(os.environ.get("CC", "cc").partition(" ")[0]) is None:
        return "there is no C compiler"
    return ""


def _begin() -> str:
    """Let another process compile the engine; what to say until it is done."""
    command = ["nice", "-n19", sys.executable, str(RECIPE)]
    nothing = subprocess.DEVNULL
    try:
        HOME.mkdir(parents=True, exist_ok=True)
        with (HOME / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        builder = subprocess.Popen(
            command, cwd=ROOT, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
        )
    except BlockingIOError:  # another process is at it
        pass
    except OSError as error:
        return f"it cannot be compiled here: {error}"
    else:
        _builders.append(builder)
        # Where Linux groups tasks by session, each session is as dear as any other: the niceness of
        # a process counts only within its own.
        with suppress(OSError):
            Path(f"/proc/{builder.pid}/autogroup").write_text("19")
    return "it is being compiled"
