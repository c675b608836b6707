"""Archives are written in pieces that form one zip."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from random import Random

from tournaments import archive
from tournaments.archive.writing import PIECE

from .build import ArchiveParts, head


def test_a_written_archive_agrees() -> None:
    parts = ArchiveParts(head())
    lines = [archive.deal_group_line(deal_group) for deal_group in parts.deal_groups]
    records = ((name, json.dumps(record).encode()) for name, record in parts.records.items())
    tables = {name: table for name, table in parts.files.items() if name != "tournament.json"}

    def whole() -> bytes:
        return b"".join(archive.write(archive.head_as_json(parts.of, {}), lines, records, tables))

    report = archive.verify(io.BytesIO(whole()))
    assert (report.groups, report.records) == (2, 4)


def test_no_piece_waits_for_all_records() -> None:
    requested = []

    def records() -> Iterator[tuple[str, bytes]]:
        for number in range(40):
            requested.append(number)
            # Incompressible, so that a few records fill a piece.
            yield f"records/{number}.json", Random(number).randbytes(20_000)

    pieces = archive.write({}, [], records(), {"standings.json": {}})
    first = next(pieces)
    assert len(first) >= PIECE
    assert 0 < len(requested) < 40
    rest = list(pieces)
    assert max(map(len, [first, *rest])) < 2 * PIECE
    with zipfile.ZipFile(io.BytesIO(first + b"".join(rest))) as zip_file:
        assert zip_file.testzip() is None
        assert len(zip_file.namelist()) == 43
