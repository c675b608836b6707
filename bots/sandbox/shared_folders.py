"""Create the folders that the sandbox shows to bots, once per machine; then they never change.

Each folder's name has the hash of its sources, so different versions of a program share none. Bots
see the subfolder `tree`; the modification time of the outer folder is the time of its last use.
`bots.sandbox.cleanup` removes unused folders.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from bots.sandbox import cleanup
from bots.sandbox.model import SandboxUnavailable

_TREE: Final = "tree"
# All files get this modification time, 2000-01-01, so that times reveal nothing about this machine.
_FILE_TIME: Final = 946_684_800


def cache_folder() -> Path:
    """The parent of the cached folders, created if missing.

    Raises SandboxUnavailable if other users could change it. It is not below /root, which the
    sandbox's user cannot reach, and preferably not in /var/tmp, which many machines clean.
    """
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - never fails
    preferred = Path("/var/cache" if os.geteuid() == 0 else home, "cardroom")
    candidates = [preferred, Path(f"/var/tmp/cardroom-{os.geteuid()}")]  # noqa: S108 - checked below
    reasons = []
    for candidate in candidates:
        try:
            candidate.mkdir(mode=0o755, parents=True, exist_ok=True)
        except OSError as error:
            reasons.append(f"{candidate}: {error.strerror}")
            continue
        if os.statvfs(candidate).f_flag & os.ST_NOEXEC:
            reasons.append(f"{candidate}: programs in it cannot be started (noexec)")
        elif is_private(candidate):
            candidate.chmod(0o755)  # despite the umask, the sandbox's user must have access
            return candidate
        else:
            reasons.append(f"{candidate}: other users may write to it, or own it")
    raise SandboxUnavailable("No folder can hold the sandbox's files: " + "; ".join(reasons))


def is_private(candidate: Path) -> bool:
    """Whether the candidate is a real folder of this user, to which nobody else may write."""
    status = candidate.lstat()
    own_folder = status.st_uid == os.geteuid()
    return stat.S_ISDIR(status.st_mode) and own_folder and not status.st_mode & 0o022


def ensure(name: str, expected: Mapping[str, int | None], build: Callable[[Path], None]) -> Path:
    """The tree of this name, built if it is missing or lacks files.

    `expected`: by relative path, the size in bytes of each necessary file; None: any size. `build`:
    fills an empty folder; modes and times are set afterwards. Raises SandboxUnavailable.
    """
    parent = cache_folder()
    target = parent / name
    if not _is_complete(target, expected):
        _build(target, expected, build)
        cleanup.remove_unused(parent)
    os.utime(target)
    cleanup.hold(target)
    return target / _TREE


def _is_complete(folder: Path, expected: Mapping[str, int | None]) -> bool:
    """Whether every file exists: programs that clean /var/tmp remove single files."""
    tree = f"{folder}/{_TREE}"
    try:
        sizes = {path: os.stat(f"{tree}/{path}").st_size for path in expected}  # noqa: PTH116 - a thousand
        return is_private(folder) and all(
            size in (None, sizes[path]) for path, size in expected.items()
        )
    except OSError:
        return False


def _build(folder: Path, expected: Mapping[str, int | None], build: Callable[[Path], None]) -> None:
    """Build in a temporary folder, then rename it, because other processes may do the same."""
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="building-") as work:
        new, old = Path(work, "new"), Path(work, "old")
        new.mkdir()
        tree = new / _TREE
        tree.mkdir()
        try:
            build(tree)
        except OSError as error:
            raise SandboxUnavailable(f"The sandbox's files cannot be created: {error}") from error
        new.chmod(0o755)
        for path in (tree, *tree.rglob("*")):
            if not path.is_symlink():
                program = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
                path.chmod(0o755 if program else 0o644)
            os.utime(path, (_FILE_TIME, _FILE_TIME), follow_symlinks=False)
        try:
            new.rename(folder)
        except OSError:
            if _is_complete(folder, expected):
                return
            folder.rename(old)
            new.rename(folder)
