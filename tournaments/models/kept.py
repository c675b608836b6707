"""What is kept because making it takes long."""

from __future__ import annotations

from django.db import models

from tournaments.models.competition import Tournament


class Kept(models.Model):
    """Something about a tournament that takes long to make, as it was when it was made last.

    It follows from results, can be thrown away at any time, and is made anew
    (`tournaments.reading.kept`).
    """

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="kept")
    name = models.CharField(max_length=20)
    """What it is: `tables`, `luck`, `archive`, …"""
    mark = models.CharField(max_length=200, blank=True)
    """What the tournament was like just before it was made; another one now: it is stale."""
    content = models.BinaryField(default=bytes)
    """JSON, compressed with zlib; empty where it is a file."""
    file = models.CharField(max_length=200, blank=True)
    """Its name in the storage of exports; empty where it is none."""
    size = models.PositiveBigIntegerField(default=0)
    """Bytes of the file."""
    at = models.DateTimeField(null=True, blank=True)
    """As of when it is; null: it has never been made."""
    seconds = models.FloatField(default=0.0)
    """Processor time that it took."""
    asked = models.DateTimeField(null=True, blank=True)
    """Since when somebody waits for a newer one; null: nobody does."""
    until = models.DateTimeField(null=True, blank=True)
    """Who makes it now has so long; null: nobody does."""

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
