"""Accounts: checks of names, sign-up, change of password."""

from __future__ import annotations

from typing import Any, Final

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models.signals import post_save
from django.dispatch import receiver

from cardroom.actions.tokens import revoke_all
from cardroom_base.core import names
from cardroom_base.core.errors import ActionError
from cardroom_base.models import AccountName

MAX_NAME: Final = 48
"""Length limit of an account's name, so that it fits next to a bot's."""
_TAKEN: Final = "Somebody has this name already, or one that looks like it; choose another."


def checked_username(name: str, ignoring: User | None = None) -> str:
    """The normalised name, if an account may have it; ActionError gives the reason of a refusal.

    `ignoring`: the account that gets the name; its own name is not a duplicate.
    """
    try:
        name = names.checked(name, MAX_NAME)
    except names.BadNameError as error:
        raise ActionError(f"The name {error}", field="username") from error
    if names.is_reserved(name):
        raise ActionError(
            "This name would pass for the site itself or one of its bots.", field="username"
        )
    if names.is_place(name):
        raise ActionError("A seat at every table has this name; choose another.", field="username")
    alike = AccountName.objects.filter(skeleton=names.skeleton(name))
    if ignoring is not None:
        alike = alike.exclude(user=ignoring)
    if alike.exists():
        raise ActionError(_TAKEN, "duplicate", "username")
    return name


def sign_up(username: str, password: str) -> User:
    """Create an account; the caller has validated the password."""
    username = checked_username(username)
    try:
        with transaction.atomic():
            return User.objects.create_user(username, password=password)
    except IntegrityError as error:  # a simultaneous request took the name
        raise ActionError(_TAKEN, "duplicate", "username") from error


@transaction.atomic
def change_password(user: User, password: str, *, revoke: bool) -> int:
    """Set a password; this ends every other session, and with `revoke` also revokes tokens.

    Returns the number of revoked tokens.
    """
    user.set_password(password)
    user.save(update_fields=["password"])
    return revoke_all(user) if revoke else 0


@receiver(post_save, sender=User)
def _store_skeleton(instance: User, update_fields: Any = None, **_: Any) -> None:
    """Store the look-alike key of a new or renamed account, which must be unique."""
    if update_fields is not None and "username" not in update_fields:
        return
    account_name = AccountName.objects.filter(user=instance).first() or AccountName(user=instance)
    if account_name.name != instance.username:
        account_name.name, account_name.skeleton = (
            instance.username,
            names.skeleton(instance.username),
        )
        account_name.save()
