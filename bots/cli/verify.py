"""`cardroom verify`: check that the result of a record follows from its seed and moves.

It also checks the seed against the commitment that the site published when it paired the match. The
commitment comes from the site if the record is at a site's address, or from the command line if the
user noted it before the match.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from typing import IO, Annotated, Any

import typer

from bots.cli.common import FAILED, USAGE, AsJson, UsageError, guarded, out, show_json
from bots.cli.sources import download, open_source, record_address, records_in
from bots.limits import MIB
from cardroom_base.core.safe_text import one_line
from engine import Record, RecordError
from engine.json_text import JSONError, parse_json
from engine.shuffle import commitment

_RECORD_URL = re.compile(r"(https?://[^?#]+/matches/\d+/)record/?")
"""The address of a record on a site, which begins with the address of its match."""

zip_checks: list[Callable[[IO[bytes]], tuple[bool, str]]] = []
"""Checks of archives: each returns (whether the archive is correct, a sentence). Packages that
define archives append their checks."""


@guarded
def verify(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|URL...", help="Records, or archives of tournaments: files or addresses."
        ),
    ],
    *,
    noted_commitment: Annotated[
        str | None,
        typer.Option("--commitment", help="The site's commitment, noted before the match."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Replay records, and report the first wrong move.

    The seed of a record at a site's address is compared with the commitment that the site shows.
    In a tournament's archive everything is checked: seeds and commitments, seats, records,
    pairings, standings. Exit status 1: something is wrong; 2: a source cannot be read.
    """
    verdicts: list[dict[str, Any]] = []
    status = FAILED
    for source in sources:
        try:
            verdicts += _verdicts(source, noted_commitment)
        except UsageError as error:
            if len(sources) == 1:
                raise
            text = str(error).removeprefix(f"{source} ")
            verdicts.append({"source": source, "ok": False, "move": None, "text": text})
            status = USAGE
    if as_json:
        show_json(verdicts)
    else:
        for verdict in verdicts:
            style = None if verdict["ok"] else "red"
            text = one_line(f"{verdict['source']}: {verdict['text']}")
            out.print(text, style=style)
    if not all(verdict["ok"] for verdict in verdicts):
        raise typer.Exit(status)


def _verdicts(source: str, noted_commitment: str | None) -> list[dict[str, Any]]:
    """One verdict for each record at a source, or one for an archive."""
    with open_source(source) as file:
        if zipfile.is_zipfile(file):
            if noted_commitment is not None:
                raise UsageError(f"{source} is a zip; --commitment is for a single deal group.")
            file.seek(0)
            return [_verdict_on_zip(source, file)]
        file.seek(0)
        try:
            records = records_in(source, file)
        except RecordError as error:
            return [_failed_verdict(source, error)]
    verdicts, published_commitment = [], _published_commitment(source)
    for number, record in enumerate(records):
        label = source if len(records) == 1 else f"{source}, record {number + 1}"
        try:
            match = record.verify()
            confirmations = _check_commitment(
                record, "shown by the site", published_commitment
            ) + _check_commitment(record, "noted", noted_commitment)
        except RecordError as error:
            verdicts.append(_failed_verdict(label, error))
        else:
            text = f"agrees ({len(record.moves)} moves, {len(match.deals)} deals){confirmations}."
            verdicts.append({"source": label, "ok": True, "move": None, "text": text})
    return verdicts


def _published_commitment(source: str) -> str | None:
    """The commitment that the site shows; None if the source is not a record on a site."""
    address = _RECORD_URL.fullmatch(record_address(source))
    if address is None:
        return None
    with download(address[1]) as file:
        content = file.read(MIB + 1)
    try:
        match = parse_json(content, MIB)
    except JSONError:
        raise UsageError(f"{address[1]} did not answer with a match.") from None
    text = match.get("commitment") if isinstance(match, dict) else None
    return text if isinstance(text, str) else None


def _check_commitment(record: Record, origin: str, expected: str | None) -> str:
    """Compare the record's seed with a commitment. Return words that confirm it, or raise
    RecordError."""
    if expected is None:
        return ""
    actual = commitment(record.seed)
    if actual != expected.strip().lower():
        raise RecordError(
            f"The moves are correct, but the seed does not match the commitment {origin}: the "
            f"seed's commitment is {actual}, not {expected!r:.80}."
        )
    return f"; its seed matches the commitment {origin}"


def _verdict_on_zip(source: str, file: IO[bytes]) -> dict[str, Any]:
    for check in zip_checks:
        ok, text = check(file)
        return {"source": source, "ok": ok, "move": None, "text": text}
    raise UsageError(f"{source} is a zip; this program can verify only records.")


def _failed_verdict(source: str, error: RecordError) -> dict[str, Any]:
    return {"source": source, "ok": False, "move": error.number, "text": str(error)}
