"""Limits of packages, manifests, and the files and answers that our commands read.

Limits of matches (memory, lines, logs) are in `bots.sandbox.Limits`, those of a single record in
`engine.record`, those of requests to a site in `cardroom_base.core.request_limits`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from cardroom_base.core.request_limits import KIB
from cardroom_base.core.safe_text import is_harmless

MIB = 1024 * KIB

MAX_PACKED = 4 * MIB
"""Bytes of an upload: a bot and a small table of weights; the site stores every version forever."""
MAX_UPLOAD = MAX_PACKED + 64 * KIB
"""Bytes of a request with a package, including fields and boundaries."""
MAX_UNPACKED = 12 * MIB
"""Bytes of all files: copied into memory for every seat, and within the sandbox's disk limit."""
MAX_FILES = 200
"""Files in a package: a bot with its modules and data, not a library collection."""
MAX_FOLDERS = 200
"""Folders in a package: each takes 1 KiB of kernel memory in every seat, which no limit counts."""
MAX_PATH = 200
"""Bytes of one path, so that every file system accepts it."""
MAX_SOURCE = 1 * MIB
"""Bytes of bot.py: tables belong in data files, which are not compiled at every start."""
MAX_DIRECTORY = 256 * KIB
"""Bytes of an archive's table of contents, which is read first: about 2,500 members."""

MAX_MANIFEST = 8 * KIB
"""Bytes of cardroom.toml: room for the longest command and fifty patterns."""
MAX_NAME = 48
"""Characters in a bot's name, so that standings can show it in one line."""
MAX_PATTERNS = 50
"""Patterns in `formats`; `*` stands for many formats, so few suffice."""
MAX_PATTERN = 64
"""Characters of a pattern; the longest format without options has 28."""
MAX_COMMAND = 20
"""Words in `command`."""
MAX_KEYS = 64
"""Keys in a manifest, and also its dots, brackets or braces: sixteen times as many as needed."""
MAX_TOKEN = 64
"""Characters of a key or a number in a manifest."""

MAX_RECORDS = 64 * MIB
"""Bytes of a file or an answer with records; one record has a few KiB."""
MAX_ARCHIVE = 2 * 1024 * MIB
"""Bytes of a zip archive in an answer, stored on the disk: a tournament with its records."""
MAX_FRAMES = 50_000
"""Moves of a record that is replayed for people; our longest match has a few thousand."""
MAX_ANSWER = 2 * MIB
"""Bytes of a site's answer to `submit`: a page of bots, or a check with its log."""
MAX_PROBLEM = 64 * KIB
"""Bytes of a site's refusal."""
MAX_ANSWER_S = 600.0
"""Seconds until an answer must be complete: archives are large."""
MAX_REDIRECTS = 5
"""Redirects in a row."""
MAX_SETTINGS = 64 * KIB
"""Bytes of a file of settings, such as a tournament's stages."""


class PackageError(ValueError):
    """An invalid package; the message names the file and the remedy.

    `detail`: the offending line with a mark below it, for a monospaced font; may be empty.
    """

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


def size_text(size: int) -> str:
    """A size as text: `812 bytes`, `3.2 KiB`, `4 MiB`."""
    if size < KIB:
        return f"{size} bytes"
    unit, name = (MIB, "MiB") if size >= MIB else (KIB, "KiB")
    return f"{size / unit:.1f}".removesuffix(".0") + f" {name}"


def quoted(name: str) -> str:
    """An untrusted name or path, quoted and short enough for a message."""
    return repr(name if len(name) <= 80 else f"{name[:77]}...")


def encoding_hint(content: bytes) -> str:
    """` but UTF-16`, for use in a sentence, if the content has that byte order mark; else ""."""
    return " but UTF-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else ""


def check_path(path: str) -> str:
    """The path if it is a plain relative one; PackageError otherwise."""
    if "\\" in path:
        raise PackageError(f"The name {quoted(path)} has a backslash; separate folders with /.")
    if path.startswith("/") or (len(path) > 1 and path[1] == ":"):
        raise PackageError(f"The path {quoted(path)} is absolute; paths must be relative.")
    if any(part in {"", ".", ".."} for part in path.split("/")):
        raise PackageError(
            f"The path {quoted(path)} has an empty part or one like '..'; use a plain path from "
            "the top of the package."
        )
    if not path.isprintable() or not all(map(is_harmless, path)):
        raise PackageError(f"The name {quoted(path)} has characters that cannot be printed.")
    if len(path.encode(errors="surrogateescape")) > MAX_PATH:
        raise PackageError(f"The path {quoted(path)} is longer than {MAX_PATH} bytes.")
    return path


def check_paths(paths: Iterable[str]) -> None:
    """Refuse paths that some file systems treat as equal, files that are also folders, and too many
    folders."""
    originals: dict[str, str] = {}
    for path in paths:
        check_path(path)
        key = _folded(path)
        if key in originals:
            raise PackageError(
                f"{quoted(originals[key])} and {quoted(path)} are the same name on some systems "
                "(they differ only in case, the encoding of accents, or a dot or space at the "
                "end); rename one."
            )
        originals[key] = path
    folders: set[str] = set()
    for key, path in originals.items():
        parts = key.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            folders.add(folder)
            parent = originals.get(folder)
            if parent is not None:
                raise PackageError(
                    f"{quoted(parent)} is a file, but also the folder of {quoted(path)}."
                )
    if len(folders) > MAX_FOLDERS:
        raise PackageError(
            f"The package has {len(folders)} folders; at most {MAX_FOLDERS} are allowed."
        )


def check_sizes(files: Mapping[str, bytes]) -> None:
    """Refuse too many files or too many bytes."""
    if len(files) > MAX_FILES:
        raise PackageError(f"The package has {len(files)} files; at most {MAX_FILES} are allowed.")
    check_total(sum(map(len, files.values())))


def check_total(size: int) -> None:
    """Refuse more unpacked bytes than a package may have."""
    if size > MAX_UNPACKED:
        raise PackageError(f"The package unpacks to more than {size_text(MAX_UNPACKED)}.")


def _folded(path: str) -> str:
    folded = unicodedata.normalize("NFC", path).casefold()
    return "/".join(part.rstrip(" .") for part in folded.split("/"))
