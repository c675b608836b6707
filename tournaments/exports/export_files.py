"""Large exports as cached files, which the housekeeper writes on request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.db.models import F, QuerySet, Sum

from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import Now
from tournaments.exports import chunks
from tournaments.exports.archive import archive_of
from tournaments.exports.rows import as_csv, as_json, result_rows
from tournaments.models import Kept, KeptExport, Tournament
from tournaments.reading.content_cache import CachedKind, mark_above, mark_of, request_content

KEEP_REPLACED_S: Final = 1800.0
"""Seconds for which a replaced file stays, because downloads may still read it."""
LEVEL: Final = 6
"""zlib's level for uncompressed content."""


@dataclass(frozen=True)
class FileKind(CachedKind):
    """A kind of export that may be cached as a file."""

    write: Callable[[Tournament], Iterable[bytes]]
    """The content in pieces, for sending or storing."""
    title: str
    ending: str
    media_type: str
    level: int = LEVEL

    def store(self, tournament: Tournament, row: Kept) -> dict[str, Any]:
        """Write a new file beside the old one, which `delete_expired` deletes later."""
        return {"export": chunks.write(self.write(tournament), self.level, row)}

    def file_name(self, tournament: Tournament) -> str:
        """The name of the downloaded file."""
        return f"{tournament.slug}{self.title}.{self.ending}"


def _results_writer(
    write: Callable[[Any], Iterator[str]],
) -> Callable[[Tournament], Iterator[bytes]]:
    return lambda tournament: (piece.encode() for piece in write(result_rows(tournament)))


# Measured: an archive takes 0.3 ms per match, a table of results 0.04 ms.
ARCHIVE: Final = FileKind("archive", 100, archive_of, "", "zip", "application/zip", 0)
RESULTS: Final = {
    "csv": FileKind(
        "results.csv", 800, _results_writer(as_csv), "-results", "csv", "text/csv; charset=utf-8"
    ),
    "json": FileKind(
        "results.json", 800, _results_writer(as_json), "-results", "json", "application/json"
    ),
}
KINDS: Final[tuple[FileKind, ...]] = (ARCHIVE, *RESULTS.values())


def find_file(kind: FileKind, tournament: Tournament) -> tuple[Kept | None, bool]:
    """(the cached file, whether the export is small enough to be computed directly).

    Requests a missing or stale file. While a tournament runs, the last file is returned until the
    next one is ready. ActionError if too many requests wait.
    """
    mark = mark_above(tournament, kind.uncached_matches)
    if mark is None:
        return None, True
    row = _rows(tournament).filter(name=kind.name).first()
    ready = row is not None and row.export is not None
    if row is not None and ready and row.mark == mark:
        return row, False
    if row is None or row.asked is None:
        _refuse_too_many()
        if row is not None and not ready:
            Kept.objects.filter(pk=row.pk).update(mark="", at=None)  # the file has been deleted
        request_content(tournament, kind.name, row)
    is_running = tournament.state == Tournament.State.RUNNING
    return (row if ready and is_running else None), False


@dataclass(frozen=True, slots=True)
class ExportOption:
    """An export as a page offers it."""

    kind: FileKind
    ready: bool
    """Whether it can be sent now."""
    requested: bool
    """Whether it has been requested."""
    row: Kept | None
    """The row of a cached file that can be sent."""


def options(tournament: Tournament) -> list[ExportOption]:
    """The state of each of `KINDS`; requests none of them."""
    mark, finished = mark_of(tournament)
    names = [kind.name for kind in KINDS]
    rows = {row.name: row for row in _rows(tournament).filter(name__in=names)}
    return [_option(kind, tournament, mark, finished, rows.get(kind.name)) for kind in KINDS]


def _option(
    kind: FileKind, tournament: Tournament, mark: str, finished: int, row: Kept | None
) -> ExportOption:
    if finished <= kind.uncached_matches:
        return ExportOption(kind, ready=True, requested=False, row=None)
    if row is None:
        return ExportOption(kind, ready=False, requested=False, row=None)
    is_running = tournament.state == Tournament.State.RUNNING
    is_ready = row.export is not None and row.at is not None and (is_running or row.mark == mark)
    is_requested = not is_ready and row.asked is not None
    return ExportOption(kind, is_ready, is_requested, row if is_ready else None)


def _refuse_too_many() -> None:
    waiting = Kept.objects.filter(asked__isnull=False, name__in=[kind.name for kind in KINDS])
    if waiting.count() >= settings.MAX_WAITING_EXPORTS:
        raise ActionError(
            "Many exports are in progress; try again in a few minutes.", "unavailable"
        )


def _rows(tournament: Tournament) -> QuerySet[Kept]:
    rows = Kept.objects.filter(tournament=tournament).defer("content")
    return rows.select_related("export")


def drop_files(tournaments: QuerySet[Tournament]) -> None:
    """Drop the cached files of these tournaments, whose names have changed; the next request
    recomputes them."""
    _dereference(Kept.objects.filter(export__isnull=False, tournament__in=tournaments))


def delete_expired() -> int:
    """Delete old, superfluous and unreferenced files; return the number deleted.

    Files that have just become unreferenced stay for `KEEP_REPLACED_S` seconds, if there is room.
    """
    old = Kept.objects.filter(export__isnull=False)
    _dereference(old.filter(at__lt=Now(-settings.EXPORTS_KEPT_DAYS * 86_400)))
    referenced = KeptExport.objects.filter(kept__isnull=False)
    unreferenced = KeptExport.objects.filter(kept__isnull=True)
    referenced.exclude(until=None).update(until=None)
    unreferenced.filter(until=None).update(until=Now(KEEP_REPLACED_S))
    expired = {*unreferenced.filter(until__lt=Now()).values_list("pk", flat=True), *_excess()}
    _dereference(Kept.objects.filter(export__in=expired))
    for export in expired:
        chunks.delete(export)
    return len(expired)


def _dereference(rows: QuerySet[Kept]) -> None:
    """Remove the files from these rows; the next request recomputes them."""
    rows.update(export=None, mark="", at=None)


def _excess() -> list[int]:
    """Files beyond `MAX_EXPORTS_BYTES`: first unreferenced ones, then the oldest."""
    exports = KeptExport.objects.all()
    total = exports.filter(whole=False).aggregate(stored=Sum("stored"))["stored"] or 0
    rows = exports.filter(whole=True).order_by(F("kept__at").desc(nulls_last=True), "-pk")
    excess = []
    for pk, stored in rows.values_list("pk", "stored"):
        total += stored
        if total > settings.MAX_EXPORTS_BYTES:
            excess.append(pk)
    return excess
