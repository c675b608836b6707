"""Tables, who sits at them, and what was played there.

Seed and moves are the truth; the fields of a table that say how far it is (`moves`, `to_act`,
`bots_turn`, `deals`) are written with each move, so that nobody needs the match to find work.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from bots.models import BotVersion
from cardroom_base.core.names import friendly
from cardroom_base.db.db_time import Now
from cardroom_base.db.jobs import Job

HOST_LEASE_SECONDS = 15.0
"""Until a lost host is replaced; a live one renews its lease three times within it."""
MAX_HANDLE = 24
"""Characters of what a guest is called."""


class Table(models.Model):
    """One match of people and bots."""

    class State(models.TextChoices):
        """How far a table is."""

        WAITING = "waiting", "waiting"
        """Somebody who was invited has not sat down."""
        PLAYING = "playing", "playing"
        """Cards are dealt."""
        FINISHED = "finished", "finished"
        """The match is over."""
        ABANDONED = "abandoned", "abandoned"
        """All people have left."""

    UNFINISHED = (State.WAITING, State.PLAYING)

    key = models.CharField(max_length=16, unique=True)
    """In addresses: who knows it may watch, so it cannot be guessed."""
    format = models.CharField(max_length=600)
    seed = models.CharField(max_length=120)
    """Of the shuffles; shown to nobody before the end."""
    rng = models.CharField(max_length=64)
    """Of the bots' randomness."""
    rules = models.CharField(max_length=40)
    """The edition of the rules it was begun by (`engine.rules`)."""
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    version = models.PositiveIntegerField(default=1)
    """Raised by every change that somebody at the table can see."""
    seating = models.PositiveIntegerField(default=1)
    """Raised when somebody sits down, leaves or is replaced: who plays the bots looks again."""
    given = models.PositiveIntegerField(default=0, db_default=0)
    """How many of the moves are those of the record from which the table goes on."""
    source = models.JSONField(null=True, blank=True)
    """That record, where the cards were not dealt anew: ``match``, its number, or ``table``, the
    key of a table that may be gone; ``names`` of its
    players by seat; ``moves``, those that it has from there to the end of the deal, none if it has
    no such end; ``deals``, how many were over before."""
    moves = models.PositiveIntegerField(default=0)
    """How many have been played."""
    to_act = models.PositiveSmallIntegerField(null=True, blank=True)
    """The seat; null before the deal and after the end."""
    bots_turn = models.BooleanField(default=False)
    """Whether it is a bot that is to act."""
    deals = models.PositiveIntegerField(default=0)
    """How many are over."""
    compared = models.PositiveIntegerField(default=0)
    """Of how many it is known what others made of them."""
    luck = models.JSONField(default=list)
    """By compared deal, then place in the scores: what the cards were worth (`engine.search`)."""
    result = models.JSONField(null=True, blank=True)
    """As in `engine.Record`, once the match is over."""
    faults = models.JSONField(default=list)
    """As in `engine.Record`: the first of each bot."""
    unlucky = models.JSONField(default=list)
    """Seats whose bots the machine took away once: the second time it is a fault."""
    trouble = models.CharField(max_length=400, blank=True)
    """Why the site cannot play the bots now; empty while it can."""
    worker = models.CharField(max_length=200, blank=True)
    """The host that plays the bots now."""
    lease_until = models.DateTimeField(null=True, blank=True)
    """Until when nobody else may."""
    maker = models.PositiveSmallIntegerField()
    """The seat of whoever made the table: that person invites."""
    watched = models.BooleanField(default=True)
    """Whether people without a seat may look on."""
    origin = models.CharField(max_length=64, blank=True, db_index=True)
    """A keyed hash of the address that it was made from, for guests' tables."""
    created = models.DateTimeField(db_default=Now())
    moved = models.DateTimeField(db_default=Now())
    """The last time that somebody moved, sat down or came back."""
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
        """Whether nothing more is played here."""
        return self.state not in self.UNFINISHED

    @property
    def deals_given(self) -> int:
        """How many deals were over before anybody sat down here."""
        return int(self.source["deals"]) if self.source else 0


class TableSeat(models.Model):
    """One seat of a table, and who has it."""

    class Kind(models.TextChoices):
        """Who moves for a seat."""

        PERSON = "person", "person"
        BOT = "bot", "bot"
        OPEN = "open", "open"
        """Kept for a friend who has the link."""

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
    """SHA-256 of what the guest's session holds."""
    handle = models.CharField(max_length=150, blank=True)
    """What the person is called here; stays when the house takes over."""
    bot = models.CharField(max_length=60, blank=True)
    """The bot's name; house bots as `house:NAME`."""
    version = models.ForeignKey(BotVersion, models.SET_NULL, null=True, blank=True)
    """Null for a house bot that comes with the program."""
    since = models.PositiveIntegerField(default=0)
    """The first move that the bot makes: before it a person had the seat."""
    left = models.DateTimeField(null=True, blank=True)
    """When the person went; null while they are at the table."""

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
        """Of whoever moves here, as people read it; empty for an open seat."""
        return friendly(self.bot) if self.kind == self.Kind.BOT else self.handle


