"""Tables of the site as a whole: tokens, periodic work, moderation."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from cardroom_base.db.db_time import Now

MAX_TOKEN_NAME = 60


class TokenQuerySet(models.QuerySet["Token"]):
    def unexpired(self) -> TokenQuerySet:
        """Tokens that have not expired; their owners may be inactive."""
        return self.exclude(expires__lte=Now())


class Token(models.Model):
    """A token that a program sends instead of a password. Its secret is not stored."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=MAX_TOKEN_NAME)
    """The name that the owner chose."""
    digest = models.CharField(max_length=64, unique=True)
    """SHA-256 of the secret, hexadecimal. The secret has 256 random bits, so a slower hash or a
    salt would gain nothing."""
    hint = models.CharField(max_length=12)
    """The first characters of the secret, to distinguish tokens."""
    scopes = models.JSONField(default=list)
    """Keys of `cardroom_base.core.scopes.SCOPES`."""
    created = models.DateTimeField(db_default=Now())
    expires = models.DateTimeField(null=True, blank=True)
    """Null for tokens without an end, from earlier versions of the site."""
    used = models.DateTimeField(null=True, blank=True)
    """The last use, to the minute."""

    objects = TokenQuerySet.as_manager()

    class Meta:
        ordering = ("-created", "-pk")

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"


class LastRun(models.Model):
    """When a task of the housekeeper, a dump or a backup last succeeded."""

    job = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.job} at {self.at:%Y-%m-%d %H:%M:%S}"


MAX_REASON = 500


class Moderation(models.Model):
    """A line of the moderators' log."""

    class Kind(models.TextChoices):
        QUARANTINE = "quarantine", "quarantined"
        """A bot must not play."""
        RELEASE = "release", "released"
        """A bot may play again."""
        SUSPEND = "suspend", "suspended"
        """An account is closed until it is resumed."""
        RESUME = "resume", "resumed"
        """A suspended account is open again."""
        CHANGE = "change", "changed"
        """A text of a bot or tournament was changed; it is locked until the texts are unlocked."""
        HIDE = "hide", "hidden"
        """Only organizers, moderators and staff see a tournament."""
        SHOW = "show", "shown again"
        UNLOCK = "unlock", "texts unlocked"
        """Owner or organizers may change all texts again."""

    class Field(models.TextChoices):
        NAME = "name"
        DESCRIPTION = "description"
        ANNOUNCEMENT = "announcement"
        CATEGORY = "category"
        TEAM = "team"

    at = models.DateTimeField(db_default=Now())
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True)
    """Null: the site itself."""
    kind = models.CharField(max_length=10, choices=Kind)
    subject = models.CharField(max_length=200)
    """The name of the bot, account or tournament at that time."""
    address = models.CharField(max_length=200)
    """The path of its page."""
    field = models.CharField(max_length=12, choices=Field, blank=True, db_default="", default="")
    """The kind of the changed text; empty in lines from earlier versions and for other actions."""
    reason = models.TextField(max_length=MAX_REASON)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.subject} {self.action}"

    @property
    def action(self) -> str:
        """A participle, for a changed text with its kind: `quarantined`, `name changed`."""
        return f"{self.field} {self.get_kind_display()}".strip()


class Suspension(models.Model):
    """An account that moderators have suspended; resuming it deletes the row."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="suspension"
    )
    at = models.DateTimeField()
    """Equals `Bot.quarantined` of the suspended account's bots, which resuming releases."""

    def __str__(self) -> str:
        return f"{self.user} since {self.at:%Y-%m-%d}"
