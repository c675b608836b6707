"""Tables, their seats and moves, and jobs of the host.

Seed and moves define the match. The fields `moves`, `to_act`, `bots_turn` and `deals` are written
with each move, so that queries for work need not rebuild the match.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from bots.models import BotVersion
from cardroom_base.core.names import display_name
from cardroom_base.db.db_time import Now
from cardroom_base.db.jobs import Job

HOST_LEASE_SECONDS = 15.0
"""A lost host is replaced after this time; a live one renews its lease three times within it."""
MAX_HANDLE = 24
"""Maximum length of a guest's name."""


class Table(models.Model):
    """A match of people and bots."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        """At least one friend has not sat down yet."""
        PLAYING = "playing", "playing"
        FINISHED = "finished", "finished"
        ABANDONED = "abandoned", "abandoned"
        """All people have left."""

    UNFINISHED = (State.WAITING, State.PLAYING)

    key = models.CharField(max_length=16, unique=True)
    """The table's key in addresses. It is unguessable, because everyone who knows it may watch."""
    format = models.CharField(max_length=600)
    seed = models.CharField(max_length=120)
    """The seed of the shuffles; secret until the end."""
    rng = models.CharField(max_length=64)
    """The seed of the bots' randomness."""
    rules = models.CharField(max_length=40)
    """The edition of the rules at the table's start (`engine.rules`)."""
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    version = models.PositiveIntegerField(default=1)
    """A counter that every visible change increments."""
    seating = models.PositiveIntegerField(default=1)
    """A counter that a change of seats increments, so that the host seats the bots again."""
    given = models.PositiveIntegerField(default=0, db_default=0)
    """The number of moves that were taken from the record that the table continues."""
    source = models.JSONField(null=True, blank=True)
    """The record that the table continues: ``match``, its number, or ``table``, the key of a table
    that may be deleted; ``names`` of its players by seat; ``moves`` from the table's first
    position to the end of the deal, empty if the record ends before; ``deals``, the number finished
    before."""
    moves = models.PositiveIntegerField(default=0)
    """The number of moves played."""
    to_act = models.PositiveSmallIntegerField(null=True, blank=True)
    """The seat to move; null before the cards are dealt and after the match."""
    bots_turn = models.BooleanField(default=False)
    """Whether a bot is to move."""
    deals = models.PositiveIntegerField(default=0)
    """The number of finished deals."""
    compared = models.PositiveIntegerField(default=0)
    """The number of compared deals."""
    luck = models.JSONField(default=list)
    """For each compared deal, the worth of its cards (`engine.search.card_luck`), by score."""
    result = models.JSONField(null=True, blank=True)
    """As in `engine.Record`; null until the match is over."""
    faults = models.JSONField(default=list)
    """As in `engine.Record`: the first fault of each bot."""
    unlucky = models.JSONField(default=list)
    """Seats whose bots were killed once without fault; the next time counts as a fault."""
    trouble = models.CharField(max_length=400, blank=True)
    """Why the site cannot run the bots now; empty if it can."""
    worker = models.CharField(max_length=200, blank=True)
    """The host that runs the bots now."""
    lease_until = models.DateTimeField(null=True, blank=True)
    """The end of the host's lease."""
    maker = models.PositiveSmallIntegerField()
    """The seat of the person who created the table and may invite."""
    watched = models.BooleanField(default=True)
    """Whether people without a seat may watch."""
    origin = models.CharField(max_length=64, blank=True, db_index=True)
    """A keyed hash of the creator's address, for guests' tables."""
    created = models.DateTimeField(db_default=Now())
    moved = models.DateTimeField(db_default=Now())
    """The last time that a person or bot moved, or a person sat down or returned."""
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        indexes = [
            models.Index(
                fields=("lease_until",),
                name="table_bots_turn",
                condition=Q(bots_turn=True),
            ),
            models.Index(fields=("state", "moved"), name="table_by_state"),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def over(self) -> bool:
        return self.state not in self.UNFINISHED

    @property
    def deals_given(self) -> int:
        """Deals finished in the record before the table began."""
        return int(self.source["deals"]) if self.source else 0


class TableSeat(models.Model):
    """A seat of a table and its player."""

    class Kind(models.TextChoices):
        PERSON = "person", "person"
        BOT = "bot", "bot"
        OPEN = "open", "open"
        """Reserved for a friend with the link."""

    table = models.ForeignKey(Table, models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=6, choices=Kind)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="table_seats",
    )
    guest = models.CharField(max_length=64, blank=True, db_index=True)
    """SHA-256 of the secret in the guest's session."""
    handle = models.CharField(max_length=150, blank=True)
    """The person's name at the table; it stays when the house takes over."""
    bot = models.CharField(max_length=60, blank=True)
    """The bot's name; house bots as `house:NAME`."""
    version = models.ForeignKey(BotVersion, models.SET_NULL, null=True, blank=True)
    """The bot's version; null for a house bot."""
    since = models.PositiveIntegerField(default=0)
    """The number of the bot's first move, if another player had the seat before."""
    left = models.DateTimeField(null=True, blank=True)
    """When the person left; null while they are at the table."""

    class Meta:
        ordering = ("table", "index")
        constraints = [
            models.UniqueConstraint(fields=("table", "index"), name="table_seat_once"),
        ]

    def __str__(self) -> str:
        return f"{self.table} {self.index}"

    @property
    def is_house(self) -> bool:
        return self.bot.startswith("house:")

    @property
    def name(self) -> str:
        """The player's name for people; empty for an open seat."""
        return display_name(self.bot) if self.kind == self.Kind.BOT else self.handle


