"""Archives come in pieces that make one zip."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from random import Random

from tournaments import archive
from tournaments.archive.writing import PIECE

from .build import Built, head


def test_what_is_written_agrees() -> None:
    built = Built(head())
    lines = [archive.deal_group_line(deal_group) for deal_group in built.deal_groups]
    records = ((name, json.dumps(record).encode()) for name, record in built.records.items())
    tables = {name: table for name, table in built.files.items() if name != "tournament.json"}

    def whole() -> bytes:
        return b"".join(archive.write(archive.head_as_json(built.of, {}), lines, records, tables))

    found = archive.verify(io.BytesIO(whole()))
    assert (found.groups, found.records) == (2, 4)


def test_no_piece_waits_for_all_records() -> None:
    asked = []

    def records() -> Iterator[tuple[str, bytes]]:
        for number in range(40):
            asked.append(number)
            # It does not shrink, so that a piece fills up after some records.
            yield f"records/{number}.json", Random(number).randbytes(20_000)

    pieces = archive.write({}, [], records(), {"standings.json": {}})
    first = next(pieces)
    assert len(first) >= PIECE
    assert 0 < len(asked) < 40
    rest = list(pieces)
    assert max(map(len, [first, *rest])) < 2 * PIECE
    with zipfile.ZipFile(io.BytesIO(first + b"".join(rest))) as whole:
        assert whole.testzip() is None
        assert len(whole.namelist()) == 43
