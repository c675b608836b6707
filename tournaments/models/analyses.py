"""Analyses of finished matches."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Case, Q, When

from cardroom_base.db.db_time import Now
from cardroom_base.db.jobs import Job
from tournaments.models.matches import StoredRecord


class Analysis(Job):
    """The analysis of a match, computed in pieces; deleted with the result.

    It can be recomputed from the record at any time. `tries` counts the attempts at the next piece.
    """

    AWAITED: ClassVar = Q(by__isnull=False)
    """The condition that a person requested it."""
    QUEUE: ClassVar = (Case(When(AWAITED, then=0), default=1), "playouts", "asked", "pk")
    """Requested analyses come first, then those with fewer playouts, such as those of a demo."""

    STOPPED: ClassVar = "It was stopped."
    """The `trouble` of a stopped analysis, which can resume from `done` and `content`."""

    record = models.OneToOneField(
        StoredRecord, models.CASCADE, primary_key=True, related_name="analysis"
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, related_name="analyses", null=True, blank=True
    )
    """The person who requested it; null: the site, or a deleted account."""
    asked = models.DateTimeField(db_default=Now())
    begun = models.DateTimeField(null=True, blank=True)
    """Start of the first piece; the speed is computed from this and `done`."""
    expert = models.PositiveSmallIntegerField()
    """Version of the expert (`engine.search.EXPERT`)."""
    playouts = models.PositiveIntegerField()
    """Playouts for each decision."""
    done = models.PositiveIntegerField(default=0)
    """Number of the record's moves judged so far."""
    content = models.BinaryField(default=bytes)
    """JSON, compressed with zlib: a list of the decisions so far, or the object of a finished
    analysis (`engine.search.findings`)."""
    former = models.BinaryField(default=bytes)
    """During a recomputation: the `content` of the earlier expert's analysis. Pages show it until
    the new one is finished."""
    seats = models.JSONField(default=list, blank=True)
    """The `seats` of a finished analysis, so that a bot's page need not read `content`."""

    class Meta:
        verbose_name_plural = "analyses"
        indexes = [
            models.Index(fields=("asked",), name="analysis_queue", condition=Q(finished=None)),
            models.Index(fields=("by", "asked"), name="analysis_quota"),
        ]

    def __str__(self) -> str:
        return f"analysis of match {self.pk}"
