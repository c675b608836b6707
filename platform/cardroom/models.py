"""What the site as a whole keeps: tokens, and how names of accounts look."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from cardroom_base.db.db_time import Now

MAX_TOKEN_NAME = 60


class TokenQuerySet(models.QuerySet["Token"]):
    def alive(self) -> TokenQuerySet:
        """Those that have not expired; whether their owners are active is not checked here."""
        return self.exclude(expires__lte=Now())


class Token(models.Model):
    """What a program shows instead of a password. The secret itself is not stored."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=MAX_TOKEN_NAME)
    """The owner's name for it."""
    digest = models.CharField(max_length=64, unique=True)
    """SHA-256 of the secret, hexadecimal. The secret has 256 random bits, so a slower hash or a
    salt would gain nothing."""
    hint = models.CharField(max_length=12)
    """How the secret begins, to tell tokens apart."""
    scopes = models.JSONField(default=list)
    """Keys of `cardroom_base.core.scopes.SCOPES`."""
    created = models.DateTimeField(db_default=Now())
    expires = models.DateTimeField(null=True, blank=True)
    """Null if never, as for tokens from earlier versions of the site."""
    used = models.DateTimeField(null=True, blank=True)
    """When it was last shown, to the minute."""

    objects = TokenQuerySet.as_manager()

    class Meta:
        ordering = ("-created", "-pk")

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"
