"""Decisions of organizers about matches and tournaments."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from cardroom_base.db.db_time import Now
from tournaments.models.competition import Tournament
from tournaments.models.matches import Match


class Decision(models.Model):
    """An entry of the tournament's log: a decision of an organizer or of the site."""

    class Kind(models.TextChoices):
        RERUN = "rerun", "played again"
        """A match or a round is played again."""
        VOID = "void", "does not count"
        """A match does not count."""
        RETIRED = "retired", "paired again"
        """Earlier results changed, so later pairings no longer applied and were retired."""
        WITHDRAWN = "withdrawn", "withdrawn"
        """An entry is no longer paired."""
        REDEALT = "redealt", "redealt"
        """The site redealt a deal group after a failed attempt."""
        CONFLICT_OF_INTEREST = "interest", "organizer's own"
        """An organizer has a bot in the tournament."""
        ENDED = "ended", "ended"
        """The tournament was cancelled or stopped, or a ladder was ended; results stay."""
        CARRIED = "carried", "carried over"
        """The tournament continues under another edition of the rules."""
        LATE = "late", "late entry"
        """A bot entered after the start."""
        CATEGORY = "category", "moved"
        """An entry moved to another category after the start."""
        SCHEDULED = "scheduled", "rescheduled"
        """The organizer changed its times after it was opened."""
        FAILED = "failed", "not started"
        """The scheduled start failed."""
        VISIBILITY = "visibility", "shown to others"
        """The visibility of the tournament changed."""
        FROZEN = "frozen", "frozen"
        """Later results are shown only to organizers and staff."""
        REVEALED = "revealed", "revealed"
        """All results are shown again."""
        ORGANIZER = "organizer", "organizers changed"
        """A co-organizer was added or removed."""
        CHANGED = "changed", "changed"
        """A moderator changed one of its texts, or hid it."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="decisions")
    match = models.ForeignKey(Match, models.CASCADE, null=True, blank=True)
    """The affected match, if there is one."""
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True)
    """Null: the site itself."""
    kind = models.CharField(max_length=10, choices=Kind)
    what = models.CharField(max_length=200)
    """The subject as text, such as `round 2 of stage 1`."""
    reason = models.TextField(blank=True)
    own = models.BooleanField(default=False)
    """Whether `by` has a bot in the affected deal groups."""
    dealt = models.JSONField(default=list, blank=True)
    """Redealt groups: pairs of numbers, of the old group and its replacement."""
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("tournament", "id")

    def __str__(self) -> str:
        return f"{self.what}: {self.get_kind_display()}"
