"""Matches, the attempts to play them, and their results."""

from __future__ import annotations

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.expressions import Combinable, NegatedExpression

from bots.models import BotVersion
from cardroom_base.core.request_limits import MAX_REPLAYED
from cardroom_base.db.db_time import Now
from tournaments.models.competition import DealGroup, Entry, Tournament

NOT_YET = (
    "The cards of this deal group are still being played elsewhere; the replay opens when its last "
    "match is over."
)
"""The error that readers get instead of cards, moves and logs that are still secret."""
TOO_LONG = (
    f"The match has more than {MAX_REPLAYED:,} moves, so the site does not replay it: download its "
    "record, and run cardroom verify."
)
"""The error that readers get instead of the positions of a match with too many moves."""


def group_is_over(group_field: str) -> NegatedExpression[Combinable]:
    """The condition that all matches of a deal group are finished or void.

    Then its cards are public; all code that shows cards must use this or `Match.revealed`.
    `group_field`: the query's field that refers to the group.
    """
    unfinished = Match.objects.filter(deal_group=OuterRef(group_field), state__in=Match.UNFINISHED)
    return ~Exists(unfinished)


class Match(models.Model):
    """A match: format, cards and seats are fixed at creation; the result is stored exactly once."""

    class State(models.TextChoices):
        """waiting → playing → finished; back to waiting if a worker is lost."""

        WAITING = "waiting", "waiting"
        PLAYING = "playing", "playing"
        """An attempt holds the lease."""
        FINISHED = "finished", "finished"
        """Record and result are stored."""
        STUCK = "stuck", "stuck"
        """Too many attempts failed (`actions.failures.is_stuck`); the organizer decides."""
        VOID = "void", "void"
        """Will not be played, or does not count."""

    UNFINISHED = (State.WAITING, State.PLAYING, State.STUCK)
    """States of matches that a tournament waits for."""

    # `rotation_once` and `match_created` serve as the indexes of these two.
    deal_group = models.ForeignKey(
        DealGroup, models.CASCADE, related_name="matches", db_index=False
    )
    tournament = models.ForeignKey(
        Tournament, models.CASCADE, related_name="matches", db_index=False
    )
    """The deal group's tournament, copied here for fast lists."""
    rotation = models.PositiveSmallIntegerField()
    """0, 1, …: the rotation of the sides in this match."""
    format = models.CharField(max_length=200)
    rng = models.CharField(max_length=32, blank=True)
    """Secret that decides the bots' random numbers, public when the cards are; if empty, the deal
    group's seed decides them."""
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    moves_played = models.PositiveIntegerField(default=0)
    """Moves of the running attempt so far, or of the finished match."""
    failures = models.PositiveSmallIntegerField(default=0)
    """Failed attempts since its creation or the organizer's last decision; a redealt match
    continues the count."""
    failed_on = models.JSONField(default=list, blank=True)
    """Names of the machines on which these attempts failed."""
    not_before = models.DateTimeField(null=True, blank=True)
    """When it may be claimed again after a failure; null: now."""
    reason = models.CharField(max_length=20, blank=True)
    """Why the match ended (`engine.results`): target, deals, …"""
    faulted = models.BooleanField(default=False)
    """Whether a seat committed a fault."""
    drama = models.PositiveSmallIntegerField(default=0)
    """The match's drama (`standings.drama`); pages feature dramatic matches."""
    priority = models.SmallIntegerField(default=5)
    """Waiting matches of higher priority are claimed first. Usually the tournament's priority; on
    a ladder, newcomers' matches have a higher one."""
    ordinal = models.PositiveBigIntegerField(null=True, blank=True, unique=True)
    """Its place in the order in which live ratings count matches; `rebuild` uses the same order."""
    created = models.DateTimeField(db_default=Now())
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("id",)
        verbose_name_plural = "matches"
        constraints = [
            models.UniqueConstraint(fields=("deal_group", "rotation"), name="rotation_once")
        ]
        indexes = [
            models.Index(
                fields=("-priority", "id"), name="match_queue", condition=Q(state="waiting")
            ),
            models.Index(fields=("tournament", "state", "-priority", "id"), name="match_share"),
            # Without it, PostgreSQL reads all matches to find the groups that are not over.
            models.Index(
                fields=("deal_group",),
                name="match_unfinished",
                condition=Q(state__in=("waiting", "playing", "stuck")),
            ),
            # Lists of the site's matches and of a long ladder's use these orders.
            models.Index(fields=("tournament", "id"), name="match_created"),
            models.Index(fields=("finished", "id"), name="match_finished"),
            models.Index(fields=("moves_played", "id"), name="match_moves"),
            models.Index(fields=("tournament", "finished", "id"), name="match_ended"),
        ]

    def __str__(self) -> str:
        return f"match {self.pk}"

    @property
    def revealed(self) -> bool:
        """Whether the deal group is over, so that seed, cards, moves, notes and logs are public.

        Queries of lists annotate it as `is_over`.
        """
        is_over = vars(self).get("is_over")
        if is_over is None:
            is_over = Match.objects.filter(group_is_over("deal_group"), pk=self.pk).exists()
        return bool(is_over)


