"""Tournaments, what is played in them, and what came of it.

A match is a fact to be established; an attempt is one try by one worker. The database is the
truth and the queue only says that there is work. Standings and ratings are projections of
results. Every change of state is in `tournaments.actions`.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q
from django.utils import timezone

from bots.models import Bot, BotVersion


class TournamentQuerySet(models.QuerySet["Tournament"]):
    def visible_to(self, user: AbstractBaseUser | AnonymousUser | None) -> TournamentQuerySet:
        """What was ever opened; of the rest one's own, for staff everybody's."""
        if user is None or not user.pk:
            return self.filter(opened__isnull=False)
        if getattr(user, "is_staff", False):
            return self
        return self.filter(Q(opened__isnull=False) | Q(organizer=user.pk))


class Tournament(models.Model):
    """A competition in one format between entered bots."""

    class State(models.TextChoices):
        """draft → open → running → finished, or cancelled from any but finished."""

        DRAFT = "draft", "draft"
        """The organizer is still choosing; only they see it."""
        OPEN = "open", "open"
        """Bots may enter and withdraw."""
        RUNNING = "running", "running"
        """Entries are fixed, matches are played."""
        FINISHED = "finished", "finished"
        """Every match has its result."""
        CANCELLED = "cancelled", "cancelled"
        """Ended by the organizer; results so far stay."""

    class FaultPolicy(models.TextChoices):
        """What happens in a match after a bot's first fault."""

        FALLBACK = "fallback", "play on"
        """The seat is played by the first legal move to the end."""
        FORFEIT = "forfeit", "end the match"
        """The match ends at once."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=80)
    description = models.TextField(max_length=2000, blank=True)
    organizer = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="tournaments", null=True, blank=True
    )
    """Null for tournaments that the site itself runs."""
    format = models.CharField(max_length=200)
    """Canonical text of an `engine.Format`."""
    system = models.CharField(max_length=20, default="round-robin")
    """Name of a pairing system in `tournaments.pairing`."""
    groups = models.PositiveSmallIntegerField(default=2)
    """Deal groups for each pairing; each holds one match per rotation of the sides."""
    move_ms = models.PositiveIntegerField(default=1000)
    """Milliseconds that each decision may take free of charge."""
    bank_ms = models.PositiveIntegerField(default=20000)
    """Milliseconds beyond that for a whole match, per seat."""
    fault_policy = models.CharField(
        max_length=10, choices=FaultPolicy, default=FaultPolicy.FALLBACK
    )
    rated = models.BooleanField(default=True)
    """Whether its results move the ratings."""
    seed = models.CharField(max_length=64)
    """From which the deals of every group are derived; shown once the tournament has started."""
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT, db_index=True)
    created = models.DateTimeField(default=timezone.now)
    opened = models.DateTimeField(null=True, blank=True)
    """When all could see it first; a draft that is cancelled never was."""
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)

    objects = TournamentQuerySet.as_manager()

    class Meta:
        ordering = ("-created", "-id")

    def __str__(self) -> str:
        return self.name


class Entry(models.Model):
    """One bot in one tournament, fixed to the version it had when the tournament started."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="entries")
    bot = models.ForeignKey(Bot, models.PROTECT, related_name="entries")
    version = models.ForeignKey(BotVersion, models.PROTECT, related_name="entries")
    """Follows the bot's active version until the start, then stays."""
    number = models.PositiveIntegerField()
    """1, 2, … in order of entering; the pairing systems count from it."""
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("tournament", "number")
        constraints = [
            models.UniqueConstraint(fields=("tournament", "bot"), name="bot_enters_once"),
            models.UniqueConstraint(fields=("tournament", "number"), name="entry_number_once"),
        ]

    def __str__(self) -> str:
        return f"{self.bot} in {self.tournament}"


