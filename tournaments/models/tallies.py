"""What is counted about bots for those who watch them; all of it follows from records."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bots.models import Bot
from tournaments.models.matches import StoredRecord


class MatchFigures(models.Model):
    """What each seat did in a finished rated match; gone with the result.

    It begins empty, when the live ratings have taken the match in, and is counted when its deal
    group is over.
    """

    record = models.OneToOneField(
        StoredRecord, models.CASCADE, primary_key=True, related_name="figures"
    )
    shape = models.PositiveSmallIntegerField(default=0)
    """Version of what was counted (`tournaments.standings.figures.SHAPE`); 0: nothing yet."""
    content = models.JSONField(default=dict)
    """A `tournaments.standings.figures.Counted`; empty where the record cannot be played again."""
    counted = models.BooleanField(default=False)
    """Whether the totals of the bots have it."""

    class Meta:
        verbose_name_plural = "match figures"
        indexes = [
            models.Index(fields=("record",), name="figures_to_count", condition=Q(counted=False))
        ]

    def __str__(self) -> str:
        return f"figures of {self.record}"


class BotTotal(models.Model):
    """Something about a bot that has been added up over its matches.

    One table for all of it, so that a page reads it in one query.
    """

    class Kind(models.TextChoices):
        """What it is. The results in a pool (matches, points), by an aspect; a figure; or the match
        in a game that has the most of something."""

        FORM = "form", "in all"
        PARTNER = "partner", "with a partner"
        SEAT = "seat", "at a seat"
        """The key is its number."""
        SIDE = "side", "on a side"
        """The key is its number."""
        VERSUS = "versus", "against a bot"
        """Of more than two sides only these two are compared."""
        FIGURE = "figure", "figure"
        """Of the game (`tournaments.standings.figures`); also of all bots together."""
        BEST = "best", "best match"
        """Won against the strongest, by live Elo at the time. The key of this and the next three
        is the match's, the total is how much of it."""
        WORST = "worst", "worst match"
        """Lost to the weakest."""
        COMEBACK = "comeback", "comeback"
        """Won from furthest behind, in points."""
        LONGEST = "longest", "longest match"
        """By deals, with the moves behind the point."""

    bot = models.ForeignKey(Bot, models.CASCADE, related_name="totals", null=True)
    """Null: of all bots together."""
    pool = models.CharField(max_length=100)
    """`game/variant/table`; for a match that has the most of something, `game/`."""
    kind = models.CharField(max_length=10, choices=Kind)
    key = models.PositiveBigIntegerField(default=0)
    other = models.ForeignKey(Bot, models.CASCADE, related_name="+", null=True)
    """The partner or opponent, whose key it is."""
    name = models.CharField(max_length=40, blank=True)
    """Of a figure."""
    count = models.PositiveBigIntegerField(default=0)
    """Of how many matches, deals or moves."""
    total = models.FloatField(default=0.0)
    """Points, a drawn match being half a one; the sum of a figure."""
    drawn = models.PositiveIntegerField(default=0)
    """How many of the matches were drawn."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=("bot", "pool", "kind", "key", "name"), name="bot_total_once"
            ),
            models.UniqueConstraint(
                fields=("pool", "kind", "key", "name"),
                name="field_total_once",
                condition=Q(bot=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name or self.key} of {self.bot or 'all'} in {self.pool}"
