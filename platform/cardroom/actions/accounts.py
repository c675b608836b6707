"""Accounts: what they may be called, making one, changing its password."""

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
"""Characters in the name of an account: what fits beside a bot's."""
_TAKEN: Final = "Somebody has this name already, or one that looks like it; choose another."


def checked_username(name: str, besides: User | None = None) -> str:
    """Normalize the name of an account. Raises ActionError."""
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
    if besides is not None:
        alike = alike.exclude(user=besides)
    if alike.exists():
        raise ActionError(_TAKEN, "duplicate", "username")
    return name


def sign_up(username: str, password: str) -> User:
    """A new account; the caller has checked that the password is a good one."""
    username = checked_username(username)
    try:
        with transaction.atomic():
            return User.objects.create_user(username, password=password)
    except IntegrityError as error:  # another request has just taken the name
        raise ActionError(_TAKEN, "duplicate", "username") from error


@transaction.atomic
def change_password(user: User, password: str, *, revoke: bool) -> int:
    """A new password ends every session but the one that sets it; with `revoke` tokens, too.

    The answer is how many tokens that were.
    """
    user.set_password(password)
    user.save(update_fields=["password"])
    return revoke_all(user) if revoke else 0


@receiver(post_save, sender=User)
def _keep_looks(instance: User, update_fields: Any = None, **_: Any) -> None:
    """However an account was made, no other may look like it."""
    if update_fields is not None and "username" not in update_fields:
        return
    account_name = AccountName.objects.filter(user=instance).first() or AccountName(user=instance)
    if account_name.name != instance.username:
        account_name.name, account_name.skeleton = (
            instance.username,
            names.skeleton(instance.username),
        )
        account_name.save()