class Fixture(models.Model):
    """A deal group: the same shuffles, played once for every rotation of the sides."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="fixtures")
    round = models.PositiveIntegerField()
    """1, 2, … as the pairing system gave it."""
    pairing = models.PositiveIntegerField(default=1)
    """1, 2, … within the round; the deal groups of one pairing share it."""
    number = models.PositiveIntegerField()
    """1, 2, … within the tournament."""
    seed = models.CharField(max_length=120)
    """Seed of every match of the group."""
    finished = models.DateTimeField(null=True, blank=True)
    """When the last match of the group got its result."""

    class Meta:
        ordering = ("tournament", "number")
        constraints = [
            models.UniqueConstraint(fields=("tournament", "number"), name="fixture_number_once")
        ]

    def __str__(self) -> str:
        return f"{self.tournament} #{self.number}"


class FixtureSide(models.Model):
    """An entrant of a fixture; its place in the order from which the rotations are made."""

    fixture = models.ForeignKey(Fixture, models.CASCADE, related_name="sides")
    index = models.PositiveSmallIntegerField()
    """0, 1, …: the side it plays in the group's first match."""
    entry = models.ForeignKey(Entry, models.PROTECT, related_name="fixture_sides")

    class Meta:
        ordering = ("fixture", "index")
        constraints = [
            models.UniqueConstraint(fields=("fixture", "index"), name="fixture_side_once")
        ]

    def __str__(self) -> str:
        return f"{self.fixture}: {self.entry.bot}"


class Match(models.Model):
    """One match: format, seed and seats are fixed at creation, the result comes exactly once."""

    class State(models.TextChoices):
        """waiting → playing → finished; back to waiting when a worker is lost."""

        WAITING = "waiting", "waiting"
        """No worker has it."""
        PLAYING = "playing", "playing"
        """An attempt holds the lease."""
        FINISHED = "finished", "finished"
        """Record and result are stored."""
        STUCK = "stuck", "stuck"
        """Five attempts failed without a result; the organizer decides."""
        VOID = "void", "void"
        """Will not be played, or does not count."""

    UNFINISHED = (State.WAITING, State.PLAYING, State.STUCK)
    """The states of matches that a tournament still waits for."""

    fixture = models.ForeignKey(Fixture, models.CASCADE, related_name="matches")
    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="matches")
    """The fixture's, kept here because most lists ask for it."""
    rotation = models.PositiveSmallIntegerField()
    """0, 1, …: how far the sides are turned in this match of the group."""
    format = models.CharField(max_length=200)
    seed = models.CharField(max_length=120)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    moves_played = models.PositiveIntegerField(default=0)
    """Progress of the running attempt, for people who watch."""
    failures = models.PositiveSmallIntegerField(default=0)
    """Attempts without a result since the creation or the organizer's last word."""
    reason = models.CharField(max_length=20, blank=True)
    """Why the match ended, as in the engine's result: target, deals, …"""
    faulted = models.BooleanField(default=False)
    """Whether any seat faulted."""
    ordinal = models.PositiveBigIntegerField(null=True, blank=True, unique=True)
    """Place in the order in which the live ratings took results in; `rebuild` follows it."""
    created = models.DateTimeField(default=timezone.now)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("id",)
        verbose_name_plural = "matches"
        constraints = [
            models.UniqueConstraint(fields=("fixture", "rotation"), name="rotation_once")
        ]
        indexes = [
            models.Index(fields=("id",), name="match_waiting", condition=Q(state="waiting")),
            models.Index(fields=("tournament", "state"), name="match_by_state"),
        ]

    def __str__(self) -> str:
        return f"match {self.pk}"


