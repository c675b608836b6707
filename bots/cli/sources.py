"""Records from files and addresses."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path

from bots.cli.common import UsageError
from bots.limits import MIB, human
from engine import Record, RecordError

MAX_BYTES = 64 * MIB
"""The longest file or answer that is read; a record has a few KiB."""
TIMEOUT_S = 30.0
"""Patience with a server."""


def read_records(source: str) -> list[Record]:
    """The records in a file or at an address: one JSON object, a list, or one a line.

    UsageError if it cannot be read, RecordError if it is not a record.
    """
    return [_record(part) for part in _split(source, read_bytes(source))]


def read_bytes(source: str) -> bytes:
    """The content of a path or an http(s) address."""
    try:
        if source.startswith(("http://", "https://")):
            request = urllib.request.Request(source, headers={"Accept": "application/json"})  # noqa: S310 - the scheme has just been looked at
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - the same
                content: bytes = answer.read(MAX_BYTES + 1)
        else:
            with Path(source).open("rb") as file:
                content = file.read(MAX_BYTES + 1)
    except urllib.error.HTTPError as error:
        raise UsageError(f"{source} answers {error.code} {error.reason}.") from None
    except urllib.error.URLError as error:
        raise UsageError(f"{source} cannot be reached: {error.reason}.") from None
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error.strerror or error}.") from None
    except ValueError as error:
        raise UsageError(f"{source} is no address: {error}.") from None
    if len(content) > MAX_BYTES:
        raise UsageError(f"{source} is longer than {human(MAX_BYTES)}; that is not a record.")
    return content


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
