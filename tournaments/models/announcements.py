"""Organizers' announcements on the page of their tournament."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from cardroom_base.db.db_time import Now
from tournaments.models.competition import Tournament


class Announcement(models.Model):
    """A dated text on the tournament's page."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="announcements")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    """Null: the site, or a deleted account."""
    text = models.TextField()
    """Markdown."""
    at = models.DateTimeField(db_default=Now())
    changed = models.DateTimeField(null=True, blank=True)
    """When its text last changed; null: never."""

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.tournament}: {self.text[:60]}"
