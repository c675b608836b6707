"""What is kept because it takes long to make."""

from __future__ import annotations

from django.db import models

from cardroom_base.db.jobs import Job
from tournaments.models.competition import Tournament


class KeptExport(models.Model):
    """A file in chunks of a megabyte. It is served while a `Kept` names it, and none does before
    the last chunk is there."""

    whole = models.BooleanField(default=False)
    """Whether its last chunk is there."""
    size = models.PositiveBigIntegerField(default=0)
    """Bytes as it is sent."""
    stored = models.PositiveBigIntegerField(default=0)
    """Bytes of its chunks, compressed."""
    until = models.DateTimeField(null=True, blank=True)
    """Until then it stays though no `Kept` names it: it is being written or may still be being
    sent; null: nobody has found it without a name yet."""

    def __str__(self) -> str:
        return f"export {self.pk}"


class ExportChunk(models.Model):
    """A piece of a file; the numbers begin at 0."""

    export = models.ForeignKey(KeptExport, models.CASCADE, related_name="chunks", db_index=False)
    number = models.PositiveIntegerField()
    content = models.BinaryField()
    """Compressed with zlib, by itself."""

    class Meta:
        ordering = ("export", "number")
        constraints = [
            models.UniqueConstraint(fields=("export", "number"), name="chunk_of_export_once")
        ]

    def __str__(self) -> str:
        return f"chunk {self.number} of {self.export}"


class Kept(Job):
    """Something about a tournament that takes long to make, as it was last made.

    It follows from results, so it can be deleted at any time and is then recomputed
    (`tournaments.reading.kept`). As a job it never finishes: its worker gives it back.
    """

    LEASE_SECONDS = 600.0

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="kept")
    name = models.CharField(max_length=20)
    """What it is: `tables`, `luck`, `archive`, …"""
    mark = models.CharField(max_length=200, blank=True)
    """The tournament's mark just before it was made; if that differs now, it is stale."""
    content = models.BinaryField(default=bytes)
    """JSON, compressed with zlib; empty where it is a file."""
    export = models.OneToOneField(
        KeptExport, models.SET_NULL, null=True, blank=True, related_name="kept"
    )
    """The file, whole; null where it is none."""
    at = models.DateTimeField(null=True, blank=True)
    """The time that it is as of; null if it was never made."""
    seconds = models.FloatField(default=0.0)
    """Processor time that it took."""
    asked = models.DateTimeField(null=True, blank=True)
    """Since when somebody waits for a newer one; null if nobody does."""

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
