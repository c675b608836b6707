"""Decisions of stored matches as data: view, legal moves, move, result.

Views are not stored; each match is replayed, which takes less time than reading views. This module
needs neither Django nor a site.
"""

from __future__ import annotations

import gzip
import json
import re
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from os import PathLike
from pathlib import Path
from typing import IO, Any, Final, TypeVar, overload

from bots.limits import MAX_RECORDS
from bots.package.files import open_plain
from engine import Format, IllegalMove, Record, RecordError
from engine.json_text import JSONError, json_parts
from engine.record import MAX_BYTES

_SUFFIXES: Final = {".json", ".jsonl", ".zip"}
_COMPRESSED: Final = ".jsonl.gz"
_TABLE: Final = re.compile(r"(?:cardroom-\d{4}-\d\d-\d\d-)?(?P<table>results|moves)\.jsonl\.gz")
_NO_RECORDS: Final = ("measurement.json", ".calls.jsonl")
"""The endings of the names of files that `cardroom measure` writes beside records."""

T = TypeVar("T")
Files = str | PathLike[str] | Iterable[str | PathLike[str]]

BATCH: Final = 20
"""Matches that a process replays at a time."""
MAX_PENDING: Final = 3
"""At most this many batches per process are waiting, being replayed, or ready."""


@dataclass(frozen=True, slots=True)
class MatchDecision:
    """One decision of a match as the bot had it, with the match's result."""

    source: str
    """The file. For a zip, a dump, or a file of several records, `#` and the record's name or
    number follow."""
    format: str
    n: int
    """The decision's number in the match, from 0."""
    seat: int
    side: int
    view: dict[str, Any]
    """The view of the seat, as in the bot protocol."""
    legal: list[str]
    """The legal moves, at most 512."""
    truncated: bool
    """Whether more moves are legal."""
    move: str
    own: bool | None
    """Whether the player chose the move: False after its fault, when the platform plays; None if
    unknown, as in a dump for a side with a fault."""
    result: dict[str, Any] | None
    """`scores` and `ranks` by side, and `reason`; None for a match that is not finished."""

    @property
    def score(self) -> int | None:
        """The final score of the seat's side."""
        return None if self.result is None else int(self.result["scores"][self.side])

    @property
    def rank(self) -> int | None:
        """The final rank of the seat's side; 1 is the best."""
        return None if self.result is None else int(self.result["ranks"][self.side])


@overload
def decisions(files: Files, *, jobs: int = 1) -> Iterator[MatchDecision]: ...


@overload
def decisions(files: Files, *, jobs: int = 1, row: Callable[[MatchDecision], T]) -> Iterator[T]: ...


def decisions(
    files: Files, *, jobs: int = 1, row: Callable[[MatchDecision], Any] | None = None
) -> Iterator[Any]:
    """All decisions of the matches in some files, in their order.

    files: files of records (one record as JSON, a list of records, or one record per line),
    archives of tournaments (zip), folders of these, or folders of a site's dump (with
    `results.jsonl.gz` and `moves.jsonl.gz`, or the same names after `cardroom-DAY-`).

    jobs: the number of processes that replay; the order stays the same.

    row: converts each decision in the process that replays it. Then only its results pass between
    processes, which takes much less time than passing views. With several jobs, it must be a
    module-level function. Results that are None are left out.

    Raises RecordError, which names the source, for a match that cannot be replayed, and for a file
    or folder without matches; OSError for a file that cannot be read.
    """
    if isinstance(files, str | PathLike):
        files = [files]
    matches = (match for file in files for match in _read_matches(Path(file)))
    if jobs == 1:
        for match in matches:
            yield from _rows(match, row)
        return
    with ProcessPoolExecutor(jobs) as pool:
        pending: deque[Future[list[Any]]] = deque()
        while batch := list(islice(matches, BATCH)):
            pending.append(pool.submit(_replay, batch, row))
            if len(pending) >= jobs * MAX_PENDING:
                yield from pending.popleft().result()
        while pending:
            yield from pending.popleft().result()


def _replay(batch: list[_StoredMatch], row: Callable[[MatchDecision], Any] | None) -> list[Any]:
    return [result for match in batch for result in _rows(match, row)]


# --- replaying ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _StoredMatch:
    """A match in a file."""

    source: str
    record: Record
    faulted: frozenset[int] = frozenset()
    """Sides with a fault at an unknown move."""


def _rows(stored: _StoredMatch, row: Callable[[MatchDecision], Any] | None) -> Iterator[Any]:
    """The match's decisions, or the results of `row`; a RecordError names the source."""
    try:
        for decision in _decisions(stored):
            result = decision if row is None else row(decision)
            if result is not None:
                yield result
    except (RecordError, IllegalMove) as error:
        hint = (
            " The record was made under different rules from this program's."
            * stored.record.has_other_rules
        )
        raise RecordError(f"{stored.source}: {error}{hint}") from error


def _decisions(stored: _StoredMatch) -> Iterator[MatchDecision]:
    record = stored.record
    match = record.start()
    faults = {fault["seat"]: fault.get("move") or 0 for fault in reversed(record.faults)}
    for n, move in enumerate(record.moves):
        seat = match.turn
        if seat is None:
            raise RecordError(f"Move {n + 1} comes after the end of the match.", n)
        side = match.format.side(seat)
        yield MatchDecision(
            source=stored.source,
            format=record.format,
            n=n,
            seat=seat,
            side=side,
            view=match.view(seat),
            legal=match.legal_moves(),
            truncated=match.truncated,
            move=move,
            own=None if side in stored.faulted else n < faults.get(seat, n + 1),
            result=record.result,
        )
        match.play(move)


