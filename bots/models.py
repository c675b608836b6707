"""Bots, their versions and the packages behind them.

A package is content-addressed and never changes. A version is one upload of a bot; only the state
of its check changes. Every change of state is an action of `bots.actions`.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import models

from cardroom_base.core.names import MAX_SKELETON
from cardroom_base.db.db_time import Now, clock_remark
from cardroom_base.db.jobs import Job

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class StoredPackage(models.Model):
    """The bytes of a bot package, stored once for all versions that share them."""

    digest = models.CharField(max_length=64, primary_key=True)
    """SHA-256 of the canonical content, hexadecimal (see `bots.package.package`)."""
    content = models.BinaryField()
    """The canonical zip."""
    unpacked_size = models.PositiveIntegerField()
    """Bytes after unpacking."""
    created = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.digest[:12]


class BotQuerySet(models.QuerySet["Bot"]):
    def listed(self) -> BotQuerySet:
        """Bots that can play: those with an active version, outside quarantine."""
        return self.filter(active_version__isnull=False, quarantined__isnull=True)


class Bot(models.Model):
    """A named player with an owner; its active version plays."""

    slug = models.SlugField(max_length=48, unique=True)
    """The bot's name in addresses, derived from its first name; never changes."""
    name = models.CharField(max_length=48, unique=True)
    skeleton = models.CharField(max_length=MAX_SKELETON, unique=True, null=True)  # noqa: DJ001 - several have none
    """The look-alike key of the name (`core.names`); null for the later of two old bots with equal
    keys."""
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="bots", null=True, blank=True
    )
    """Null for house bots."""
    description = models.CharField(max_length=300, blank=True)
    active_version = models.ForeignKey(
        "BotVersion", models.SET_NULL, related_name="+", null=True, blank=True
    )
    """The version that new entries play; the owner chooses among ready ones."""
    plays_people = models.BooleanField(default=True)
    """Whether people may choose it at their tables."""
    takes_challenges = models.BooleanField(default=True)
    """Whether other authors may challenge it; its own author always may."""
    quarantined = models.DateTimeField(null=True, blank=True)
    """When moderators quarantined it; null while it may play."""
    texts_locked = models.BooleanField(default=False, db_default=False)
    """Whether moderators changed its name or description, which its owner cannot change now."""
    created = models.DateTimeField(db_default=Now())

    objects = BotQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        indexes = [
            models.Index(
                fields=("quarantined",),
                name="bot_quarantined",
                condition=models.Q(quarantined__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_house(self) -> bool:
        return self.owner_id is None

    @property
    def is_retired(self) -> bool:
        """Whether it has no active version any more; false before its first one."""
        return self.active_version_id is None and self.activations.exists()


class BotVersion(models.Model):
    """One upload of a bot: a package, its claimed formats, and the state of its check."""

    class Status(models.TextChoices):
        QUEUED = "queued", "queued"
        """Waits for a worker to check it."""
        CHECKING = "checking", "checking"
        """A worker holds the lease and plays it against `house:random` and itself."""
        READY = "ready", "ready"
        """It passed: it may become active and enter tournaments."""
        REJECTED = "rejected", "rejected"
        """It failed; the check's summary has the reason."""

    bot = models.ForeignKey(Bot, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    """1, 2, … within the bot."""
    package = models.ForeignKey(StoredPackage, models.PROTECT, related_name="versions")
    notes = models.CharField(max_length=500, blank=True)
    """The author's text on the changes."""
    formats = models.JSONField(default=list)
    """Patterns of formats that it plays, such as `cassino/*/*`."""
    needs = models.CharField(max_length=200, blank=True, default="", db_default="")
    """The libraries that a machine must have to play it, separated by spaces."""
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED, db_index=True)
    candidate = models.BooleanField(default=False)
    """Whether it gets a trial against the active version as soon as it is ready."""
    created = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("bot", "-number")
        constraints = [
            models.UniqueConstraint(fields=("bot", "number"), name="version_number_once")
        ]

    def __str__(self) -> str:
        return f"{self.bot.name} v{self.number}"

    @property
    def needed(self) -> list[str]:
        """The libraries in `needs`."""
        return self.needs.split()


class Activation(models.Model):
    """An event: a version became its bot's active one. Roll-backs follow this history."""

    bot = models.ForeignKey(Bot, models.CASCADE, related_name="activations")
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="activations")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.version} from {self.at:%Y-%m-%d}"


class Check(Job):
    """The check of an uploaded version: its steps so far, and its log."""

    version = models.OneToOneField(BotVersion, models.CASCADE, related_name="check_run")
    started = models.DateTimeField(null=True, blank=True)
    steps = models.JSONField(default=list)
    """The step dicts of `bots.check.check`, in order."""
    summary = models.TextField(blank=True)
    """The first problem in two sentences, or the measurements."""
    log = models.TextField(blank=True)
    """The bot's own stderr and the referee's remarks, shown to the owner."""

    def __str__(self) -> str:
        return f"check of {self.version}"


class WorkerNode(models.Model):
    """The last report of a worker, with its machine's isolation of bots."""

    name = models.CharField(max_length=200, primary_key=True)
    """The worker's name in Celery, such as worker@host."""
    processes = models.PositiveSmallIntegerField(default=1)
    """Number of matches that it plays at a time."""
    seen = models.DateTimeField(db_index=True)
    level = models.CharField(max_length=8)
    """`level`, `layers`, `reason`, `memory`: see `bots.sandbox.Isolation`."""
    memory = models.CharField(max_length=80, blank=True)
    layers = models.JSONField(default=list)
    reason = models.TextField(blank=True)
    version = models.CharField(max_length=40, blank=True)
    """Version of Cardroom, as `cardroom --version` prints it."""
    rules = models.JSONField(default=dict)
    """The edition of the rules that it plays (`engine.rules`), by game."""
    runtimes = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    """The versions of languages and libraries of its bots (`bots.sandbox.libraries`), by name."""
    engine = models.CharField(max_length=300, blank=True, db_default="")
    """Whether its rules are compiled, or why not (`cardroom_base.core.compiled.EngineKind`)."""
    schema = models.PositiveIntegerField(default=0)
    """The number of the schema that its program expects (`cardroom_base.db.schema_number`)."""
    clock_ms = models.IntegerField(default=0)
    """Milliseconds by which its machine's clock is ahead of the database's."""
    trouble = models.TextField(blank=True)
    """Why it plays nothing now (`bots.workers.health`); empty while it is well."""
    trouble_since = models.DateTimeField(null=True, blank=True)
    draining = models.DateTimeField(null=True, blank=True)
    """When it was told to take no more work; null while it takes work."""

    def __str__(self) -> str:
        return self.name

    @property
    def incident(self) -> int:
        """The key of its present trouble: its beginning in microseconds since 1970; 0: none."""
        since = self.trouble_since
        return 0 if since is None else (since - _EPOCH) // timedelta(microseconds=1)

    @property
    def clock_remark(self) -> str:
        """A sentence on its machine's clock if that is wrong; else empty."""
        return clock_remark(self.clock_ms)

    @property
    def host(self) -> str:
        """Its machine."""
        return host_of(self.name)


def host_of(worker: str) -> str:
    """The machine of a worker (`worker@host`) or of one of its processes (`worker@host/42`)."""
    return worker.partition("/")[0].rpartition("@")[2]
