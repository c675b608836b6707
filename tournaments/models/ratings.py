"""Ratings and their history, and the state of computing them."""

from __future__ import annotations

from uuid import uuid4

from django.db import models

from bots.models import BotVersion
from cardroom_base.db.db_time import Now
from tournaments.models.matches import Match


def new_epoch() -> str:
    return uuid4().hex


class Rating(models.Model):
    """A bot version's ratings in a pool: the live Elo, and the last batch fit with its interval.

    A pool is `game/variant/table`, `game`, or `overall`.
    """

    class Kind(models.TextChoices):
        """The results of the pool that count."""

        ALL = "all", "all"
        """Every rated result."""
        STRANGERS = "strangers", "with strangers"
        """Only results with partners of other authors; there is no live Elo."""

    pool = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.ALL)
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="ratings")
    live = models.FloatField(default=1200.0)
    """Live Elo."""
    matches = models.PositiveIntegerField(default=0)
    """Matches counted in the live Elo."""
    groups = models.PositiveIntegerField(default=0)
    """Deal groups counted in the fit."""
    fitted = models.FloatField(null=True, blank=True)
    """Batch fit, Elo scale."""
    low = models.FloatField(null=True, blank=True)
    """Lower end of the fit's 95 % interval, relative to the average of the connected component
    (`PoolFit.averages`). Null without a fit, and if the version never won or drew."""
    high = models.FloatField(null=True, blank=True)
    """Upper end; null without a fit, and if the version never lost or drew."""
    component = models.PositiveIntegerField(default=0)
    """Number of its connected component in the fit; ratings in others are not comparable."""
    games = models.PositiveSmallIntegerField(default=1)
    """In the overall pool, the rating is the mean of the ratings in this many games."""
    updated = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("pool", "-fitted", "-live")
        constraints = [
            models.UniqueConstraint(fields=("pool", "kind", "version"), name="rating_once")
        ]

    def __str__(self) -> str:
        return f"{self.version} in {self.pool}"


class RatingChange(models.Model):
    """A change of a live Elo by a match."""

    pool = models.CharField(max_length=100)
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="rating_changes")
    match = models.ForeignKey(Match, models.CASCADE, related_name="rating_changes")
    before = models.FloatField()
    after = models.FloatField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(fields=("pool", "version", "match"), name="rating_change_once")
        ]
        indexes = [models.Index(fields=("pool", "version", "id"), name="rating_history")]

    def __str__(self) -> str:
        return f"{self.version}: {self.before:.0f} → {self.after:.0f}"


class TeamRating(models.Model):
    """The fitted rating of different versions as partners in a pool."""

    pool = models.CharField(max_length=100)
    key = models.CharField(max_length=60)
    """The members' primary keys, ascending, joined by `+`."""
    members = models.ManyToManyField(BotVersion, related_name="team_ratings")
    fitted = models.FloatField()
    """Batch fit of the team, Elo scale."""
    low = models.FloatField()
    """Lower end of the 95 % interval."""
    high = models.FloatField()
    bond = models.FloatField(default=0.0)
    """Elo points above the mean of the members."""
    groups = models.PositiveIntegerField(default=0)
    """Deal groups played."""

    class Meta:
        ordering = ("pool", "-fitted")
        constraints = [models.UniqueConstraint(fields=("pool", "key"), name="team_rating_once")]

    def __str__(self) -> str:
        return f"team {self.key} in {self.pool}"


class RatingPoint(models.Model):
    """A version's fitted rating at a refit: a point of its history."""

    pool = models.CharField(max_length=100)
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="rating_points")
    ordinal = models.PositiveBigIntegerField()
    """Ordinal of the version's last match in the fit."""
    fitted = models.FloatField()
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    shift = models.FloatField(default=0.0)
    """Elo points by which changes of the scale have moved it since its first fit."""
    component = models.PositiveBigIntegerField(null=True)
    """The smallest primary key of the versions that a chain of matches connected with it; null in
    points of earlier releases."""
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("pool", "version", "ordinal")
        constraints = [
            models.UniqueConstraint(fields=("pool", "version", "ordinal"), name="rating_point_once")
        ]

    def __str__(self) -> str:
        return f"{self.version} in {self.pool}: {self.fitted:.0f}"


