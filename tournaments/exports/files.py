"""Exports that take long are files: asked for, made while nobody waits, kept for a while."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import uuid4

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages

from bots.actions import ActionError
from bots.moments import Now, now
from tournaments.exports.archive import archive_of
from tournaments.exports.rows import as_csv, as_json, result_rows
from tournaments.models import Kept, Tournament
from tournaments.reading.kept import Keepable, ask, mark_above, mark_of

BEING_WRITTEN: Final = timedelta(hours=1)
"""A file of no row that is younger may be on its way."""


@dataclass(frozen=True)
class FileKind(Keepable):
    """What is kept as a file."""

    write: Callable[[Tournament], Iterable[bytes]]
    """The same pieces, whether they are sent or kept."""
    title: str
    ending: str
    media_type: str

    def store(self, tournament: Tournament) -> dict[str, Any]:
        """Write it beside the one that there is; `tidy` takes that away."""
        with tempfile.TemporaryFile() as pieces:
            for piece in self.write(tournament):
                pieces.write(piece)
            size = pieces.tell()
            pieces.seek(0)
            name = f"{tournament.pk}/{uuid4().hex}.{self.ending}"
            return {"file": storage().save(name, File(pieces)), "size": size}

    def file_name(self, tournament: Tournament) -> str:
        """How it is called where it is saved."""
        return f"{tournament.slug}{self.title}.{self.ending}"


def _results(write: Callable[[Any], Iterator[str]]) -> Callable[[Tournament], Iterator[bytes]]:
    return lambda tournament: (piece.encode() for piece in write(result_rows(tournament)))


# Measured: a match costs the archive 0.3 ms, a table of results 0.04 ms.
ARCHIVE: Final = FileKind("archive", 100, archive_of, "", "zip", "application/zip")
RESULTS: Final = {
    "csv": FileKind(
        "results.csv", 800, _results(as_csv), "-results", "csv", "text/csv; charset=utf-8"
    ),
    "json": FileKind(
        "results.json", 800, _results(as_json), "-results", "json", "application/json"
    ),
}
KINDS: Final[tuple[FileKind, ...]] = (ARCHIVE, *RESULTS.values())


def storage() -> Storage:
    """Where the files lie; web servers and housekeepers share it."""
    return storages["exports"]


def find(kind: FileKind, tournament: Tournament) -> tuple[Kept | None, bool]:
    """The file to be sent, if there is one; and whether the export is cheap enough to need none.

    Where it is missing or stale it is asked for. While a tournament runs, the last one is sent
    until the next is there. ActionError where too many others wait.
    """
    mark = mark_above(tournament, kind.at_once)
    if mark is None:
        return None, True
    row = Kept.objects.filter(tournament=tournament, name=kind.name).defer("content").first()
    there = row is not None and row.file != "" and storage().exists(row.file)
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
    rows = Kept.objects.filter(tournament=tournament, name__in=names).defer("content")
    kept = {row.name: row for row in rows}
    return [_offer(kind, tournament, mark, finished, kept.get(kind.name)) for kind in KINDS]


def _offer(
    kind: FileKind, tournament: Tournament, mark: str, finished: int, row: Kept | None
) -> Offer:
    if finished <= kind.at_once:
        return Offer(kind, there=True, coming=False, row=None)
    if row is None:
        return Offer(kind, there=False, coming=False, row=None)
    runs = tournament.state == Tournament.State.RUNNING
    there = row.file != "" and row.at is not None and (runs or row.mark == mark)
    coming = not there and row.asked is not None
    return Offer(kind, there, coming, row if there else None)


def _refuse_too_many() -> None:
    waiting = Kept.objects.filter(asked__isnull=False, name__in=[kind.name for kind in KINDS])
    if waiting.count() >= settings.MAX_WAITING_EXPORTS:
        raise ActionError(
            "Many exports are being made already; ask again in a few minutes.", "unavailable"
        )


def tidy() -> int:
    """Delete files that are old, more than all may take, or of no row any more; how many."""
    with_files = Kept.objects.exclude(file="")
    gone = list(
        with_files.filter(at__lt=Now(-settings.EXPORTS_KEPT_DAYS * 86_400)).values_list(
            "pk", flat=True
        )
    )
    taken = 0
    for pk, size in with_files.exclude(pk__in=gone).order_by("-at").values_list("pk", "size"):
        taken += size
        if taken > settings.MAX_EXPORTS_BYTES:
            gone.append(pk)
    Kept.objects.filter(pk__in=gone).update(file="", size=0, mark="", at=None)
    return _clear(set(with_files.values_list("file", flat=True)))


def _clear(known: set[str]) -> int:
    """Delete what no row names and nobody is just writing."""
    lying, deleted, before = storage(), 0, now() - BEING_WRITTEN
    for folder in _listed(lying, "")[0]:
        for name in _listed(lying, folder)[1]:
            path = f"{folder}/{name}"
            if path not in known and lying.get_modified_time(path) < before:
                lying.delete(path)
                deleted += 1
    return deleted


def _listed(lying: Storage, folder: str) -> tuple[list[str], list[str]]:
    try:
        return lying.listdir(folder)
    except FileNotFoundError:
        return [], []
