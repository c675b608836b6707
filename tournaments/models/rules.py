"""The rules in force on this site."""

from __future__ import annotations

from django.db import models

from cardroom_base.db.db_time import Now


class RulesInForce(models.Model):
    """The rules of a game for tournaments that start now.

    `adopt_rules` sets them; a worker with other rules does not play the game.
    """

    game = models.CharField(max_length=40, primary_key=True)
    version = models.PositiveIntegerField()
    """The version that the game declares (`engine.game.Game.version`)."""
    digest = models.CharField(max_length=40)
    """Digest of the sources that implement them (`engine.rules`)."""
    since = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "rules in force"

    def __str__(self) -> str:
        return f"{self.game} {self.version}"

    @property
    def edition(self) -> str:
        """Version and digest, as stored in tournaments and attempts."""
        return f"{self.version} {self.digest}"