# --- reading --------------------------------------------------------------------------------------


def _read_matches(path: Path) -> Iterator[_StoredMatch]:
    """The matches in a file or folder."""
    if path.is_dir():
        yield from _read_folder(path)
        return
    with open_plain(path, MAX_RECORDS) as file:
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as archive:
                yield from _read_archive(path, archive)
        elif path.name.endswith(_COMPRESSED):
            raise RecordError(
                f"{path} is a table of a dump; pass the folder with results.jsonl.gz and "
                "moves.jsonl.gz."
            )
        else:
            file.seek(0)
            yield from _read_file(str(path), file)


def _read_folder(folder: Path) -> Iterator[_StoredMatch]:
    """The matches of a dump, or those in all files of records."""
    paths = sorted(folder.iterdir())
    tables = [(match["table"], path) for path in paths if (match := _TABLE.fullmatch(path.name))]
    if tables:
        if sorted(table for table, _ in tables) != ["moves", "results"]:
            raise RecordError(
                f"{folder}: a folder with a dump must contain results.jsonl.gz and moves.jsonl.gz "
                "of one day. Each dump contains all matches up to its day."
            )
        table_paths = dict(tables)
        yield from _read_dump(folder, table_paths["results"], table_paths["moves"])
        return
    files = [
        path for path in paths if path.suffix in _SUFFIXES and not path.name.endswith(_NO_RECORDS)
    ]
    if not files:
        raise RecordError(
            f"{folder} contains no matches. Expected are records (.json, .jsonl), archives of "
            "tournaments (.zip), or a dump's results.jsonl.gz and moves.jsonl.gz."
        )
    for file in files:
        yield from _read_matches(file)


def _read_archive(path: Path, archive: zipfile.ZipFile) -> Iterator[_StoredMatch]:
    names = archive.namelist()
    if "tournament.json" not in names:
        raise RecordError(f"{path}: This zip is no archive of a tournament.")
    for name in (name for name in names if name.startswith("records/")):
        with archive.open(name) as member:
            yield from _read_file(f"{path}#{name.removeprefix('records/')}", member)


def _read_file(source: str, file: IO[bytes]) -> Iterator[_StoredMatch]:
    """The matches of a JSON text (one record, or a list), or of one record per line."""
    count = 0
    try:
        for number, part in json_parts(file, MAX_RECORDS, MAX_BYTES):
            yield _parse_record(source if number is None else f"{source}#{number}", part)
            count += 1
    except JSONError as error:
        raise RecordError(f"{source}#{count}: {error}" if count else f"{source}: {error}") from None
    if not count:
        raise RecordError(f"{source} contains no match: its list is empty.")


def _parse_record(source: str, value: object) -> _StoredMatch:
    if not isinstance(value, dict):
        raise RecordError(f"{source}: A record is a JSON object.")
    try:
        return _StoredMatch(source, Record.from_json(value))
    except RecordError as error:
        raise RecordError(f"{source}: {error}") from None


def _read_dump(folder: Path, results: Path, moves: Path) -> Iterator[_StoredMatch]:
    """The matches of a dump; those whose moves are missing are left out."""
    try:
        yield from _join_files(folder, results, moves)
    except (
        *(EOFError, gzip.BadGzipFile, zlib.error),
        *(IndexError, KeyError, TypeError, ValueError),
    ) as error:
        if isinstance(error, RecordError):
            raise
        reason = f"{type(error).__name__} {error}"
        raise RecordError(f"{folder}: the files are not a site's dump ({reason}).") from None


def _join_files(folder: Path, results_file: Path, moves_file: Path) -> Iterator[_StoredMatch]:
    """Join the rows of a dump's two files by match."""
    results = groupby(_read_lines(results_file), itemgetter("match"))
    # Both files have the matches in the same order.
    for number, moves in groupby(_read_lines(moves_file), itemgetter("match")):
        sides: list[dict[str, Any]] = next(
            (list(rows) for match, rows in results if match == number), []
        )
        if not sides:
            raise RecordError(f"{folder}: match {number} has moves, but no results.")
        fmt = Format.parse(sides[0]["format"])
        record = Record(
            format=str(fmt),
            seed=sides[0]["seed"],
            players=[{} for _ in range(fmt.seats)],
            moves=[row["move"] for row in moves],
            result={
                "scores": [side["score"] for side in sides],
                "ranks": [side["rank"] for side in sides],
                "reason": sides[0]["reason"],
            },
        )
        faulted = frozenset(side["side"] for side in sides if side["faulted"])
        yield _StoredMatch(f"{folder}#{number}", record, faulted)


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a compressed file; RecordError if a line is longer than `MAX_BYTES`."""
    with open_plain(path, MAX_RECORDS) as compressed, gzip.open(compressed) as file:
        while line := file.readline(MAX_BYTES + 1):
            if len(line) > MAX_BYTES:
                raise RecordError(f"{path} has a line of more than {MAX_BYTES:,} bytes.")
            yield json.loads(line)
