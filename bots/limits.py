"""What a bot package may contain: sizes, numbers and names, each with its reason."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

KIB = 1024
MIB = 1024 * KIB

MAX_PACKED = 4 * MIB
"""Bytes of an upload: a bot and a small table of weights; the site keeps every version for ever."""
MAX_UNPACKED = 12 * MIB
"""Bytes of all files: copied into memory for every seat, and within the sandbox's disk limit."""
MAX_FILES = 200
"""Files in a package: a bot with its modules and data, not a library collection."""
MAX_PATH = 200
"""Bytes of one path, so that every file system takes it."""
MAX_SOURCE = 1 * MIB
"""Bytes of bot.py: tables belong in data files, where they need no compiling at every start."""


class PackageError(ValueError):
    """A package that cannot be used; the message names the file and says what would be right."""


def human(size: int) -> str:
    """A size for people: `812 bytes`, `3.2 KiB`, `4 MiB`."""
    if size < KIB:
        return f"{size} bytes"
    unit, name = (MIB, "MiB") if size >= MIB else (KIB, "KiB")
    return f"{size / unit:.1f}".removesuffix(".0") + f" {name}"


def quoted(name: str) -> str:
    """A foreign name, safe and short enough to stand in a message."""
    return repr(name if len(name) <= 80 else f"{name[:77]}...")


def check_path(path: str) -> str:
    """Return the path if it is a plain relative one, else raise PackageError."""
    if "\\" in path:
        raise PackageError(f"The name {quoted(path)} has a backslash; separate folders with /.")
    if path.startswith("/") or (len(path) > 1 and path[1] == ":"):
        raise PackageError(f"The path {quoted(path)} is absolute; paths must be relative.")
    if any(part in {"", ".", ".."} for part in path.split("/")):
        raise PackageError(
            f"The path {quoted(path)} climbs or has empty parts; write it from the top."
        )
    if not path.isprintable():
        raise PackageError(f"The name {quoted(path)} has characters that cannot be printed.")
    if len(path.encode(errors="surrogateescape")) > MAX_PATH:
        raise PackageError(f"The path {quoted(path)} is longer than {MAX_PATH} bytes.")
    return path


def check_paths(paths: Iterable[str]) -> None:
    """Refuse names that some file system would take for the same, and files that are folders."""
    seen: dict[str, str] = {}
    for path in paths:
        check_path(path)
        key = _folded(path)
        if key in seen:
            raise PackageError(
                f"{quoted(seen[key])} and {quoted(path)} differ only in case; rename one."
            )
        seen[key] = path
    for key, path in seen.items():
        parts = key.split("/")
        for depth in range(1, len(parts)):
            parent = seen.get("/".join(parts[:depth]))
            if parent is not None:
                raise PackageError(f"{quoted(parent)} is a file and the folder of {quoted(path)}.")


def check_sizes(files: Mapping[str, bytes]) -> None:
    """Refuse too many files or too many bytes."""
    if len(files) > MAX_FILES:
        raise PackageError(f"The package has {len(files)} files; it may have {MAX_FILES}.")
    check_total(sum(map(len, files.values())))


def check_total(size: int) -> None:
    """Refuse more unpacked bytes than a package may have."""
    if size > MAX_UNPACKED:
        raise PackageError(f"The package unpacks to more than {human(MAX_UNPACKED)}.")


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
