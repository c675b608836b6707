"""Actions of tokens: create, find, renew, revoke."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from datetime import timedelta
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction

from cardroom.models import MAX_TOKEN_NAME, Token
from cardroom_base.core.errors import ActionError
from cardroom_base.core.names import BadNameError, check_text
from cardroom_base.core.scopes import SCOPES
from cardroom_base.db.db_time import Now, now
from cardroom_base.db.quotas import lock_account_quotas

PREFIX: Final = "crd_"
"""Prefix of every secret, so that scanners of source code recognise it."""
MAX_TOKENS: Final = 20
"""The maximum number of tokens per account."""
MAX_DAYS: Final = 366
DEFAULT_DAYS: Final = 90
_MINUTE: Final = timedelta(minutes=1)


@transaction.atomic
def make_token(user: User, name: str, scopes: Collection[str], days: int) -> tuple[Token, str]:
    """Create a token that expires after `days`; returns it and its secret."""
    lock_account_quotas(user.pk)
    Token.objects.filter(user=user, expires__lte=Now()).delete()
    _check_request(user, scopes, days)
    secret = _new_secret()
    token = Token.objects.create(
        user=user,
        name=_checked_name(name),
        digest=digest_of(secret),
        hint=_hint(secret),
        scopes=[scope for scope in SCOPES if scope in scopes],
        expires=now() + timedelta(days=days),
    )
    return token, secret


@transaction.atomic
def renew_secret(user: User, number: int) -> tuple[Token, str]:
    """Replace the secret of one of the user's tokens, because its response was lost."""
    token = Token.objects.select_for_update().filter(user=user, pk=number).first()
    if token is None:
        raise ActionError("The token of this request was revoked; choose a new key.", "conflict")
    secret = _new_secret()
    token.digest, token.hint = digest_of(secret), _hint(secret)
    token.save(update_fields=["digest", "hint"])
    return token, secret


def find_token(secret: str) -> Token | None:
    """The valid token with this secret, and its owner; None if it has expired or its owner is
    inactive. Stores the time of use."""
    token = (
        Token.objects.unexpired().select_related("user").filter(digest=digest_of(secret)).first()
    )
    if token is None or not token.user.is_active:
        return None
    if token.used is None or token.used < now() - _MINUTE:  # at most one write a minute
        Token.objects.filter(pk=token.pk).update(used=Now())
    return token


def revoke_token(user: User, number: int) -> bool:
    """Revoke one of the user's tokens; False if there is no such token."""
    return bool(Token.objects.filter(user=user, pk=number).delete()[0])


def revoke_all(user: User) -> int:
    """Revoke all of the user's tokens; return their number."""
    return Token.objects.filter(user=user).delete()[0]


def purge() -> int:
    """Delete tokens a month after they expired, so that owners can see why a program failed."""
    return Token.objects.filter(expires__lt=Now() - timedelta(days=30)).delete()[0]


def digest_of(secret: str) -> str:
    """The stored digest of a secret."""
    return hashlib.sha256(secret.encode(errors="surrogateescape")).hexdigest()


def _new_secret() -> str:
    return PREFIX + secrets.token_urlsafe(32)


def _hint(secret: str) -> str:
    return secret[:8]


def _check_request(user: User, scopes: Collection[str], days: int) -> None:
    if not scopes or not set(scopes) <= set(SCOPES):
        raise ActionError(f"scope must be one or more of {', '.join(SCOPES)}.", field="scope")
    if not 1 <= days <= MAX_DAYS:
        raise ActionError(f"A token is valid for 1 to {MAX_DAYS} days.", field="days")
    if Token.objects.filter(user=user).count() >= MAX_TOKENS:
        raise ActionError(
            f"You have {MAX_TOKENS} tokens; revoke one that you do not need.", "conflict"
        )


def _checked_name(name: str) -> str:
    """The name without superfluous spaces. Only its owner reads it, so look-alikes are allowed."""
    try:
        name = check_text(" ".join(name.split()))
    except BadNameError as error:
        raise ActionError(f"The name {error}", field="name") from error
    if not 0 < len(name) <= MAX_TOKEN_NAME:
        raise ActionError(f"A token's name has 1 to {MAX_TOKEN_NAME} characters.", field="name")
    return name
