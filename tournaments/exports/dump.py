"""Dump all public data: results, deals and moves as JSON lines and Parquet.

Public matches are the finished ones of tournaments that everybody may see and of deal groups that
are over. Trials and logs are not public; frozen tournaments wait until their results are revealed.
Replaying deals and moves from records takes most of the time.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from cardroom_base.db.db_time import now
from engine import Record, RecordError
from tournaments.models import Match, Seat, SideResult, StoredRecord, group_is_over
from tournaments.visibility import public_unfrozen_tournaments

log = logging.getLogger(__name__)

BATCH = 500
"""Matches per query."""
ROWS = 50_000
"""Rows of a row group in a Parquet file."""
LEFTOVER_S = 86_400
"""Age in seconds at which an unfinished dump is deleted."""

TABLES: Final = {
    "results": {
        "match": "int",
        "tournament": "text",
        "stage": "int",
        "division": "int",
        "round": "int",
        "pairing": "int",
        "fixture": "int",
        "rotation": "int",
        "format": "text",
        "seed": "text",
        "reason": "text",
        "finished": "text",
        "side": "int",
        "score": "int",
        "rank": "int",
        "faulted": "bool",
        "bots": "texts",
        "versions": "ints",
    },
    "deals": {"match": "int", "deal": "int", "dealer": "int", "deck": "text", "sheet": "text"},
    "moves": {
        "match": "int",
        "n": "int",
        "deal": "int",
        "seat": "int",
        "move": "text",
        "ms": "int",
    },
}
"""Columns with their types. `sheet` is JSON whose fields depend on the game."""


ABOUT: Final = "about.json"
MEDIA_TYPES: Final = {
    ".gz": "application/gzip",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
}
"""The media types of a dump's files, by their ending."""


@dataclass(frozen=True, slots=True)
class DumpFile:
    """A file of a dump."""

    name: str
    size: int
    """Bytes."""
    sha256: str

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES[Path(self.name).suffix]


@dataclass(frozen=True, slots=True)
class Dump:
    """A complete dump, as its `about.json` describes it."""

    folder: Path
    made: str
    """Time in ISO 8601."""
    licence: str
    """Empty if the operator has stated none."""
    rows: dict[str, int]
    columns: dict[str, dict[str, str]]
    """Types of columns by table and column, as in `TABLES`."""
    files: tuple[DumpFile, ...]

    @property
    def day(self) -> str:
        """The date in ISO 8601, which names the dump."""
        return self.folder.name

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


def complete_dumps(folder: Path) -> list[Dump]:
    """The complete dumps that this process can read, newest first; none if there is no folder."""
    return [
        dump for path in reversed(_dump_folders(folder)) if (dump := _load_dump(path)) is not None
    ]


def _load_dump(folder: Path) -> Dump | None:
    """A dump; None if it is being deleted, or is so old that it does not list its files."""
    try:
        about = json.loads((folder / ABOUT).read_text("utf-8"))
    except OSError:
        return None
    if "files" not in about:
        return None
    return Dump(
        folder,
        about["made"],
        about["licence"],
        about["rows"],
        about["columns"],
        tuple(DumpFile(**file) for file in about["files"]),
    )


