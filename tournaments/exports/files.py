"""Exports that take long are files: asked for, made while nobody waits, kept for a while."""

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
from tournaments.reading.kept import Keepable, ask, mark_above, mark_of

SENDING: Final = 1800.0
"""Seconds for which a file stays that has no name any more: somebody may be reading it."""
LEVEL: Final = 6
"""Of zlib, for what is not compressed yet."""


@dataclass(frozen=True)
class FileKind(Keepable):
    """What is kept as a file."""

    write: Callable[[Tournament], Iterable[bytes]]
    """The same pieces, whether they are sent or kept."""
    title: str
    ending: str
    media_type: str
    level: int = LEVEL

    def store(self, tournament: Tournament, row: Kept) -> dict[str, Any]:
        """Write it beside the one that there is; `tidy` takes that away."""
        return {"export": chunks.write(self.write(tournament), self.level, row)}

    def file_name(self, tournament: Tournament) -> str:
        """How it is called where it is saved."""
        return f"{tournament.slug}{self.title}.{self.ending}"


def _results(write: Callable[[Any], Iterator[str]]) -> Callable[[Tournament], Iterator[bytes]]:
    return lambda tournament: (piece.encode() for piece in write(result_rows(tournament)))


# Measured: a match costs the archive 0.3 ms, a table of results 0.04 ms.
ARCHIVE: Final = FileKind("archive", 100, archive_of, "", "zip", "application/zip", 0)
RESULTS: Final = {
    "csv": FileKind(
        "results.csv", 800, _results(as_csv), "-results", "csv", "text/csv; charset=utf-8"
    ),
    "json": FileKind(
        "results.json", 800, _results(as_json), "-results", "json", "application/json"
    ),
}
KINDS: Final[tuple[FileKind, ...]] = (ARCHIVE, *RESULTS.values())


def find(kind: FileKind, tournament: Tournament) -> tuple[Kept | None, bool]:
    """The file to be sent, if there is one; and whether the export is cheap enough to need none.

    Where it is missing or stale it is asked for. While a tournament runs, the last one is sent
    until the next is there. ActionError where too many others wait.
    """
    mark = mark_above(tournament, kind.at_once)
    if mark is None:
        return None, True
    row = _rows(tournament).filter(name=kind.name).first()
    there = row is not None and row.export is not None
    if row is not None and there and row.mark == mark:
        return row, False
    if row is None or row.asked is None:
        _refuse_too_many()
        if row is not None and not there:
            Kept.objects.filter(pk=row.pk).update(mark="", at=None)  # somebody has deleted it
        ask(tournament, kind.name, row)
    runs = tournament.state == Tournament.State.RUNNING
    return (row if there and runs else None), False


@dataclass(frozen=True, slots=True)
class Offer:
    """A file as a page offers it."""

    kind: FileKind
    there: bool
    """Whether asking for it sends it."""
    coming: bool
    """Whether it is being made."""
    row: Kept | None
    """Of one that is kept."""


def offers(tournament: Tournament) -> list[Offer]:
    """How it is with each of `KINDS`; asks for none of them."""
    mark, finished = mark_of(tournament)
    names = [kind.name for kind in KINDS]
    kept = {row.name: row for row in _rows(tournament).filter(name__in=names)}
    return [_offer(kind, tournament, mark, finished, kept.get(kind.name)) for kind in KINDS]


def _offer(
    kind: FileKind, tournament: Tournament, mark: str, finished: int, row: Kept | None
) -> Offer:
    if finished <= kind.at_once:
        return Offer(kind, there=True, coming=False, row=None)
    if row is None:
        return Offer(kind, there=False, coming=False, row=None)
    runs = tournament.state == Tournament.State.RUNNING
    there = row.export is not None and row.at is not None and (runs or row.mark == mark)
    coming = not there and row.asked is not None
    return Offer(kind, there, coming, row if there else None)


def _refuse_too_many() -> None:
    waiting = Kept.objects.filter(asked__isnull=False, name__in=[kind.name for kind in KINDS])
    if waiting.count() >= settings.MAX_WAITING_EXPORTS:
        raise ActionError(
            "Many exports are being made already; ask again in a few minutes.", "unavailable"
        )


def _rows(tournament: Tournament) -> QuerySet[Kept]:
    rows = Kept.objects.filter(tournament=tournament).defer("content")
    return rows.select_related("export")


def tidy() -> int:
    """Delete files that are old, more than all may take, or without a name; how many.

    One that was being sent when it lost its name stays for a while, unless there is no room.
    """
    old = Kept.objects.filter(export__isnull=False)
    _take_names(old.filter(at__lt=Now(-settings.EXPORTS_KEPT_DAYS * 86_400)))
    named, nameless = (KeptExport.objects.filter(kept__isnull=each) for each in (False, True))
    named.exclude(until=None).update(until=None)
    nameless.filter(until=None).update(until=Now(SENDING))
    gone = {*nameless.filter(until__lt=Now()).values_list("pk", flat=True), *_without_room()}
    _take_names(Kept.objects.filter(export__in=gone))
    for export in gone:
        chunks.delete(export)
    return len(gone)


def _take_names(rows: QuerySet[Kept]) -> None:
    """Leave the files of these rows without a name: they are made anew when somebody asks."""
    rows.update(export=None, mark="", at=None)


def _without_room() -> list[int]:
    """Files for which there is no room: first those without a name, then the oldest."""
    every = KeptExport.objects.all()
    taken = every.filter(whole=False).aggregate(stored=Sum("stored"))["stored"] or 0
    rows = every.filter(whole=True).order_by(F("kept__at").desc(nulls_last=True), "-pk")
    gone = []
    for pk, stored in rows.values_list("pk", "stored"):
        taken += stored
        if taken > settings.MAX_EXPORTS_BYTES:
            gone.append(pk)
    return gone
