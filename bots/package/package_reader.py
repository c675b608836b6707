"""Read untrusted archives and folders, without unpacking anything to disk."""

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
    quoted,
    size_text,
)

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1 | 0x40 | 0x2000  # traditional, strong, and masked headers
_UTF8 = 0x800  # the name is marked as UTF-8
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
"""Exceptions of `zipfile` for archives that are broken, encrypted or inconsistent."""
_LITTER = frozenset({"__MACOSX", "__pycache__", ".git", ".DS_Store", "Thumbs.db", ".venv"})
"""Files and folders that tools leave behind; never part of a package."""


def is_litter(path: str) -> bool:
    """Whether tools left this path behind: caches, version control, Finder files."""
    return any(part in _LITTER for part in path.split("/"))


class _Bounded:
    """A file for `zipfile` that refuses to read more than `limit` bytes in one call."""

    def __init__(self, file: IO[bytes], limit: int) -> None:
        self.file, self.limit = file, limit
        self.seek, self.tell = file.seek, file.tell
        self.seekable = lambda: True

    def read(self, size: int = -1) -> bytes:
        """Read from the file; PackageError if that would be too much."""
        content = self.file.read(self.limit + 1 if size < 0 else min(size, self.limit + 1))
        if len(content) > self.limit:
            raise PackageError(
                f"The archive's table of contents is longer than {size_text(self.limit)}; "
                "pack fewer files."
            )
        return content


@contextmanager
def opened_zip(file: IO[bytes], max_directory: int) -> Iterator[zipfile.ZipFile]:
    """Open a zip; before its table of contents is parsed, check that it has `max_directory` bytes
    at most.

    Raises PackageError if it is longer or if members overlap, and one of `BROKEN` if the file is
    not a zip.
    """
    bounded = _Bounded(file, max_directory)
    with zipfile.ZipFile(bounded) as archive:
        bounded.limit = sys.maxsize - 1
        _check_overlap(archive, file.seek(0, os.SEEK_END))
        yield archive


def _check_overlap(archive: zipfile.ZipFile, size: int) -> None:
    """PackageError if the members together are longer than the archive.

    Members that share bytes make readers decompress the same bytes many times, perhaps without any
    output, which no limit of unpacked bytes would stop.
    """
    if sum(info.compress_size for info in archive.infolist()) > size:
        raise PackageError("Files of the zip archive overlap in it; pack it again.")


def read_zip(content: bytes) -> dict[str, bytes]:
    """The files of a zip archive, path → content, without folders and litter.

    Sizes are counted on the unpacked bytes, never taken from the archive. PackageError for links,
    devices, invalid paths, encryption, duplicates, and broken archives.
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
        path = _path_of(info)
        if path.endswith("/") or info.filename.endswith("/"):
            check_path(path.rstrip("/"))
            _check_kind(info, path, stat.S_IFDIR)
            continue
        _check_member(info, path)
        if is_litter(path):
            continue
        if path in files:
            raise PackageError(f"The archive contains {quoted(path)} twice; remove one of them.")
        if len(files) == MAX_FILES:
            raise PackageError(f"The package has more than {MAX_FILES} files.")
        files[path] = _read_member(archive, info, path, MAX_UNPACKED - total)
        total += len(files[path])
    return files


def _path_of(info: zipfile.ZipInfo) -> str:
    """The path of a member.

    If the archive does not mark a name as UTF-8, `zipfile` reads it in an old DOS encoding. Many
    tools write UTF-8 without the mark; others use an encoding that cannot be determined.
    """
    path = info.orig_filename
    if info.flag_bits & _UTF8 or path.isascii():
        return path
    try:
        return path.encode("cp437").decode()
    except UnicodeError:
        raise PackageError(
            f"The archive does not state the encoding of the name {quoted(path)}; rename the file "
            "with ASCII letters, or pack it with a tool that writes UTF-8."
        ) from None


def _check_member(info: zipfile.ZipInfo, path: str) -> None:
    check_path(path)
    if info.flag_bits & _ENCRYPTED:
        raise PackageError(f"{quoted(path)} is encrypted; pack it without a password.")
    _check_kind(info, path)
    if info.compress_type not in _METHODS:
        raise PackageError(
            f"{quoted(path)} uses a rare compression method; pack it with deflate, zip's default."
        )


def _check_kind(info: zipfile.ZipInfo, path: str, also_valid: int = 0) -> None:
    """PackageError for links, devices and pipes. Some tools state no kind, which is valid."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise PackageError(f"{quoted(path)} is a link; pack the file itself.")
    if kind not in {0, stat.S_IFREG, also_valid}:
        raise PackageError(f"{quoted(path)} is not a plain file; only files may be packed.")


def _read_member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: str, bytes_left: int
) -> bytes:
    """The content of a member; PackageError if it is longer than `bytes_left` or than stated."""
    with archive.open(info) as member:
        content = member.read(bytes_left + 1)
    check_total(len(content) + MAX_UNPACKED - bytes_left)
    if len(content) != info.file_size:
        raise PackageError(
            f"{quoted(path)} unpacks to {len(content)} bytes, but the archive states "
            f"{info.file_size}; pack it again."
        )
    return content


def read_folder(root: Path) -> dict[str, bytes]:
    """The files of a folder, path → content, without litter; PackageError for a link."""
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
                problem = "a link" if stat.S_ISLNK(mode) else "not a plain file"
                raise PackageError(
                    f"{quoted(path)} is {problem}; a package may contain only files."
                )
            if len(files) == MAX_FILES:
                raise PackageError(f"The folder has more than {MAX_FILES} files.")
            with file_path.open("rb") as file:
                files[path] = file.read(MAX_UNPACKED - total + 1)
            total += len(files[path])
            check_total(total)
    return files
