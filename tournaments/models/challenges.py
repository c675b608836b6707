"""Challenges: one bot against another, now."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from bots.models import BotVersion
from cardroom_base.db.db_time import Now
from tournaments.models.competition import Tournament


class Challenge(models.Model):
    """A few unrated deal groups between two versions, asked for by an author.

    All see it who have its address, but for one between versions of the same bot: that is its
    owner's alone, as a trial is.
    """

    tournament = models.OneToOneField(Tournament, models.CASCADE, related_name="challenge")
    """The unrated tournament in which it is played; it has the challenge's state."""
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="challenges",
        null=True,
        blank=True,
    )
    """Who asked for it; null: the site itself."""
    challenger = models.ForeignKey(BotVersion, models.CASCADE, related_name="challenges")
    challenged = models.ForeignKey(BotVersion, models.CASCADE, related_name="challenges_taken")
    groups = models.PositiveSmallIntegerField()
    """How many deal groups are played."""
    created = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.challenger} against {self.challenged}"

    @property
    def own(self) -> bool:
        """Whether both are versions of one bot."""
        return self.challenger.bot_id == self.challenged.bot_id
