"""Records from files and addresses."""

from __future__ import annotations

import http.client
import json
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from bots.cli.common import UsageError
from bots.limits import MIB, human
from engine import Record, RecordError

MAX_BYTES = 64 * MIB
"""The longest file or answer that is read as records; one has a few KiB."""
MAX_ARCHIVE = 8 * 1024 * MIB
"""The longest answer that is kept on the disk, if it is a zip."""
PIECE = MIB
TIMEOUT_S = 30.0
"""Patience with a server."""


def read_records(source: str) -> list[Record]:
    """The records in a file or at an address: one JSON object, a list, or one a line.

    UsageError if it cannot be read, RecordError if it is not a record.
    """
    with opened(source) as file:
        return records_in(source, file)


def records_in(source: str, file: IO[bytes]) -> list[Record]:
    """The same of a file that is open; `source` is its name for messages."""
    content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise UsageError(f"{source} is longer than {human(MAX_BYTES)}; that is not a record.")
    return [_record(part) for part in _split(source, content)]


@contextmanager
def opened(source: str) -> Iterator[IO[bytes]]:
    """A path, or what an http(s) address answers, as a file that can be read more than once."""
    address = source.startswith(("http://", "https://"))
    file = _fetched(source) if address else _opened(source)
    with file:
        try:
            yield file
        except OSError as error:
            raise UsageError(f"{source} cannot be read: {error.strerror or error}.") from None


def _opened(source: str) -> IO[bytes]:
    try:
        return Path(source).open("rb")
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error.strerror or error}.") from None
    except ValueError as error:
        raise UsageError(f"{source} is no address: {error}.") from None


def _fetched(source: str) -> IO[bytes]:
    """The answer, in memory or, if it is long, on the disk; only archives may be very long."""
    kept = tempfile.SpooledTemporaryFile(MAX_BYTES)  # noqa: SIM115 - the caller closes it
    try:
        accept = {"Accept": "application/json, application/zip"}
        request = urllib.request.Request(source, headers=accept)  # noqa: S310 - the scheme has just been looked at
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - the same
            while piece := answer.read(PIECE):
                kept.write(piece)
                limit = MAX_ARCHIVE if _begins_as_zip(kept) else MAX_BYTES
                if kept.tell() > limit:
                    break
    except urllib.error.HTTPError as error:
        raise UsageError(f"{source} answers {error.code} {error.reason}.") from None
    except urllib.error.URLError as error:
        raise UsageError(f"{source} cannot be reached: {error.reason}.") from None
    except (OSError, http.client.HTTPException) as error:
        raise UsageError(f"{source} cannot be read: {error}.") from None
    except ValueError as error:
        raise UsageError(f"{source} is no address: {error}.") from None
    kept.seek(0)
    return kept


def _begins_as_zip(kept: IO[bytes]) -> bool:
    end = kept.tell()
    kept.seek(0)
    begins = kept.read(4) == b"PK\x03\x04"
    kept.seek(end)
    return begins


def _split(source: str, content: bytes) -> list[object]:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise UsageError(f"{source} is not a record: it is not UTF-8 text.") from None
    try:
        whole = json.loads(text)
        return whole if isinstance(whole, list) else [whole]
    except (ValueError, RecursionError) as error:
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            return (
                [json.loads(line) for line in lines] if len(lines) > 1 else _refuse(source, error)
            )
        except (ValueError, RecursionError):
            return _refuse(source, error)


def _refuse(source: str, error: Exception) -> list[object]:
    raise UsageError(f"{source} is not a record: {error}.") from None


def _record(part: object) -> Record:
    if not isinstance(part, dict):
        raise RecordError("A record is a JSON object.")
    record = Record.from_json(part)
    if not is_text(record.seed):
        raise RecordError("The record's seed is not text: it has half a character.")
    return record


def is_text(words: str) -> bool:
    """Whether a text can be written in UTF-8: a lone surrogate cannot."""
    try:
        words.encode()
    except UnicodeEncodeError:
        return False
    return True
