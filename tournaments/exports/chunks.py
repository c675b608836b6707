"""Store files in the database as chunks.

Each transaction writes one chunk and each query reads a few, so writing, sending or deleting a file
blocks nobody. No machine needs another machine's disk.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from django.db import transaction
from django.db.models import F

from cardroom_base.db.jobs import LeaseLost
from tournaments.models import ExportChunk, Kept, KeptExport

SIZE: Final = 1 << 20
"""Bytes of a chunk before compression; the last chunk of a file may be shorter."""
DELETE_BATCH: Final = 8
"""Chunks deleted per transaction."""
READ_BATCH: Final = 6
"""Chunks read per query: few queries, and little memory."""


class MissingChunk(Exception):  # noqa: N818 - a state of the file
    """A file's chunk has been deleted."""


def write(pieces: Iterable[bytes], level: int, row: Kept) -> KeptExport:
    """Write a new file. `level`: zlib's, 0 for content that is compressed already.

    LeaseLost if another worker has the lease, or has deleted the file.
    """
    export = KeptExport.objects.create(until=row.lease_end())
    for number, chunk in enumerate(_chunks(pieces)):
        content = zlib.compress(chunk, level)
        with transaction.atomic():
            if not row.renew():
                raise LeaseLost
            _update(
                export,
                size=F("size") + len(chunk),
                stored=F("stored") + len(content),
                until=row.lease_end(),
            )
            ExportChunk.objects.create(export=export, number=number, content=content)
    _update(export, whole=True, until=None)
    return export


def read(export: KeptExport) -> Iterator[bytes]:
    """The file, chunk by chunk.

    MissingChunk if the file is deleted meanwhile; the sender must then close the connection, so
    that the receiver notices the wrong length.
    """
    rows = ExportChunk.objects.filter(export=export).order_by("number")
    chunks = rows.values_list("number", "content")
    sent = number = 0
    while sent < export.size:
        batch = list(chunks.filter(number__gte=number)[:READ_BATCH])
        numbers = [chunk_number for chunk_number, _ in batch]
        if not batch or numbers != list(range(number, number + len(batch))):
            raise MissingChunk(f"Chunk {number} of {export} is deleted.")
        for _, content in batch:
            chunk = zlib.decompress(bytes(content))
            yield chunk
            sent, number = sent + len(chunk), number + 1


def delete(export: int) -> None:
    """Delete the file with this key."""
    chunks = ExportChunk.objects.filter(export=export).order_by("pk")
    while batch := list(chunks.values_list("pk", flat=True)[:DELETE_BATCH]):
        ExportChunk.objects.filter(pk__in=batch).delete()
    KeptExport.objects.filter(pk=export).delete()


def _update(export: KeptExport, **fields: object) -> None:
    if not KeptExport.objects.filter(pk=export.pk).update(**fields):
        raise LeaseLost


def _chunks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The bytes in pieces of `SIZE`."""
    buffer = bytearray()
    for piece in pieces:
        buffer += piece
        while len(buffer) >= SIZE:
            yield bytes(buffer[:SIZE])
            del buffer[:SIZE]
    if buffer:
        yield bytes(buffer)
