"""Chooses between the compiled and the interpreted engine.

A wheel contains compiled rules. In a checkout, `scripts/setup.sh` runs `hatch_build.py`, which
compiles them into `build/compiled/KEY`. The key is a hash of the sources, the recipe and the Python
version, so no copy is ever stale. The user's cache keeps copies for other checkouts of the same
sources. A program uses a copy that exists when it starts; it never compiles one. CARDROOM_COMPILE=0
selects the sources.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[3]
RECIPE: Final = ROOT / "hatch_build.py"
"""The build script; only a checkout has it."""
HOME: Final = ROOT / "build" / "compiled"
KEPT_COPIES: Final = 3
"""The newest copies are never removed, because somebody may return to older sources."""
KEEP_SECONDS: Final = 30 * 86_400.0
"""Age at which other copies are removed. Until then, running programs may load modules from
them."""

SWITCHED_OFF: Final = "CARDROOM_COMPILE=0"
"""`EngineKind.reason` if `CARDROOM_COMPILE=0` selects the sources."""
_WORK_PREFIX: Final = "building-"
_reason = ""


class EngineKind(NamedTuple):
    """The engine that a program runs."""

    word: str
    """`compiled` or `interpreted`."""
    reason: str
    """Why it is interpreted, to put into a sentence; empty if it is compiled."""

    def __str__(self) -> str:
        return f"{self.word} ({self.reason})" if self.reason else self.word


def use() -> None:
    """Make this program import the compiled engine if there is one.

    Call this before any import of the engine; later calls do nothing. It takes about 3 ms.
    """
    global _reason
    if "engine" in sys.modules or not RECIPE.is_file():
        return
    if os.environ.get("CARDROOM_COMPILE") == "0":
        _reason = SWITCHED_OFF
        return
    folder = HOME / key(ROOT / "engine")
    if not folder.is_dir():
        _reason = "these sources are not compiled yet; run `python hatch_build.py`"
        return
    sys.path.insert(0, str(folder))
    try:
        # Import now: Celery later puts the folder in which a program starts at the front of
        # sys.path.
        import engine  # noqa: F401
    except ImportError as error:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] == "engine"]:
            del sys.modules[name]
        _reason = f"{folder} cannot be used: {error}"


def kind() -> EngineKind:
    """The engine that this program runs."""
    from engine import match

    if not (match.__file__ or "").endswith(".py"):
        return EngineKind("compiled", "")
    missing = "" if RECIPE.is_file() else "this installation came without compiled rules"
    return EngineKind(
        "interpreted", _reason or missing or "this program does not load compiled rules"
    )


def key(engine: Path, recipe: bytes | None = None) -> str:
    """The name of the compiled copy of these sources for this recipe (None: the current one) and
    this Python."""
    digest = sha256(EXTENSION_SUFFIXES[0].encode() + (recipe or RECIPE.read_bytes()))
    sources = []
    for folder, _, names in os.walk(engine):
        sources += [f"{folder}/{name}" for name in names if name.endswith(".py")]
    for source in sorted(sources):
        with open(source, "rb") as file:  # noqa: PTH123 - Path.open is slower; a hundred files at every start
            content = file.read()
        digest.update(f"\0{source[len(str(engine)) :]}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:24]


def get_or_compile(compile_engine: Callable[[Path], object]) -> Path:
    """The folder with the compiled engine, which is copied from the cache or compiled if missing.

    `compile_engine` fills an empty folder with sources and compiled modules; its exceptions
    propagate. One process at a time compiles for a checkout, and the others wait for it.
    """
    HOME.mkdir(parents=True, exist_ok=True)
    with (HOME / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for leftover in HOME.glob(f"{_WORK_PREFIX}*"):  # of a killed process
            shutil.rmtree(leftover, ignore_errors=True)
        name = key(ROOT / "engine")
        if not (HOME / name).is_dir():
            name = _copy(_cache() / name, HOME) or _compile(compile_engine)
            _remove_old_copies(HOME, name)
        with suppress(OSError):  # without a cache, other checkouts compile again
            _cache().mkdir(parents=True, exist_ok=True)
            _copy(HOME / name, _cache())
            _remove_old_copies(_cache(), name)
        return HOME / name


def _cache() -> Path:
    """The folder in which this user's checkouts share compiled copies."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(cache) / "cardroom" / "compiled"


def _compile(compile_engine: Callable[[Path], object]) -> str:
    recipe = RECIPE.read_bytes()
    work = _work_folder(HOME)
    try:
        compile_engine(work)
        name = key(work / "engine", recipe)  # key of the copy: the originals may have changed since
        work.rename(HOME / name)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return name


def _copy(source: Path, folder: Path) -> str:
    """Copy `source` into `folder`, unless it is there already; return its name, or "" if `source`
    is missing."""
    if not source.is_dir():
        return ""
    if not (folder / source.name).is_dir():
        work = _work_folder(folder)
        shutil.copytree(source, work, dirs_exist_ok=True)
        os.utime(work)  # its age counts from this copy
        work.rename(folder / source.name)
    return source.name


def _work_folder(parent: Path) -> Path:
    work = Path(tempfile.mkdtemp(dir=parent, prefix=_WORK_PREFIX))
    work.chmod(0o755)  # services that run as other users read it
    return work


def _remove_old_copies(folder: Path, current: str) -> None:
    """Remove old copies, except `current` and the newest."""
    others = [path for path in folder.iterdir() if path.is_dir() and path.name != current]
    others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for copy in others[KEPT_COPIES - 1 :]:
        if copy.stat().st_mtime < time.time() - KEEP_SECONDS:  # noqa: TID251 - compared with file times
            shutil.rmtree(copy, ignore_errors=True)
