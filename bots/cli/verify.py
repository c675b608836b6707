"""`cardroom verify`: does the result of a record follow from its seed and its moves?"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from typing import IO, Annotated, Any

import typer

from bots.cli.common import FAILED, AsJson, UsageError, guarded, out, show_json
from bots.cli.sources import opened, records_in
from engine import RecordError

zip_checks: list[Callable[[IO[bytes]], tuple[bool, str]]] = []
"""What checks archives: it agrees or not, and a sentence. Whoever makes them puts a check here."""


@guarded
def verify(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|URL...", help="Records, or archives of tournaments: files or addresses."
        ),
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Replay records and compare; the first wrong move is named.

    Of a tournament's archive everything is checked: seeds, seats, records, pairings, standings.
    Exit status 1: something is wrong.
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
    """One verdict for each record at a source, or one for an archive."""
    with opened(source) as file:
        if zipfile.is_zipfile(file):
            file.seek(0)
            return [_verdict_on_zip(source, file)]
        file.seek(0)
        try:
            records = records_in(source, file)
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


def _verdict_on_zip(source: str, file: IO[bytes]) -> dict[str, Any]:
    for check in zip_checks:
        ok, text = check(file)
        return {"source": source, "ok": ok, "move": None, "text": text}
    raise UsageError(f"{source} is a zip; here only records can be checked.")


def _wrong(source: str, error: RecordError) -> dict[str, Any]:
    return {"source": source, "ok": False, "move": error.number, "text": str(error)}
