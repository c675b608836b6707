"""Files in chunks: rows that are written one a transaction and read a few a query.

So nobody who writes a file, sends it or deletes it holds up others, and no machine needs a disk of
another one.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from django.db import transaction
from django.db.models import F

from tournaments.models import ExportChunk, Kept, KeptExport
from tournaments.reading.kept import TakenOver

SIZE: Final = 1 << 20
"""Bytes of a chunk before it is compressed; the last one of a file may be shorter."""
AT_ONCE: Final = 8
"""Chunks that are deleted in one transaction."""
READ_AT_ONCE: Final = 6
"""Chunks that a query reads: a whole file within few queries, and little memory held."""


class MissingChunk(Exception):  # noqa: N818 - what is the case
    """A file is not all there any more."""


def write(pieces: Iterable[bytes], level: int, row: Kept) -> KeptExport:
    """Write a new file; `level` of zlib: 0 where compressing gains nothing.

    TakenOver where somebody else has the lease, or has deleted what this one wrote.
    """
    made = KeptExport.objects.create(until=row.lease())
    for number, chunk in enumerate(_chunks(pieces)):
        content = zlib.compress(chunk, level)
        with transaction.atomic():
            if not row.renew():
                raise TakenOver
            _update(
                made,
                size=F("size") + len(chunk),
                stored=F("stored") + len(content),
                until=row.lease(),
            )
            ExportChunk.objects.create(export=made, number=number, content=content)
    _update(made, whole=True, until=None)
    return made


def read(export: KeptExport) -> Iterator[bytes]:
    """The file, chunk by chunk.

    MissingChunk where it is deleted meanwhile: whoever sends it must break off, and the reader
    notices by the length.
    """
    of_it = ExportChunk.objects.filter(export=export).order_by("number")
    chunks = of_it.values_list("number", "content")
    sent = number = 0
    while sent < export.size:
        some = list(chunks.filter(number__gte=number)[:READ_AT_ONCE])
        if [found for found, _ in some] != list(range(number, number + len(some))) or not some:
            raise MissingChunk(f"Chunk {number} of {export} is deleted.")
        for _, content in some:
            chunk = zlib.decompress(bytes(content))
            yield chunk
            sent, number = sent + len(chunk), number + 1


def delete(export: int) -> None:
    """Delete the file of that key."""
    chunks = ExportChunk.objects.filter(export=export).order_by("pk")
    while some := list(chunks.values_list("pk", flat=True)[:AT_ONCE]):
        ExportChunk.objects.filter(pk__in=some).delete()
    KeptExport.objects.filter(pk=export).delete()


def _update(export: KeptExport, **fields: object) -> None:
    if not KeptExport.objects.filter(pk=export.pk).update(**fields):
        raise TakenOver


def _chunks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of `SIZE`."""
    rest = bytearray()
    for piece in pieces:
        rest += piece
        while len(rest) >= SIZE:
            yield bytes(rest[:SIZE])
            del rest[:SIZE]
    if rest:
        yield bytes(rest)