class ScaleChange(models.Model):
    """A shift of the scale by refits: versions that a chain of matches connects shifted together.

    The zero of a scale is a convention (`tournaments.ratings.scale`), so no strength changed.
    Small moves are summed until they are worth recording.
    """

    class Reason(models.TextChoices):
        CONNECTED = "connected", "groups of bots met for the first time"
        ANCHORS = "anchors", "other levels of the expert were played"
        NEWCOMERS = "newcomers", "new bots changed the average"
        RESULTS = "results", "new results against levels of the expert"
        WITHDRAWN = "withdrawn", "results were withdrawn"

    pool = models.CharField(max_length=100)
    versions = models.ManyToManyField(BotVersion, related_name="scale_changes")
    """The versions that moved."""
    ordinal = models.PositiveBigIntegerField()
    """The last result in the fit."""
    points = models.FloatField()
    """Elo points."""
    reason = models.CharField(max_length=10, choices=Reason)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("pool", "ordinal", "pk")
        indexes = [models.Index(fields=("pool", "ordinal"), name="scale_history")]

    def __str__(self) -> str:
        return f"{self.pool} at {self.ordinal}: {self.points:+.0f}"


class PoolFit(models.Model):
    """The last batch fit of a pool, without the ratings."""

    pool = models.CharField(max_length=100, unique=True)
    ordinal = models.PositiveBigIntegerField(default=0)
    """Ordinal of the last match in the fit."""
    groups = models.PositiveIntegerField(default=0)
    """Deal groups in the fit."""
    dispersion = models.FloatField(default=1.0)
    """Variance of a deal group's outcome over that of independent matches without ties."""
    forms = models.JSONField(default=list)
    """[[format, slope, dispersion, matches, deal groups], …]; `slope` multiplies the strengths of
    a standard match."""
    misfit = models.FloatField(null=True)
    """Mean squared deviation of pairings from the model; about 1 if styles do not matter."""
    styles = models.BooleanField(default=False)
    """Whether `misfit` is above 1 by more than chance."""
    components = models.PositiveIntegerField(default=1)
    """Number of components; ratings in different ones cannot be compared."""
    effects = models.JSONField(default=list)
    """Advantage of each side in Elo points, with its interval: [[points, low, high], …]."""
    entrants = models.JSONField(default=list)
    """Primary keys of the versions, in the order of the covariance."""
    averages = models.JSONField(default=list)
    """[[rating, versions], …] by `Rating.component`: the average to which intervals refer."""
    anchors = models.JSONField(default=list)
    """[[version, nominal rating], …] of the anchors that have played."""
    covariance = models.BinaryField(default=bytes)
    """Covariance of the ratings, in Elo points squared: rows of float32. A large pool's has
    megabytes; it is not compressed, so that the database can read single elements."""
    seconds = models.FloatField(default=0.0)
    """Duration of the fit."""
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("pool",)

    def __str__(self) -> str:
        return f"fit of {self.pool} at {self.ordinal}"


class Ledger(models.Model):
    """The single row that is locked while ratings count results, so that each counts once."""

    ordinal = models.PositiveBigIntegerField(default=0)
    """The last ordinal assigned to a match."""
    fitted = models.PositiveBigIntegerField(default=0)
    """The last ordinal in the batch fits."""
    counted = models.PositiveBigIntegerField(default=0)
    """The last ordinal whose match has its `MatchFigures`."""
    stale = models.BooleanField(default=False)
    """Whether a counted result has been withdrawn, so that all must be recomputed."""
    epoch = models.CharField(max_length=32, default=new_epoch)
    """Changes when everything is recomputed; copies of earlier results are then invalid."""

    def __str__(self) -> str:
        return f"ledger at {self.ordinal}"