def dump(
    folder: Path, keep: int, *, licence: str = "", parquet: bool | None = None
) -> tuple[Path, dict[str, int]]:
    """Write today's dump and delete all but the last `keep`; return (folder, rows by table).

    The folder is named by the date once it is complete. `licence`: the data's licence. `parquet`:
    whether to write Parquet; None: if pyarrow is installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _delete_leftovers(folder)
    temporary = Path(tempfile.mkdtemp(prefix=".writing-", dir=folder))
    try:
        temporary.chmod(0o755)
        with_parquet = find_spec("pyarrow") is not None if parquet is None else parquet
        counts = _write(temporary, licence, parquet=with_parquet)
        final = folder / now().date().isoformat()
        if final.exists():
            shutil.rmtree(final)
        temporary.rename(final)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    for old_folder in _dump_folders(folder)[:-keep]:
        shutil.rmtree(old_folder)
    return final, counts


def _dump_folders(folder: Path) -> list[Path]:
    """The complete dumps, oldest first."""
    return sorted(path for path in folder.glob("????-??-??") if path.is_dir())


def _delete_leftovers(folder: Path) -> None:
    """Delete the leftovers of interrupted dumps."""
    for path in folder.glob(".writing-*"):
        with suppress(FileNotFoundError):  # another dump has just finished
            if time.time() - path.stat().st_mtime > LEFTOVER_S:  # noqa: TID251 - the disk's
                shutil.rmtree(path, ignore_errors=True)


def _write(folder: Path, licence: str, *, parquet: bool) -> dict[str, int]:
    counts = dict.fromkeys(TABLES, 0)
    with ExitStack() as stack:
        files = {
            name: stack.enter_context(_DumpTable(folder, name, columns, parquet=parquet))
            for name, columns in TABLES.items()
        }
        for matches in _batches():
            for name, row in _rows(matches):
                files[name].add(row)
                counts[name] += 1
    about = {
        "made": now().isoformat(),
        "licence": licence,
        "rows": counts,
        "columns": TABLES,
        "files": [_file_entry(path) for path in sorted(folder.iterdir())],
    }
    (folder / ABOUT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    return counts


def _file_entry(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"name": path.name, "size": path.stat().st_size, "sha256": digest}


# --- rows ---------------------------------------------------------------------------------------


def _batches() -> Iterator[list[Match]]:
    """The public finished matches, in the order of their keys."""
    finished = Match.objects.filter(
        group_is_over("deal_group"),
        state=Match.State.FINISHED,
        tournament__in=public_unfrozen_tournaments().values("pk"),
    ).select_related("tournament", "deal_group__stage")
    last = 0
    while batch := list(finished.filter(pk__gt=last).order_by("pk")[:BATCH]):
        yield batch
        last = batch[-1].pk


def _rows(matches: Sequence[Match]) -> Iterator[tuple[str, dict[str, Any]]]:
    """All rows of some matches; a match whose result was just withdrawn has none."""
    keys = [match.pk for match in matches]
    stored = dict(StoredRecord.objects.filter(match__in=keys).values_list("match", "content"))
    players: dict[tuple[int, int], list[tuple[str, int]]] = {}
    seats = Seat.objects.filter(match__in=keys).order_by("match", "index")
    for key, side, bot, version in seats.values_list(
        "match", "side", "version__bot__slug", "version__number"
    ):
        players.setdefault((key, side), []).append((bot, version))
    results: dict[int, list[SideResult]] = {}
    for result in SideResult.objects.filter(match__in=keys).order_by("match", "side"):
        results.setdefault(result.match_id, []).append(result)
    for match in matches:
        if match.pk in stored:
            for result in results.get(match.pk, ()):
                yield "results", _result(match, result, players[match.pk, result.side])
            yield from _replayed_rows(match.pk, bytes(stored[match.pk]))


def _result(match: Match, result: SideResult, players: Sequence[tuple[str, int]]) -> dict[str, Any]:
    deal_group = match.deal_group
    return {
        "match": match.pk,
        "tournament": match.tournament.slug,
        "stage": deal_group.stage.number,
        "division": deal_group.division,
        "round": deal_group.round,
        "pairing": deal_group.pairing,
        "fixture": deal_group.number,
        "rotation": match.rotation,
        "format": match.format,
        "seed": deal_group.seed,
        "reason": match.reason,
        "finished": match.finished.isoformat() if match.finished else None,
        "side": result.side,
        "score": result.score,
        "rank": result.rank,
        "faulted": result.faulted,
        "bots": [bot for bot, _ in players],
        "versions": [version for _, version in players],
    }


def _replayed_rows(match: int, content: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    """Deals and moves of a record; none if it follows rules that this program cannot replay.

    RecordError, with the match's number, for any other error.
    """
    try:
        record = Record.from_json(zlib.decompress(content))
    except ValueError as error:
        raise RecordError(f"Match {match}: {error}") from error
    try:
        rows = list(_deals_and_moves(match, record))
    except ValueError as error:
        if not record.has_other_rules:
            raise RecordError(f"Match {match}: {error}") from error
        log.warning("Match %d follows other rules (%s); no moves written.", match, record.rules)
        return
    yield from rows


def _deals_and_moves(match: int, record: Record) -> Iterator[tuple[str, dict[str, Any]]]:
    match_ = record.start()
    deal_count = 0
    for n, move in enumerate(record.moves):
        ms = record.clock_ms[n] if n < len(record.clock_ms) else None
        row = {"match": match, "n": n, "deal": deal_count, "seat": match_.turn, "move": move}
        yield "moves", {**row, "ms": ms}
        match_.step(move)
        match_.proceed()
        for deal in match_.deals_since(deal_count):
            deal_count += 1
            deck, sheet = deal["deck"], json.dumps(deal["sheet"], ensure_ascii=False)
            row = {"match": match, "deal": deal["deal"], "dealer": deal["dealer"]}
            yield "deals", {**row, "deck": " ".join(deck) if deck else None, "sheet": sheet}


# --- files --------------------------------------------------------------------------------------


class _DumpTable:
    """A table as JSON lines and optionally as Parquet."""

    def __init__(self, folder: Path, name: str, columns: dict[str, str], *, parquet: bool) -> None:
        self._lines = gzip.open(  # noqa: SIM115 - `__exit__` closes it
            folder / f"{name}.jsonl.gz", "wt", compresslevel=6, encoding="utf-8"
        )
        self._parquet = _Parquet(folder / f"{name}.parquet", columns) if parquet else None

    def __enter__(self) -> _DumpTable:
        return self

    def __exit__(self, *_: object) -> None:
        self._lines.close()
        if self._parquet is not None:
            self._parquet.close()

    def add(self, row: dict[str, Any]) -> None:
        self._lines.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
        if self._parquet is not None:
            self._parquet.add(row)


class _Parquet:
    """A Parquet file, written in row groups."""

    def __init__(self, path: Path, columns: dict[str, str]) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        kinds = {
            "int": pa.int64(),
            "text": pa.string(),
            "bool": pa.bool_(),
            "texts": pa.list_(pa.string()),
            "ints": pa.list_(pa.int64()),
        }
        self._table = pa.Table
        self._schema = pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
        self._writer = parquet.ParquetWriter(os.fspath(path), self._schema, compression="zstd")
        self._rows: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        if len(self._rows) >= ROWS:
            self._flush()

    def close(self) -> None:
        """Write the remaining rows and the file's footer."""
        if self._rows:
            self._flush()
        self._writer.close()

    def _flush(self) -> None:
        self._writer.write_table(self._table.from_pylist(self._rows, schema=self._schema))
        self._rows = []
