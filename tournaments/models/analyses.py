"""What the expert says of finished matches."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Case, Q, When

from cardroom_base.db.db_time import Now
from cardroom_base.db.jobs import Job
from tournaments.models.matches import StoredRecord


class Analysis(Job):
    """The analysis of a match, made in pieces; gone with the result.

    It follows from the record, so it can be deleted and recomputed at any time. `tries` counts the
    attempts at its next piece.
    """

    AWAITED: ClassVar = Q(by__isnull=False)
    """The condition that a person asked for it, and so may be waiting for it."""
    QUEUE: ClassVar = (Case(When(AWAITED, then=0), default=1), "playouts", "asked", "pk")
    """The order in which they are made: what a person asked for comes first, then those with fewer
    playouts (a demo has some that are made quickly)."""

    STOPPED: ClassVar = "It was stopped."
    """The `trouble` of one that a person stopped; its `done` and `content` stay, so that it can go
    on from there."""

    record = models.OneToOneField(
        StoredRecord, models.CASCADE, primary_key=True, related_name="analysis"
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, related_name="analyses", null=True, blank=True
    )
    """Who asked for it; null: the site itself, or somebody who is gone."""
    asked = models.DateTimeField(db_default=Now())
    begun = models.DateTimeField(null=True, blank=True)
    """When its first piece was taken; with `done` it says how fast it goes."""
    expert = models.PositiveSmallIntegerField()
    """Version of the expert by whom it is made (`engine.search.EXPERT`)."""
    playouts = models.PositiveIntegerField()
    """For each decision."""
    done = models.PositiveIntegerField(default=0)
    """How many moves of the record have been looked at."""
    content = models.BinaryField(default=bytes)
    """JSON, compressed with zlib: the decisions so far, a list; in the end the whole analysis
    (`engine.search.findings`), an object."""
    former = models.BinaryField(default=bytes)
    """While it is made anew: the whole analysis of an earlier version of the expert, as `content`;
    shown until the new one is there."""
    seats = models.JSONField(default=list, blank=True)
    """Of one that is finished: its `seats`, so that a bot's page reads no more than it shows."""

    class Meta:
        verbose_name_plural = "analyses"
        indexes = [
            models.Index(fields=("asked",), name="analysis_queue", condition=Q(finished=None)),
            models.Index(fields=("by", "asked"), name="analysis_quota"),
        ]

    def __str__(self) -> str:
        return f"analysis of match {self.pk}"
