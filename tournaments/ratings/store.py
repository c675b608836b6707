"""Cache results on disk as rows of numbers, a file for each format.

Readers must compare the copy with the database and discard it if they differ.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tournaments.ratings.blocks import EMPTY, Block, Ints

Sides = tuple[tuple[int, ...], ...]
"""The seats of each side."""


def row_type(sides: Sides) -> np.dtype[np.void]:
    """The row of a match of a format with these sides."""
    seats = sum(map(len, sides))
    return np.dtype(
        [
            ("ordinal", "<i8"),
            ("match", "<i8"),
            ("deal_group", "<i8"),
            ("strangers", "?"),
            ("versions", "<i4", (seats,)),
            ("ranks", "u1", (len(sides),)),
        ]
    )


def block_from_rows(form: str, sides: Sides, rows: NDArray[np.void], versions: Ints) -> Block:
    """The rows as a block; entrants are indices into `versions` (ascending)."""
    widest = max(map(len, sides))
    members = np.full((len(rows), len(sides), widest), EMPTY, dtype=np.int64)
    indices = np.searchsorted(versions, rows["versions"])
    for index, seats in enumerate(sides):
        members[:, index, : len(seats)] = indices[:, list(seats)]
    return Block(members, rows["ranks"].astype(np.int64), rows["deal_group"].astype(np.int64), form)


class Store:
    """The cached results of one epoch of the ledger, as files of one folder."""

    def __init__(self, folder: Path, epoch: str) -> None:
        self._parent = folder
        self._folder = folder / epoch

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold an exclusive lock; deletes copies of other epochs."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._parent / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for other in self._parent.iterdir():
                if other.is_dir() and other != self._folder:
                    shutil.rmtree(other, ignore_errors=True)
            self._folder.mkdir(exist_ok=True)
            yield

    def read(self, sides_of: Callable[[str], Sides]) -> dict[str, NDArray[np.void]]:
        """The stored rows by format; `sides_of` raises ValueError if it does not know one.

        ValueError if a file has an unknown format or an incomplete row.
        """
        by_form = {}
        for path in sorted(self._folder.glob("*.rows")):
            form = path.stem.replace("~", "/")
            kind = row_type(sides_of(form))
            if path.stat().st_size % kind.itemsize:
                raise ValueError(f"{path.name} ends within a row.")
            by_form[form] = np.fromfile(path, dtype=kind)
        return by_form

    def append(self, rows: Mapping[str, NDArray[np.void]]) -> None:
        for form, new_rows in rows.items():
            with self._path(form).open("ab") as file:
                file.write(new_rows.tobytes())

    def clear(self) -> None:
        """Delete all files."""
        for path in self._folder.glob("*.rows"):
            path.unlink()

    def _path(self, form: str) -> Path:
        return self._folder / f"{form.replace('/', '~')}.rows"
