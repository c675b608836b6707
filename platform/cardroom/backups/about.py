"""A backup's description, `about.json`, and the check that its files match it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from cardroom_base.core.json_shapes import ShapeError, convert_json
from engine.json_text import JSONError, parse_json

NAME: Final = "about.json"
LAYOUT: Final = 1
"""Layout version of the folder; a program reads no newer layout than its own."""
_MAX_BYTES: Final = 1_000_000
"""Size limit of `about.json`, in bytes."""


class BackupError(Exception):
    """A backup cannot be made or restored; the text is a sentence for people."""


@dataclass(frozen=True, slots=True)
class About:
    """The contents of a backup."""

    layout: int
    made: str
    """Time of the backup on the database's clock, ISO 8601."""
    cardroom: str
    """The version of the program that made the backup."""
    engine: str
    """sqlite or postgresql."""
    server: str
    """The version of the database."""
    schema: dict[str, list[str]]
    """Applied migrations by app."""
    rows: dict[str, int]
    """The number of rows of each table."""
    files: dict[str, str]
    """SHA-256 of each file, hexadecimal."""

    def write(self, folder: Path) -> None:
        """Write the description into the backup's folder."""
        text = json.dumps(asdict(self), indent=2) + "\n"
        (folder / NAME).write_text(text, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class _Layout:
    """The layout version alone, which decides whether the rest can be read."""

    layout: int


def read(folder: Path) -> About:
    """The backup's description; BackupError if the folder is no backup, or a newer program's."""
    try:
        data = parse_json((folder / NAME).read_bytes(), _MAX_BYTES)
    except FileNotFoundError:
        raise BackupError(
            f"{folder} is not a backup: it has no {NAME}. A backup is a folder such as "
            "cardroom-20250131-031500."
        ) from None
    except JSONError as error:
        raise BackupError(f"{folder / NAME} cannot be read: {error}") from None
    try:
        if convert_json(data, _Layout).layout > LAYOUT:
            raise BackupError(f"{folder} was made by a newer Cardroom; restore it with that one.")
        return convert_json(data, About)
    except ShapeError as error:
        raise BackupError(f"{folder / NAME} is not the description of a backup: {error}") from None


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file in the folder, by name."""
    return {path.name: _digest(path) for path in sorted(folder.iterdir())}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def refuse_changed(folder: Path, files: Mapping[str, str]) -> None:
    """Raise BackupError if one of the files is missing or was changed."""
    for name, digest in files.items():
        path = folder / Path(name).name
        if not path.is_file():
            raise BackupError(f"{path} is missing.")
        if _digest(path) != digest:
            raise BackupError(
                f"{path} has changed since the backup: its SHA-256 differs. Use another copy "
                "of this backup, or an older backup."
            )
