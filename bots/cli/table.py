"""`cardroom table`: count wins by bot in stored records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bots.cli.common import AsJson, UsageError, guarded, out, show_json
from bots.cli.results import table_of, totals_as_json, totals_of
from bots.cli.sources import read_records, record_errors_named
from engine import Record
from engine.english import count_of

SETTINGS_OF_MEASURE = "measurement.json"
"""The file that `measure` writes beside its records."""


@guarded
def table(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="DIR|FILE|URL...", help="Records, or folders of them."),
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Add up the results of records, by format and bot.

    Bots are distinguished by their names. The records are not replayed; `verify` does that.
    """
    by_format: dict[str, list[Record]] = {}
    for source in sources:
        for path in _files(source):
            for record in _read_countable(path):
                by_format.setdefault(record.format, []).append(record)
    if as_json:
        show_json(
            [
                {
                    "format": fmt,
                    "matches": len(records),
                    "totals": totals_as_json(totals_of(records)),
                }
                for fmt, records in by_format.items()
            ]
        )
        return
    for fmt, records in by_format.items():
        out.print(f"{fmt}, {count_of(len(records), 'match', 'matches')}")
        out.print(table_of(totals_of(records)))


def _read_countable(path: str) -> list[Record]:
    """Read records whose results can be counted. Raises RecordError, which names the file."""
    records = read_records(path)
    with record_errors_named(path):
        totals_of(records)
    return records


def _files(source: str) -> list[str]:
    """The record files in a folder, in the order of their names; any other source unchanged."""
    folder = Path(source)
    if source.startswith(("http://", "https://")) or not folder.is_dir():
        return [source]
    files = sorted(str(path) for path in folder.glob("*.json") if path.name != SETTINGS_OF_MEASURE)
    if not files:
        raise UsageError(f"There is no record (*.json) in {source}.")
    return files