class TableMove(models.Model):
    table = models.ForeignKey(Table, models.CASCADE, related_name="played")
    n = models.PositiveIntegerField()
    """The number of the move in the match, from 0."""
    seat = models.PositiveSmallIntegerField()
    move = models.TextField()
    ms = models.PositiveIntegerField(default=0)
    """A bot's time in milliseconds; 0 for people, who have no clock."""
    note = models.CharField(max_length=500, blank=True)
    """The bot's note; secret until the end."""

    class Meta:
        ordering = ("table", "n")
        constraints = [models.UniqueConstraint(fields=("table", "n"), name="table_move_once")]

    def __str__(self) -> str:
        return f"{self.table} {self.n}: {self.move[:40]}"


class Hint(Job):
    """A request for the move that a house bot would play."""

    LEASE_SECONDS = HOST_LEASE_SECONDS

    table = models.ForeignKey(Table, models.CASCADE, related_name="hints")
    n = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField()
    bot = models.CharField(max_length=60)
    move = models.TextField(blank=True)
    """Empty until the bot has answered."""
    why = models.CharField(max_length=500, blank=True)

    class Meta(Job.Meta):
        constraints = [models.UniqueConstraint(fields=("table", "n"), name="hint_once")]

    def __str__(self) -> str:
        return f"{self.table} {self.n}"


class ComparisonJob(Job):
    """A request to replay finished deals of a table with house bots, one after another."""

    LEASE_SECONDS = HOST_LEASE_SECONDS

    table = models.OneToOneField(Table, models.CASCADE, primary_key=True)

    def __str__(self) -> str:
        return f"comparisons of table {self.pk}"


class Comparison(models.Model):
    """A finished deal of a table replayed with a house bot in the place of the people, or the
    continuation in the record that the table continues."""

    table = models.ForeignKey(Table, models.CASCADE, related_name="comparisons")
    deal = models.PositiveIntegerField()
    """The number of the deal, from 0."""
    bot = models.CharField(max_length=60, blank=True)
    """`house:NAME`; empty for the record's continuation."""
    moves = models.JSONField(default=list)
    """The moves from the first compared one to the deal's last."""
    first = models.PositiveIntegerField()
    """The number of the first compared move: the deal's first, or the first at the table."""
    parted = models.PositiveIntegerField(null=True, blank=True)
    """The number of the first move that differs from the table's; null if none does."""
    sheet = models.JSONField()
    """The deal's score sheet (`engine.score_sheet`)."""
    scores = models.JSONField()
    """The scores after the deal, by side."""

    class Meta:
        ordering = ("table", "deal", "bot")
        constraints = [
            models.UniqueConstraint(fields=("table", "deal", "bot"), name="comparison_once")
        ]

    def __str__(self) -> str:
        return f"{self.table} deal {self.deal} by {self.bot}"


class Opinion(Job):
    """A request for the expert's judgement of a move in a finished match."""

    LEASE_SECONDS = HOST_LEASE_SECONDS

    position = models.CharField(max_length=64)
    """SHA-256 of format, seed and earlier moves; equal decisions of several matches share it."""
    move = models.TextField()
    """The move to judge; not necessarily the one played."""
    expert = models.PositiveSmallIntegerField()
    """Version of the expert (`engine.search.EXPERT`)."""
    question = models.JSONField()
    """An `engine.search.analysis.Question`, which holds only the seat's knowledge; empty after the
    answer."""
    answer = models.JSONField(null=True, blank=True)
    """An `engine.search.analysis.Judgement` of `move`; null before the answer."""
    asker = models.CharField(max_length=80, blank=True)
    """The first person who asked (`fair_queue.Work.person`); empty after the answer."""
    created = models.DateTimeField(db_default=Now())

    class Meta(Job.Meta):
        constraints = [models.UniqueConstraint(fields=("position", "move"), name="opinion_once")]

    def __str__(self) -> str:
        return f"{self.position[:12]}: {self.move[:40]}"


class TableHost(models.Model):
    """A process that runs the bots of tables, as of its last report."""

    name = models.CharField(max_length=200, unique=True)
    """Its Celery name, such as tables@host."""
    seen = models.DateTimeField()
    threads = models.PositiveSmallIntegerField()
    """The number of tables that it plays at the same time."""
    level = models.CharField(max_length=8)
    """`level` and `reason` as in `bots.sandbox.Isolation`; with `none` only house bots play."""
    reason = models.TextField(blank=True)
    engine = models.CharField(max_length=300, blank=True)
    """Whether its rules are compiled, or why not (`cardroom_base.core.compiled.EngineKind`)."""
    schema = models.PositiveIntegerField(default=0)
    """Its schema number (`cardroom_base.db.schema_number`)."""

    def __str__(self) -> str:
        return self.name
