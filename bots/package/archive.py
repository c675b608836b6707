"""Reading archives and folders that strangers made, without unpacking anything to disk."""

from __future__ import annotations

import io
import os
import stat
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from bots.limits import (
    MAX_DIRECTORY,
    MAX_FILES,
    MAX_UNPACKED,
    PackageError,
    check_path,
    check_total,
    human,
    quoted,
)

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1 | 0x40 | 0x2000  # traditional, strong, and masked headers
_UTF8 = 0x800  # flag of a name in UTF-8
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
)
"""What `zipfile` raises on archives that are broken, encrypted or lying."""
_LITTER = frozenset({"__MACOSX", "__pycache__", ".git", ".DS_Store", "Thumbs.db", ".venv"})
"""What tools leave behind: never part of a package."""


def is_litter(path: str) -> bool:
    """Whether a path lies in what tools leave behind (caches, version control, finder files)."""
    return any(part in _LITTER for part in path.split("/"))


class _Bounded:
    """A file for `zipfile` that refuses single reads of more than `limit` bytes."""

    def __init__(self, file: IO[bytes], limit: int) -> None:
        self.file, self.limit = file, limit
        self.seek, self.tell = file.seek, file.tell
        self.seekable = lambda: True

    def read(self, size: int = -1) -> bytes:
        """As the file does; PackageError where it would be too much."""
        content = self.file.read(self.limit + 1 if size < 0 else min(size, self.limit + 1))
        if len(content) > self.limit:
            raise PackageError(
                f"The archive's table of contents is longer than {human(self.limit)}; "
                "pack fewer files."
            )
        return content


@contextmanager
def opened_zip(file: IO[bytes], directory: int) -> Iterator[zipfile.ZipFile]:
    """Open a zip. directory: maximum size of its table of contents in bytes, checked first.

    Raises PackageError if it is longer, and one of `BROKEN` if there is none.
    """
    bounded = _Bounded(file, directory)
    with zipfile.ZipFile(bounded) as archive:
        bounded.limit = sys.maxsize - 1
        yield archive


def read_zip(content: bytes) -> dict[str, bytes]:
    """The files of a zip archive, path → content; folders and litter are left out.

    Sizes are counted on the bytes that really come out, never taken from the archive.
    PackageError on links, devices, odd paths, encryption, doubles, and archives that are broken.
    """
    try:
        with opened_zip(io.BytesIO(content), MAX_DIRECTORY) as archive:
            return _members(archive)
    except BROKEN as error:
        if isinstance(error, PackageError):
            raise
        raise PackageError(f"The zip archive is broken: {error}. Pack it again.") from None


def _members(archive: zipfile.ZipFile) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    total = 0
    for info in archive.infolist():
        path = _name(info)
        if path.endswith("/") or info.filename.endswith("/"):
            check_path(path.rstrip("/"))
            continue
        _check_member(info, path)
        if is_litter(path):
            continue
        if path in files:
            raise PackageError(f"The archive holds {quoted(path)} twice; keep one of them.")
        if len(files) == MAX_FILES:
            raise PackageError(f"The package has more than {MAX_FILES} files.")
        files[path] = _content(archive, info, path, MAX_UNPACKED - total)
        total += len(files[path])
    return files


def _name(info: zipfile.ZipInfo) -> str:
    """The path of a member.

    `zipfile` decodes a name without the UTF-8 flag in an old DOS encoding. Many tools write UTF-8
    without the flag; the encoding of other tools is unknown.
    """
    path = info.orig_filename
    if info.flag_bits & _UTF8 or path.isascii():
        return path
    try:
        return path.encode("cp437").decode()
    except UnicodeError:
        raise PackageError(
            f"The archive does not say in which encoding the name {quoted(path)} is written; "
            "give the file a name of plain letters, or pack with a tool that writes UTF-8."
        ) from None


def _check_member(info: zipfile.ZipInfo, path: str) -> None:
    check_path(path)
    if info.flag_bits & _ENCRYPTED:
        raise PackageError(f"{quoted(path)} is encrypted; pack it without a password.")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise PackageError(f"{quoted(path)} is a link; pack the file itself.")
    if kind not in {0, stat.S_IFREG}:
        raise PackageError(f"{quoted(path)} is not a plain file; only files may be packed.")
    if info.compress_type not in _METHODS:
        raise PackageError(f"{quoted(path)} is packed in a rare way; use plain zip (deflate).")


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: str, room: int) -> bytes:
    """Read one member: at most `room` bytes, and one more to catch archives that lie."""
    with archive.open(info) as member:
        content = member.read(room + 1)
    check_total(len(content) + MAX_UNPACKED - room)
    if len(content) != info.file_size:
        raise PackageError(
            f"{quoted(path)} unpacks to {len(content)} bytes and the archive says "
            f"{info.file_size}; pack it again."
        )
    return content


def read_folder(root: Path) -> dict[str, bytes]:
    """The files of a folder, path → content; litter is left out, links are refused."""
    files: dict[str, bytes] = {}
    total = 0
    for folder, folders, names in os.walk(root, followlinks=False):
        folders[:] = sorted(name for name in folders if not is_litter(name))
        for name in sorted(folders + names):
            file_path = Path(folder, name)
            path = check_path(file_path.relative_to(root).as_posix())
            mode = file_path.lstat().st_mode
            if stat.S_ISDIR(mode) or is_litter(path):
                continue
            if not stat.S_ISREG(mode):
                what = "a link" if stat.S_ISLNK(mode) else "not a plain file"
                raise PackageError(f"{quoted(path)} is {what}; a package holds files only.")
            if len(files) == MAX_FILES:
                raise PackageError(f"The folder has more than {MAX_FILES} files.")
            with file_path.open("rb") as file:
                files[path] = file.read(MAX_UNPACKED - total + 1)
            total += len(files[path])
            check_total(total)
    return files
