"""Statistics of bots, computed from records."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bots.models import Bot
from tournaments.models.matches import StoredRecord


class MatchFigures(models.Model):
    """The figures of each seat in a finished rated match; deleted with the result.

    The row is created empty once the live ratings include the match, and filled when its deal group
    is over.
    """

    record = models.OneToOneField(
        StoredRecord, models.CASCADE, primary_key=True, related_name="figures"
    )
    shape = models.PositiveSmallIntegerField(default=0)
    """Version of the figures (`tournaments.standings.figures.SHAPE`); 0: not counted yet."""
    content = models.JSONField(default=dict)
    """A `tournaments.standings.figures.MatchCounts`; empty if the record cannot be replayed."""
    counted = models.BooleanField(default=False)
    """Whether the bots' totals include it."""

    class Meta:
        verbose_name_plural = "match figures"
        indexes = [
            models.Index(fields=("record",), name="figures_to_count", condition=Q(counted=False))
        ]

    def __str__(self) -> str:
        return f"figures of {self.record}"


class BotTotal(models.Model):
    """A total over a bot's matches.

    One table holds all kinds, so that a page reads them in one query.
    """

    class Kind(models.TextChoices):
        """Results in a pool by some aspect, figures, and record matches of a game."""

        FORM = "form", "in all"
        PARTNER = "partner", "with a partner"
        SEAT = "seat", "at a seat"
        """`key`: the seat's number."""
        SIDE = "side", "on a side"
        """`key`: the side's number."""
        VERSUS = "versus", "against a bot"
        """At tables of more than two sides, the two bots' sides are compared."""
        FIGURE = "figure", "figure"
        """A figure of the game (`tournaments.standings.figures`), also for all bots together."""
        BEST = "best", "best match"
        """Won against the highest live Elo at the time. In record matches `key` is the match's key,
        `total` the value."""
        WORST = "worst", "worst match"
        """Lost to the lowest live Elo at the time."""
        COMEBACK = "comeback", "comeback"
        """Won after the largest deficit, in points."""
        LONGEST = "longest", "longest match"
        """Most deals, then moves: `total` is deals + moves / 1,000,000."""

    bot = models.ForeignKey(Bot, models.CASCADE, related_name="totals", null=True)
    """Null: all bots together."""
    pool = models.CharField(max_length=100)
    """`game/variant/table`; for record matches `game/`."""
    kind = models.CharField(max_length=10, choices=Kind)
    key = models.PositiveBigIntegerField(default=0)
    other = models.ForeignKey(Bot, models.CASCADE, related_name="+", null=True)
    """The partner or opponent; `key` is its primary key."""
    name = models.CharField(max_length=40, blank=True)
    """The figure's name."""
    count = models.PositiveBigIntegerField(default=0)
    """Matches, deals or moves counted."""
    total = models.FloatField(default=0.0)
    """Points, with half a point for a draw; the sum of a figure; the value of a record match."""
    drawn = models.PositiveIntegerField(default=0)
    """Drawn matches."""

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
