"""Models for every app: messages of the outbox, notifications, webhooks, idempotent requests,
look-alike keys of names, retired names."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Final, Self

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q

from cardroom_base.core.names import MAX_SKELETON
from cardroom_base.db.db_time import Now
from cardroom_base.db.jobs import Job

MAX_URL = 500
"""Maximum length of a webhook's address."""


class OutboxMessage(models.Model):
    """A message about new work. The transaction that creates the work writes it; it is sent after
    the commit."""

    task = models.CharField(max_length=100)
    """Name of the Celery task."""
    arguments = models.JSONField(default=dict)
    created = models.DateTimeField(db_default=Now())
    sent = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("id",)
        indexes = [
            models.Index(fields=("id",), name="outbox_unsent", condition=Q(sent__isnull=True))
        ]

    def __str__(self) -> str:
        return self.task


class Notification(models.Model):
    """News for an account, stored as numbers. `cardroom.notification_texts` words it when it is
    read, so that it shows nothing that the reader may not see."""

    class Kind(models.TextChoices):
        CHECKED = "checked", "a check finished"
        OPENED = "opened", "a tournament opened"
        STARTED = "started", "a tournament started"
        ENDED = "ended", "a tournament ended"
        ANNOUNCED = "announced", "an announcement"
        FAULT = "fault", "a bot's first fault in a tournament"
        TEAM = "team", "an invitation into a team"
        OFFERED = "offered", "a tournament is offered"
        STUCK = "stuck", "a match is stuck"
        WEBHOOK = "webhook", "a webhook was switched off"
        UNHEALTHY = "unhealthy", "a worker is unhealthy"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="notifications", db_index=False
    )
    kind = models.CharField(max_length=16, choices=Kind)
    tournament = models.PositiveBigIntegerField(default=0)
    """The tournament's primary key, or 0. Not a foreign key: this app knows no tournaments."""
    subject = models.PositiveBigIntegerField(default=0)
    """By kind, the primary key of a version (checked), announcement, bot (fault), entry (team) or
    delivery (webhook), the number of a worker's incident (unhealthy), or the hours from 1970 to the
    event (stuck)."""
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", db_index=False
    )
    """The account whose action counts toward its quota of notifying others; null: no quota."""
    at = models.DateTimeField(db_default=Now())
    read = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        constraints = [
            models.UniqueConstraint(
                fields=("user", "kind", "tournament", "subject"), name="notification_once"
            )
        ]
        indexes = [
            models.Index(fields=("user", "-id"), name="notification_newest"),
            models.Index(
                fields=("user",), name="notification_unread", condition=Q(read__isnull=True)
            ),
            models.Index(fields=("at",), name="notification_at"),
            models.Index(
                fields=("by", "at"), name="notification_quota", condition=Q(by__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.tournament} {self.subject}"


class Webhook(models.Model):
    """An address of an account's choice, to which the site posts the account's notifications."""

    class Format(models.TextChoices):
        STANDARD = "standard", "Standard Webhooks"
        DISCORD = "discord", "Discord"

    class State(models.TextChoices):
        ON = "on", "on"
        OFF = "off", "off"
        FAILED = "failed", "switched off after failures"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=MAX_URL)
    secret = models.CharField(max_length=64)
    """`whsec_` and the key of the signature in base64."""
    kinds = models.JSONField()
    """The kinds of notifications that are sent, a list of `Notification.Kind`."""
    format = models.CharField(max_length=10, choices=Format, default=Format.STANDARD)
    state = models.CharField(max_length=10, choices=State, default=State.ON)
    origin = models.CharField(max_length=300)
    """Scheme and host of this site as the owner sees it, with which links in deliveries begin."""
    created = models.DateTimeField(db_default=Now())
    succeeded = models.DateTimeField(null=True, blank=True)
    """The time of the last successful delivery; null before the first."""

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"webhook {self.pk}"


class WebhookDelivery(Job):
    """A notification to send to a webhook, with its last attempt."""

    # The database does not check these keys: storing a result must not fail because a webhook is
    # deleted at the same time. Deliveries without a webhook are not sent, and purged when old.
    webhook = models.ForeignKey(
        Webhook, models.CASCADE, related_name="deliveries", db_index=False, db_constraint=False
    )
    notification = models.ForeignKey(
        Notification, models.CASCADE, related_name="deliveries", null=True, db_constraint=False
    )
    """Null for a test of the webhook."""
    key = models.UUIDField(default=uuid.uuid4, editable=False)
    """Receivers recognize a repeated delivery by it. It is unique even after a restore."""
    created = models.DateTimeField(db_default=Now())
    sent = models.DateTimeField(null=True, blank=True)
    """The end of the last attempt, which the fields below describe; null before the first."""
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    """The HTTP status; null if there was no answer."""
    answer = models.CharField(max_length=500, blank=True)
    """The beginning of the answer's body."""
    milliseconds = models.PositiveIntegerField(null=True, blank=True)

    class Meta(Job.Meta):
        ordering = ("-id",)
        constraints = [
            models.UniqueConstraint(fields=("webhook", "notification"), name="delivery_once")
        ]
        indexes = [
            *Job.Meta.indexes,
            models.Index(fields=("webhook", "-id"), name="delivery_newest"),
            models.Index(fields=("created",), name="delivery_created"),
        ]

    def __str__(self) -> str:
        return f"delivery {self.key}"

    @property
    def message_id(self) -> str:
        """The value of the header `webhook-id`."""
        return f"msg_{self.key.hex}"

    @property
    def state(self) -> str:
        """`waiting`, `delivered` or `failed`."""
        if self.finished is None:
            return "waiting"
        return "failed" if self.trouble else "delivered"


MAX_IDEMPOTENCY_KEY: Final = 255
"""Maximum length of the header `Idempotency-Key`."""
RESPONSES_KEPT: Final = timedelta(hours=24)
"""How long responses to idempotent requests are kept."""


class IdempotentRequestQuerySet(models.QuerySet["IdempotentRequest"]):
    def expired(self) -> Self:
        """Requests whose repetition is a new request."""
        return self.filter(created__lt=Now() - RESPONSES_KEPT)


class IdempotentRequest(models.Model):
    """A request with the header `Idempotency-Key`, and the response for its repetitions."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False
    )
    key = models.CharField(max_length=MAX_IDEMPOTENCY_KEY)
    digest = models.CharField(max_length=64)
    """A keyed hash of path and body; the body may contain a password."""
    status = models.PositiveSmallIntegerField(default=0)
    body = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    location = models.CharField(max_length=MAX_URL, blank=True)
    """The header `Location`."""
    created = models.DateTimeField(db_default=Now())

    objects = IdempotentRequestQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("user", "key"), name="idempotent_request_once")
        ]
        indexes = [models.Index(fields=("created",), name="idempotent_request_created")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.key}"


class RetiredName(models.Model):
    """A name that nobody may choose again; see `db.retired_names`."""

    digest = models.CharField(max_length=64, primary_key=True)
    """SHA-256 of `core.names.skeleton` of the name, hexadecimal."""

    def __str__(self) -> str:
        return self.digest[:12]


class AccountName(models.Model):
    """The look-alike key of an account's name, which is unique."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="looks")
    name = models.CharField(max_length=150)
    """The account's name when this row was written."""
    skeleton = models.CharField(max_length=MAX_SKELETON, unique=True, null=True)  # noqa: DJ001 - several have none
    """`core.names.skeleton`; null for the second of two accounts that already looked alike."""

    def __str__(self) -> str:
        return self.name
