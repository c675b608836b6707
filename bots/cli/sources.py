"""Read records from files and addresses."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, TypeVar

from bots.cli import http_client
from bots.cli.common import UsageError
from bots.limits import MAX_ARCHIVE, MAX_RECORDS, size_text
from bots.package.files import open_plain, read_limited
from engine import Record, RecordError
from engine.json_text import JSONError, json_parts
from engine.record import MAX_BYTES
from engine.shuffle import check_seed

T = TypeVar("T")

_MOVE_SUFFIX = re.compile(r"(?P<source>.+)#move-(?P<moves>\d{1,9})", re.DOTALL)
_MATCH_PAGE = re.compile(r"(?P<site>https?://[^/?#]+)/matches/(?P<match>\d+)/?(?:[?#].*)?")


def read_one(source: str, command: str) -> Record:
    """The only record in a file or at an address; UsageError if there are more."""
    return only_item(source, read_records(source), command)


@contextmanager
def record_errors_named(source: str) -> Iterator[None]:
    """Put the source before the message of a RecordError."""
    try:
        yield
    except RecordError as error:
        raise RecordError(f"{source}: {error}", error.number) from None


def only_item(source: str, items: list[T], command: str) -> T:
    """The only record of a source; UsageError unless there is exactly one."""
    if len(items) != 1:
        raise UsageError(f"{source} contains {len(items)} records; {command} needs exactly one.")
    return items[0]


def stored_record(path: Path) -> Record | None:
    """The record that an earlier run stored; None if there is none. UsageError if it is broken."""
    try:
        return Record.from_json(read_limited(path, MAX_BYTES))
    except FileNotFoundError:
        return None
    except RecordError as error:
        raise UsageError(f"{path} is not a complete record: {error}") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from None


def split_move_number(source: str) -> tuple[str, int | None]:
    """Split `game.json#move-60` into (file or address, number of moves, or None without `#move-`).

    A replay's address with `#move-60` likewise shows the table after 60 moves.
    """
    match = _MOVE_SUFFIX.fullmatch(source)
    return (match["source"], int(match["moves"])) if match else (source, None)


def read_records(source: str) -> list[Record]:
    """The records in a file or at an address: a JSON object, a list, or one object per line.

    UsageError if it cannot be read or is empty; a RecordError names the source.
    """
    with open_source(source) as file, record_errors_named(source):
        return records_in(source, file)


def records_in(source: str, file: IO[bytes]) -> list[Record]:
    """The records in an open file; `source` is its name in messages."""
    return list(map(record_of, json_values_in(source, file)))


def json_values_in(source: str, file: IO[bytes]) -> list[object]:
    """The JSON values in a file: one value, the values of a list, or one value per line."""
    content = file.read(MAX_RECORDS + 1)
    if len(content) > MAX_RECORDS:
        limit = size_text(MAX_RECORDS)
        raise UsageError(f"{source} is longer than {limit}, so it is not a record.")
    try:
        values = [value for _, value in json_parts(BytesIO(content), MAX_BYTES, MAX_BYTES)]
    except JSONError as error:
        raise UsageError(f"{source} is not a record: {error}") from None
    if not values:
        raise UsageError(f"{source} contains no match: its list is empty.")
    return values


@contextmanager
def open_source(source: str) -> Iterator[IO[bytes]]:
    """A path, or the answer of an http(s) address, as a file that can be read repeatedly.

    The address of a match's page stands for that of its record.
    """
    is_address = source.startswith(("http://", "https://"))
    file = download(record_address(source)) if is_address else _open(source)
    with file:
        try:
            yield file
        except OSError as error:
            raise UsageError(f"{source} cannot be read: {error.strerror or error}.") from None


def _open(source: str) -> IO[bytes]:
    try:
        return open_plain(Path(source), MAX_RECORDS)
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error.strerror or error}.") from None
    except ValueError as error:
        raise UsageError(f"{source} is not an address: {error}.") from None


def record_address(source: str) -> str:
    """The address of a match's record, if the source is the address of the match's page; otherwise
    the source."""
    page = _MATCH_PAGE.fullmatch(source)
    return f"{page['site']}/api/v1/matches/{page['match']}/record/" if page else source


def download(source: str) -> IO[bytes]:
    """Download a file into memory or, if it is long, onto the disk. Archives may be longer."""
    copy = tempfile.SpooledTemporaryFile(MAX_RECORDS)  # noqa: SIM115 - the caller closes it
    headers = {"Accept": "application/json, application/zip"}
    with http_client.send("GET", source, name=source, redirects=True, headers=headers) as response:
        if not response.is_success:
            status = f"{response.status_code} {response.reason_phrase}"
            raise UsageError(f"{source} answered {status}.")
        for chunk in http_client.chunks(response, source):
            copy.write(chunk)
            limit = MAX_ARCHIVE if _begins_as_zip(copy) else MAX_RECORDS
            if copy.tell() > limit:
                raise UsageError(
                    f"{source} is longer than {size_text(limit)}, so it is not a record."
                )
    copy.seek(0)
    return copy


def _begins_as_zip(file: IO[bytes]) -> bool:
    end = file.tell()
    file.seek(0)
    begins = file.read(4) == b"PK\x03\x04"
    file.seek(end)
    return begins


def record_of(value: object) -> Record:
    """Convert a JSON value to a record; RecordError if it is invalid."""
    if not isinstance(value, dict):
        raise RecordError("A record is a JSON object.")
    record = Record.from_json(value)
    if not is_utf8(record.seed):
        raise RecordError("The record's seed contains a lone surrogate (half a character).")
    return record


def check_seed_option(seed: str | None) -> None:
    """UsageError for a --seed that a match cannot have."""
    try:
        check_seed(seed or "")
    except ValueError as error:
        raise UsageError(f"--seed: {error}") from None


def is_utf8(text: str) -> bool:
    """Whether a text can be written in UTF-8: a lone surrogate cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
