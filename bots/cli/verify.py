"""`cardroom verify`: does the result of a record follow from its seed and its moves?"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bots.cli.common import FAILED, AsJson, guarded, out, show_json
from bots.cli.sources import read_records
from engine import RecordError


@guarded
def verify(
    sources: Annotated[
        list[str], typer.Argument(metavar="FILE|URL...", help="Records: files or addresses.")
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Replay records and compare; the first wrong move is named.

    Exit status 1: at least one record is wrong.
    """
    found = [verdict for source in sources for verdict in _verdicts(source)]
    if as_json:
        show_json(found)
    else:
        for verdict in found:
            style = None if verdict["ok"] else "red"
            out.print(f"{verdict['source']}: {verdict['text']}", style=style, markup=False)
    if not all(verdict["ok"] for verdict in found):
        raise typer.Exit(FAILED)


def _verdicts(source: str) -> list[dict[str, Any]]:
    """One verdict for each record at a source."""
    try:
        records = read_records(source)
    except RecordError as error:
        return [_wrong(source, error)]
    verdicts = []
    for number, record in enumerate(records):
        label = source if len(records) == 1 else f"{source}, record {number + 1}"
        try:
            match = record.verify()
        except RecordError as error:
            verdicts.append(_wrong(label, error))
        else:
            text = f"agrees ({len(record.moves)} moves, {len(match.deals)} deals)."
            verdicts.append({"source": label, "ok": True, "move": None, "text": text})
    return verdicts


def _wrong(source: str, error: RecordError) -> dict[str, Any]:
    return {"source": source, "ok": False, "move": error.number, "text": str(error)}