class Seat(models.Model):
    """Who sits where in a match, and what the seat used."""

    match = models.ForeignKey(Match, models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField()
    side = models.PositiveSmallIntegerField()
    """Number of the side in the format."""
    entry = models.ForeignKey(Entry, models.PROTECT, related_name="seats")
    version = models.ForeignKey(BotVersion, models.PROTECT, related_name="seats")
    fault = models.CharField(max_length=20, blank=True)
    """Kind of the seat's first fault, empty if none."""
    cpu_ms = models.PositiveIntegerField(null=True, blank=True)
    """CPU time of the bot's process."""
    wall_ms = models.PositiveIntegerField(null=True, blank=True)
    """Time on its clock."""
    peak_memory_kib = models.PositiveIntegerField(null=True, blank=True)
    log = models.BinaryField(default=bytes)
    """The end of the bot's stderr, at most 64 KiB, compressed with zlib; for its owner only."""

    class Meta:
        ordering = ("match", "index")
        constraints = [models.UniqueConstraint(fields=("match", "index"), name="seat_once")]

    def __str__(self) -> str:
        return f"{self.match}, seat {self.index}"


class Attempt(models.Model):
    """One try by one worker to establish the result of a match."""

    class Outcome(models.TextChoices):
        """How it went."""

        RUNNING = "running", "running"
        """The lease is held."""
        STORED = "stored", "stored"
        """Its record became the result."""
        FAILED = "failed", "failed"
        """The worker gave up and said why."""
        LOST = "lost", "lost"
        """The lease ran out: the worker died or was cut off."""
        LATE = "late", "late"
        """It came with a result after it had lost the lease; ignored."""
        OVERRULED = "overruled", "overruled"
        """Its result was stored, then set aside by the organizer."""

    match = models.ForeignKey(Match, models.CASCADE, related_name="attempts")
    number = models.PositiveSmallIntegerField()
    worker = models.CharField(max_length=100)
    outcome = models.CharField(max_length=10, choices=Outcome, default=Outcome.RUNNING)
    cause = models.TextField(blank=True)
    """Why it failed, for the organizer."""
    record = models.BinaryField(null=True, blank=True)
    """Of an overruled attempt: the record that it had stored, so that nothing is lost."""
    started = models.DateTimeField(default=timezone.now)
    lease_until = models.DateTimeField()
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("match", "number")
        constraints = [
            models.UniqueConstraint(fields=("match", "number"), name="attempt_number_once"),
            models.UniqueConstraint(
                fields=("match",), name="one_running_attempt", condition=Q(outcome="running")
            ),
        ]
        indexes = [
            models.Index(
                fields=("lease_until",), name="attempt_lease", condition=Q(outcome="running")
            )
        ]

    def __str__(self) -> str:
        return f"{self.match}, attempt {self.number}"


class StoredRecord(models.Model):
    """The record of a finished match, from which everything about it can be recomputed."""

    match = models.OneToOneField(Match, models.CASCADE, primary_key=True, related_name="record")
    content = models.BinaryField()
    """The record's JSON, compressed with zlib."""
    moves = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"record of {self.match}"


class SideResult(models.Model):
    """What one side got in a finished match."""

    match = models.ForeignKey(Match, models.CASCADE, related_name="results")
    side = models.PositiveSmallIntegerField()
    entry = models.ForeignKey(Entry, models.PROTECT, related_name="results")
    score = models.IntegerField()
    rank = models.PositiveSmallIntegerField()
    """1 = best; equal ranks are ties; a faulting side is last."""
    faulted = models.BooleanField(default=False)

    class Meta:
        ordering = ("match", "side")
        constraints = [models.UniqueConstraint(fields=("match", "side"), name="side_result_once")]

    def __str__(self) -> str:
        return f"{self.match}, side {self.side}: {self.score}"


class Rating(models.Model):
    """Where a bot version stands in a pool: a live Elo, and the last batch fit with its interval.

    A pool is `game/variant/table`, `game`, or `overall`.
    """

    pool = models.CharField(max_length=100)
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="ratings")
    live = models.FloatField(default=1200.0)
    """Elo, moved by each finished match."""
    matches = models.PositiveIntegerField(default=0)
    """Matches behind the live value."""
    groups = models.PositiveIntegerField(default=0)
    """Deal groups behind the fit."""
    fitted = models.FloatField(null=True, blank=True)
    """Batch fit, Elo scale."""
    low = models.FloatField(null=True, blank=True)
    """Lower end of the fit's 95 % interval."""
    high = models.FloatField(null=True, blank=True)
    updated = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("pool", "-fitted", "-live")
        constraints = [models.UniqueConstraint(fields=("pool", "version"), name="rating_once")]

    def __str__(self) -> str:
        return f"{self.version} in {self.pool}"


class RatingChange(models.Model):
    """One step of a live Elo: the history that the plots show."""

    pool = models.CharField(max_length=100)
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="rating_changes")
    match = models.ForeignKey(Match, models.CASCADE, related_name="rating_changes")
    before = models.FloatField()
    after = models.FloatField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(fields=("pool", "version", "match"), name="rating_change_once")
        ]
        indexes = [models.Index(fields=("pool", "version", "id"), name="rating_history")]

    def __str__(self) -> str:
        return f"{self.version}: {self.before:.0f} → {self.after:.0f}"


class Ledger(models.Model):
    """The one row that whoever moves the live ratings locks: results are taken in one by one."""

    ordinal = models.PositiveBigIntegerField(default=0)
    """The last ordinal that was given to a match."""
    fitted = models.PositiveBigIntegerField(default=0)
    """The last ordinal behind the batch fit."""
    stale = models.BooleanField(default=False)
    """A result that was taken in has been set aside: everything must be computed anew."""

    def __str__(self) -> str:
        return f"ledger at {self.ordinal}"