class Seat(models.Model):
    """A seat of a match: its bot, and the time and memory used."""

    match = models.ForeignKey(Match, models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField()
    side = models.PositiveSmallIntegerField()
    """Number of the side, from 0."""
    entry = models.ForeignKey(Entry, models.PROTECT, related_name="seats")
    version = models.ForeignKey(BotVersion, models.PROTECT, related_name="seats")
    fault = models.CharField(max_length=20, blank=True)
    """Kind of the seat's first fault; empty if none."""
    cpu_ms = models.PositiveIntegerField(null=True, blank=True)
    """CPU time of the bot's process."""
    wall_ms = models.PositiveIntegerField(null=True, blank=True)
    """Time used on the seat's clock."""
    peak_memory_kib = models.PositiveIntegerField(null=True, blank=True)
    log = models.BinaryField(default=bytes)
    """The end of the bot's stderr, at most 64 KiB, compressed with zlib; for its owner only."""

    class Meta:
        ordering = ("match", "index")
        constraints = [models.UniqueConstraint(fields=("match", "index"), name="seat_once")]
        indexes = [models.Index(fields=("version", "match"), name="seat_played")]

    def __str__(self) -> str:
        return f"{self.match}, seat {self.index}"


class Attempt(models.Model):
    """A worker's attempt to play a match."""

    class Outcome(models.TextChoices):
        RUNNING = "running", "running"
        """The lease is held."""
        STORED = "stored", "stored"
        """Its record became the result."""
        FAILED = "failed", "failed"
        """It ended without a result: the worker gave up or stopped, or the match was voided."""
        LOST = "lost", "lost"
        """The lease expired: the worker died or was cut off."""
        LATE = "late", "late"
        """Its result arrived after the lease was lost, and was ignored."""
        OVERRULED = "overruled", "overruled"
        """Its result was stored, then withdrawn."""

    match = models.ForeignKey(Match, models.CASCADE, related_name="attempts")
    number = models.PositiveSmallIntegerField()
    worker = models.CharField(max_length=200)
    """The worker process: `node@host/process`."""
    rules = models.CharField(max_length=40, blank=True)
    """The worker's edition of the rules (`engine.rules`)."""
    schema = models.PositiveIntegerField(default=0)
    """The worker's schema number (`cardroom_base.db.schema_number`)."""
    outcome = models.CharField(max_length=10, choices=Outcome, default=Outcome.RUNNING)
    cause = models.TextField(blank=True)
    """Why it failed, for the organizer."""
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    """The seat whose bot was killed without a fault, if that is the cause."""
    record = models.BinaryField(null=True, blank=True)
    """The record of an overruled attempt."""
    started = models.DateTimeField(db_default=Now())
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
            ),
            models.Index(fields=("finished",), name="attempt_finished"),
        ]

    def __str__(self) -> str:
        return f"{self.match}, attempt {self.number}"


class LiveMoves(models.Model):
    """Some moves of a running attempt, in the order of play, for spectators.

    They are shown after a delay (`Tournament.live_delay`), if `tournaments.reading.live` allows it,
    and deleted when the attempt has ended.
    """

    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="live_moves")
    first = models.PositiveIntegerField()
    """Number of the first move in the match, from 0."""
    moves = models.JSONField()
    """A list of the engine's move texts."""
    written = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("attempt", "first")
        verbose_name_plural = "live moves"
        constraints = [models.UniqueConstraint(fields=("attempt", "first"), name="live_moves_once")]

    def __str__(self) -> str:
        return f"{self.attempt}, from move {self.first} on"


class StoredRecord(models.Model):
    """The record of a finished match, from which everything about it can be recomputed."""

    match = models.OneToOneField(Match, models.CASCADE, primary_key=True, related_name="record")
    content = models.BinaryField()
    """The record's JSON, compressed with zlib."""
    moves = models.PositiveIntegerField()
    rules = models.CharField(max_length=40, blank=True)
    """The record's edition of the rules."""
    schema = models.PositiveIntegerField(default=0)
    """The schema number of the worker that stored it."""

    def __str__(self) -> str:
        return f"record of {self.match}"


class SideResult(models.Model):
    """The result of one side of a finished match."""

    match = models.ForeignKey(Match, models.CASCADE, related_name="results")
    side = models.PositiveSmallIntegerField()
    score = models.IntegerField()
    rank = models.PositiveSmallIntegerField()
    """1 is best; equal ranks are ties; a side with a fault is last."""
    faulted = models.BooleanField(default=False)

    class Meta:
        ordering = ("match", "side")
        constraints = [models.UniqueConstraint(fields=("match", "side"), name="side_result_once")]

    def __str__(self) -> str:
        return f"{self.match}, side {self.side}: {self.score}"
