"""The runtime image: engine, runner and the games that other packages bring, for sandboxes to read.

The project itself is never shown to a bot, and often could not be: a checkout under /root is out
of reach of the sandbox's user. An image is named by the hash of what it is made from, so that it
never changes and programs of different versions do not meet.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import engine
from bots.runner import runner
from bots.sandbox.model import SandboxUnavailable
from engine.registry import BUILT_IN, GROUP, entry_points

START: Final = "start.pyc"
NOTHING: Final = "nothing"  # an empty folder, to lay over others
_UNUSED_DAYS: Final = 30
# Tells the registry inside of the games brought along; no other installed metadata goes in.
_LISTED: Final = "cardroom_games-1.dist-info"
# Compiles with no check against the source's date: nobody can write there, and a check costs time.
_COMPILE: Final = """
import compileall, py_compile, sys
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
py_compile.compile("runner.py", sys.argv[1], "runner.py", doraise=True, invalidation_mode=mode)
for folder in sys.argv[2:]:
    compileall.compile_dir(folder, quiet=1, invalidation_mode=mode)
"""


def cache_folder() -> Path:
    """Where images live; made if missing. Raises SandboxUnavailable if others could change it.

    root's is in /var/tmp, since the sandbox's user must be able to reach it.
    """
    fallback = Path("/var/tmp") / f"cardroom-{os.geteuid()}"  # noqa: S108 - checked below
    candidates = [fallback]
    if os.geteuid() != 0:
        home = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
        candidates.insert(0, Path(home) / "cardroom")
    reasons = []
    for folder in candidates:
        try:
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        except OSError as error:
            reasons.append(f"{folder}: {error.strerror}")
            continue
        if owned(folder):
            folder.chmod(0o755)  # whatever the umask: the sandbox's user must come in
            return folder
        reasons.append(f"{folder}: others may write there or it is not yours")
    raise SandboxUnavailable("There is no place for the sandbox's files: " + "; ".join(reasons))


def owned(folder: Path) -> bool:
    """Whether it is a real folder of this user that nobody else may write to."""
    status = folder.lstat()
    mine = status.st_uid == os.geteuid()
    return stat.S_ISDIR(status.st_mode) and mine and not status.st_mode & 0o022


def ensure_image(python: Path, version: str) -> Path:
    """The image for an interpreter, built if it is not there or files of it went missing.

    python: the interpreter that bots will run under; it compiles the files.
    version: whatever tells its compiled files from another interpreter's.
    """
    sources = _sources()
    digest = hashlib.sha256(version.encode())
    for path, content in sources.items():
        digest.update(f"\0{path}\0{len(content)}\0".encode() + content)
    cache = cache_folder()
    image = cache / f"image-{digest.hexdigest()[:24]}"
    if not _complete(image, sources):
        _build(image, sources, python)
        _remove_unused(cache)
    os.utime(image)
    return image


def _sources() -> dict[str, bytes]:
    top = Path(engine.__path__[0])
    sources = {path.relative_to(top.parent).as_posix(): path for path in _modules(top)}
    for path in top.parent.glob("*__mypyc.*.so"):  # what compiled modules share
        sources[path.name] = path
    brought, listing = _brought()
    sources = brought | sources  # nothing that is brought takes the place of the engine
    sources["runner.py"] = Path(runner.__file__)
    contents = {name: sources[name].read_bytes() for name in sorted(sources)}
    return contents | listing


def _brought() -> tuple[dict[str, Path], dict[str, bytes]]:
    """The modules of packages that bring games, and the metadata that lists these games.

    Of a package only its modules go in, not what it depends on: a game that needs more than the
    engine and the standard library can be played, but not tried out by bots inside.
    """
    files: dict[str, Path] = {}
    lines = []
    for entry in sorted(entry_points(group=GROUP)):
        name = entry.module.partition(".")[0]
        spec = find_spec(name)  # of a top module: finds it and imports nothing
        if entry.name in BUILT_IN or spec is None or name in {"engine", "runner"}:
            continue
        lines.append(f"{entry.name} = {entry.value}\n")
        if spec.submodule_search_locations is None:
            files[Path(str(spec.origin)).name] = Path(str(spec.origin))
        for place in spec.submodule_search_locations or ():
            top = Path(place)
            files |= {f"{name}/{path.relative_to(top).as_posix()}": path for path in _modules(top)}
    if not lines:
        return {}, {}
    return files, {
        f"{_LISTED}/METADATA": b"Metadata-Version: 2.1\nName: cardroom-games\nVersion: 1\n",
        f"{_LISTED}/entry_points.txt": f"[{GROUP}]\n{''.join(lines)}".encode(),
    }


def _modules(top: Path) -> Iterator[Path]:
    for path in top.rglob("*"):
        if path.suffix in {".py", ".so"} and "__pycache__" not in path.parts:
            yield path


def _complete(image: Path, sources: Mapping[str, bytes]) -> bool:
    """Whether every file is there: what cleans /var/tmp goes file by file."""
    try:
        sizes = {name: (image / name).stat().st_size for name in sources}
        compiled = (image / START).exists() and (image / NOTHING).exists()
    except OSError:
        return False
    whole = all(sizes[name] == len(content) for name, content in sources.items())
    return owned(image) and compiled and whole


def _build(image: Path, sources: Mapping[str, bytes], python: Path) -> None:
    """Build beside it, then move into place in one step; another process may do the same."""
    with tempfile.TemporaryDirectory(dir=image.parent, prefix="building-") as work:
        new = Path(work) / "new"
        new.mkdir(mode=0o755)
        for name, content in sources.items():
            target = new / name
            target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            target.write_bytes(content)
        (new / NOTHING).mkdir()
        _compile(new, python, sorted({name.split("/")[0] for name in sources if "/" in name}))
        for path in (new, *new.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        old = Path(work) / "old"
        try:
            new.rename(image)
        except OSError:
            if _complete(image, sources):
                return
            image.rename(old)
            new.rename(image)


def _compile(folder: Path, python: Path, packages: list[str]) -> None:
    done = subprocess.run(
        [str(python), "-I", "-S", "-c", _COMPILE, START, *packages],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    # A module of the engine that does not compile will tell the bot that imports it.
    if not (folder / START).exists():
        raise SandboxUnavailable(f"{python} cannot compile the runner: {done.stderr.strip()}")


def _remove_unused(cache: Path) -> None:
    limit = time.time() - _UNUSED_DAYS * 86_400
    for image in cache.glob("image-*"):
        if image.stat().st_mtime < limit:
            shutil.rmtree(image, ignore_errors=True)