class TableMove(models.Model):
    """One move of a table."""

    table = models.ForeignKey(Table, models.CASCADE, related_name="played")
    n = models.PositiveIntegerField()
    """From 0, counted over the match."""
    seat = models.PositiveSmallIntegerField()
    move = models.TextField()
    ms = models.PositiveIntegerField(default=0)
    """What a bot took; 0 for people, who have no clock."""
    note = models.CharField(max_length=500, blank=True)
    """The bot's own words: shown to nobody before the end."""

    class Meta:
        ordering = ("table", "n")
        constraints = [models.UniqueConstraint(fields=("table", "n"), name="table_move_once")]

    def __str__(self) -> str:
        return f"{self.table} {self.n}: {self.move[:40]}"


class Hint(Job):
    """What a house bot would play, once somebody asked for it."""

    LEASE_SECONDS = HOST_LEASE_SECONDS

    table = models.ForeignKey(Table, models.CASCADE, related_name="hints")
    n = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField()
    bot = models.CharField(max_length=60)
    move = models.TextField(blank=True)
    """Empty: it is being asked."""
    why = models.CharField(max_length=500, blank=True)

    class Meta(Job.Meta):
        constraints = [models.UniqueConstraint(fields=("table", "n"), name="hint_once")]

    def __str__(self) -> str:
        return f"{self.table} {self.n}"


class ComparisonJob(Job):
    """Finished deals of a table are to be played again with house bots, one after the other."""

    LEASE_SECONDS = HOST_LEASE_SECONDS

    table = models.OneToOneField(Table, models.CASCADE, primary_key=True)

    def __str__(self) -> str:
        return f"comparisons of table {self.pk}"


class Comparison(models.Model):
    """A finished deal of a table, played once more with a house bot in the place of the people; or
    as it went on in the record from which the table does."""

    table = models.ForeignKey(Table, models.CASCADE, related_name="comparisons")
    deal = models.PositiveIntegerField()
    """From 0."""
    bot = models.CharField(max_length=60, blank=True)
    """Empty: what the record's own players made of it."""
    moves = models.JSONField(default=list)
    """From the first that is compared to the deal's last."""
    first = models.PositiveIntegerField()
    """The number of the first move that is compared: the deal's first, or the first at the table.
    """
    parted = models.PositiveIntegerField(null=True, blank=True)
    """The first move, counted over the match, that is another than at the table; null: none."""
    sheet = models.JSONField()
    """The deal's score sheet, as `engine` gives it."""
    scores = models.JSONField()
    """By side, after the deal."""

    class Meta:
        ordering = ("table", "deal", "bot")
        constraints = [
            models.UniqueConstraint(fields=("table", "deal", "bot"), name="comparison_once")
        ]

    def __str__(self) -> str:
        return f"{self.table} deal {self.deal} by {self.bot}"


class Opinion(Job):
    """What the expert thinks of one move of a decision in a finished match, once somebody asked."""

    LEASE_SECONDS = HOST_LEASE_SECONDS

    position = models.CharField(max_length=64)
    """SHA-256 of format, seed and the moves before: which decision it is, whatever match has it."""
    move = models.TextField()
    """The one asked about; not always the one that was played."""
    expert = models.PositiveSmallIntegerField()
    """Version of the expert (`engine.search.EXPERT`)."""
    question = models.JSONField()
    """`engine.search.analysis.Question`: what the seat knew, and nothing else. Empty once it is
    answered."""
    answer = models.JSONField(null=True, blank=True)
    """`engine.search.analysis.Judgement`, with `move` as the one played; null: it is waited for."""
    asker = models.CharField(max_length=80, blank=True)
    """Who asked first, as `turns.Work.person` has it. Empty once it is answered."""
    created = models.DateTimeField(db_default=Now())

    class Meta(Job.Meta):
        constraints = [models.UniqueConstraint(fields=("position", "move"), name="opinion_once")]

    def __str__(self) -> str:
        return f"{self.position[:12]}: {self.move[:40]}"


class TableHost(models.Model):
    """A process that plays the bots of tables, as it last showed up."""

    name = models.CharField(max_length=200, unique=True)
    """Celery's name of it, such as tables@host."""
    seen = models.DateTimeField()
    threads = models.PositiveSmallIntegerField()
    """How many tables it plays at a time."""
    level = models.CharField(max_length=8)
    """As in `bots.sandbox.Isolation`, and so is `reason`; with `none` only house bots play."""
    reason = models.TextField(blank=True)
    engine = models.CharField(max_length=300, blank=True)
    """Whether it runs the rules compiled, else why not (`cardroom_base.core.compiled.Kind`)."""
    schema = models.PositiveIntegerField(default=0)
    """The number of the database's schema that it was written for (`cardroom_base.db.schema`)."""

    def __str__(self) -> str:
        return self.name
