"""What organizers decide about matches."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from cardroom_base.db.db_time import Now
from tournaments.models.competition import Tournament
from tournaments.models.matches import Match


class Decision(models.Model):
    """What an organizer decided, or what followed from it: the tournament's log."""

    class Kind(models.TextChoices):
        """What was decided."""

        RERUN = "rerun", "played again"
        """A match, or a round, is played again."""
        VOID = "void", "does not count"
        """A match does not count."""
        RETIRED = "retired", "paired anew"
        """Later pairings no longer followed and were set aside."""
        WITHDRAWN = "withdrawn", "withdrawn"
        """An entry is no longer paired."""
        REDEALT = "redealt", "dealt anew"
        """An attempt failed, so the site dealt its deal group again."""
        INTEREST = "interest", "organizer's own"
        """The person who runs the tournament plays in it."""
        ENDED = "ended", "ended"
        """It was cancelled, or a ladder was ended; what was played stays."""
        CARRIED = "carried", "carried over"
        """It goes on under other rules, or the same ones of another program."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="decisions")
    match = models.ForeignKey(Match, models.CASCADE, null=True, blank=True)
    """The match it is about, if it is about one."""
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True)
    """Null: the site, as a consequence."""
    kind = models.CharField(max_length=10, choices=Kind)
    what = models.CharField(max_length=200)
    """What it is about, in words: `round 2 of stage 1`."""
    reason = models.TextField(blank=True)
    own = models.BooleanField(default=False)
    """Whether the person who decided has a bot in what it is about."""
    dealt = models.JSONField(default=list, blank=True)
    """Deal groups that got new cards: pairs of numbers, the old one and the one in its place."""
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("tournament", "id")

    def __str__(self) -> str:
        return f"{self.what}: {self.get_kind_display()}"
