"""Write an archive, piece by piece."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from tournaments.archive.shapes import ArchivedGroup

PIECE = 256 * 1024
"""Minimum bytes of a piece, except the last."""

_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of all files, so that the same tournament gives the same archive."""


def write(
    head: dict[str, Any],
    deal_groups: Iterable[bytes],
    records: Iterable[tuple[str, bytes]],
    tables: dict[str, Any],
) -> Iterator[bytes]:
    """The archive in pieces, which are computed lazily.

    `deal_groups`: lines from `deal_group_line`. `records`: file names and JSON texts. `tables`: the
    content of the other files by name.
    """
    sink = Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        archive.writestr(_info("tournament.json"), _text(head))
        with archive.open(_info("fixtures.jsonl"), "w", force_zip64=True) as file:
            for deal_group in deal_groups:
                file.write(deal_group)
                yield from sink.pieces()
        for name, content in records:
            archive.writestr(_info(name), content)
            yield from sink.pieces()
        for name, table in tables.items():
            archive.writestr(_info(name), _text(table))
    yield from sink.pieces(min_bytes=1)


def deal_group_line(deal_group: ArchivedGroup) -> bytes:
    """A line of `fixtures.jsonl`."""
    return _text(asdict(deal_group)) + b"\n"


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    return info


def _text(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class Sink:
    """A write-only file that collects bytes until `pieces` yields them."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def write(self, data: bytes, /) -> int:
        """Store a copy, because zipfile reuses its buffers."""
        self._parts.append(bytes(data))
        self._size += len(data)
        return len(data)

    def flush(self) -> None:
        """Nothing to flush to."""

    def close(self) -> None:
        """Nothing to close."""

    def pieces(self, min_bytes: int = PIECE) -> Iterator[bytes]:
        """The collected bytes, if they are at least `min_bytes`."""
        if self._size >= min_bytes:
            content = b"".join(self._parts)
            self._parts, self._size = [], 0
            yield content
