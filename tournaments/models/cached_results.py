"""Cached results of long computations, and export files."""

from __future__ import annotations

from django.db import models

from cardroom_base.db.jobs import Job
from tournaments.models.competition import Tournament


class KeptExport(models.Model):
    """A file in chunks of a megabyte, served after its last chunk is stored and while a `Kept` row
    refers to it."""

    whole = models.BooleanField(default=False)
    """Whether its last chunk is stored."""
    size = models.PositiveBigIntegerField(default=0)
    """Bytes that readers download."""
    stored = models.PositiveBigIntegerField(default=0)
    """Bytes of its compressed chunks."""
    until = models.DateTimeField(null=True, blank=True)
    """When a file that is being written or downloaded expires, although no `Kept` row refers to
    it. Null: a row refers to it, or `delete_expired` has not checked it yet."""

    def __str__(self) -> str:
        return f"export {self.pk}"


class ExportChunk(models.Model):
    """A chunk of a file, numbered from 0."""

    export = models.ForeignKey(KeptExport, models.CASCADE, related_name="chunks", db_index=False)
    number = models.PositiveIntegerField()
    content = models.BinaryField()
    """Compressed with zlib."""

    class Meta:
        ordering = ("export", "number")
        constraints = [
            models.UniqueConstraint(fields=("export", "number"), name="chunk_of_export_once")
        ]

    def __str__(self) -> str:
        return f"chunk {self.number} of {self.export}"


class Frozen(models.Model):
    """A table or story of a tournament at the time when its standings were frozen."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="+")
    name = models.CharField(max_length=20)
    """`tables` or `story`."""
    content = models.BinaryField()
    """As in `Kept`."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=("tournament", "name"), name="frozen_once")]

    def __str__(self) -> str:
        return f"frozen {self.name} of {self.tournament}"


class Kept(Job):
    """A cached table, story or export of a tournament.

    It can be recomputed from results at any time (`tournaments.reading.content_cache`). The job
    never finishes: after each computation the worker gives it back.
    """

    LEASE_SECONDS = 600.0

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="kept")
    name = models.CharField(max_length=20)
    """`tables`, `luck`, `archive`, …"""
    mark = models.CharField(max_length=200, blank=True)
    """The tournament's mark before the computation; if the mark has changed, the row is stale."""
    content = models.BinaryField(default=bytes)
    """JSON, compressed with zlib; empty for a file."""
    export = models.OneToOneField(
        KeptExport, models.SET_NULL, null=True, blank=True, related_name="kept"
    )
    """The complete file; null for JSON."""
    at = models.DateTimeField(null=True, blank=True)
    """The time of the data; null if it was never computed."""
    seconds = models.FloatField(default=0.0)
    """Processor time of the computation."""
    asked = models.DateTimeField(null=True, blank=True)
    """When newer content was requested; null if there is no request."""

    class Meta:
        ordering = ("tournament", "name")
        verbose_name_plural = "kept"
        constraints = [models.UniqueConstraint(fields=("tournament", "name"), name="kept_once")]
        indexes = [
            models.Index(
                fields=("asked",), name="kept_asked", condition=models.Q(asked__isnull=False)
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.tournament}"
