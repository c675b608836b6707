"""Accounts: checks of names, links to set a password, accounts that staff create for others."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.urls import reverse

from cardroom_base.core import names
from cardroom_base.core.errors import ActionError
from cardroom_base.db.retired_names import is_retired
from cardroom_base.models import AccountName

MAX_NAME: Final = 48
"""Length limit of an account's name, so that it fits next to a bot's."""
NAME_TAKEN: Final = "Somebody already has this name, or one that looks like it; choose another."


check_characters = UnicodeUsernameValidator(
    message="A user name may contain only letters, digits and @.+-_, and no spaces."
)
MAX_INVITED: Final = 500
"""The maximum number of accounts per call of `invite`."""


def checked_username(name: str, owner: User | None = None) -> str:
    """The normalised name, if an account may have it; otherwise an ActionError with the reason.

    `owner`: the account that gets the name; its current name is not a duplicate.
    """
    try:
        name = names.normalize(name, MAX_NAME)
    except names.BadNameError as error:
        raise ActionError(f"The name {error}", field="username") from error
    if names.is_reserved(name):
        raise ActionError(
            "This name could be mistaken for the site itself or one of its bots.", field="username"
        )
    if names.is_seat_name(name):
        raise ActionError("A seat at every table has this name; choose another.", field="username")
    lookalikes = AccountName.objects.filter(skeleton=names.skeleton(name))
    if owner is not None:
        lookalikes = lookalikes.exclude(user=owner)
    if lookalikes.exists() or is_retired(name):
        raise ActionError(NAME_TAKEN, "duplicate", "username")
    return name


def site_address() -> str:
    """The site's address according to the settings, for commands."""
    scheme = "https" if settings.HTTPS else "http"
    return f"{scheme}://{settings.ALLOWED_HOSTS[0]}"


def password_link(user: User, by: User | None) -> str:
    """The path of a page that sets the account's password, once and within `settings.LINK_DAYS`.

    Only a superuser and the site itself (None) may create one for staff.
    """
    from allauth.account.forms import (
        default_token_generator,
    )  # imports the adapter, which imports us
    from allauth.account.utils import user_pk_to_url_str

    if not user.is_active:
        raise ActionError(f"The account {user.username} is closed.", "conflict")
    if by is not None and not by.is_superuser and (user.is_staff or not by.is_staff):
        raise ActionError("Only a superuser can create links for staff.", "forbidden")
    key = default_token_generator.make_token(user)
    return reverse("account_reset_password_from_key", args=[user_pk_to_url_str(user), key])


def read_invitations(text: str) -> list[tuple[str, str]]:
    """Name and e-mail (or an empty text) of each line `name` or `name,e-mail`; ActionError if the
    text is not CSV."""
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(text.splitlines())]
    except csv.Error as error:
        raise ActionError(f"This is not a table of names: {error}.", field="rows") from error
    return [(row[0], row[1] if len(row) > 1 else "") for row in rows if any(row)]


@transaction.atomic
def invite(rows: Sequence[tuple[str, str]], by: User | None) -> list[tuple[User, str]]:
    """Create accounts without a password, all or none; returns each with its `password_link`.

    An ActionError has a line for each wrong row.
    """
    if by is not None and not by.is_staff:
        raise ActionError("Only staff can create accounts for others.", "forbidden")
    if not 0 < len(rows) <= MAX_INVITED:
        raise ActionError(f"Give 1 to {MAX_INVITED} names, one per line.", field="rows")
    users, errors = [], []
    for number, (name, email) in enumerate(rows, 1):
        try:
            users.append(_create_account(name, email))
        except (ActionError, ValidationError) as error:
            reason = error.messages[0] if isinstance(error, ValidationError) else error
            errors.append(f"Line {number}, {name[:MAX_NAME]}: {reason}")
    if errors:
        raise ActionError("\n".join(errors), field="rows")
    return [(user, password_link(user, by)) for user in users]


def _create_account(name: str, email: str) -> User:
    """Create an account without a password. Raises ActionError and ValidationError."""
    check_characters(name)
    name = checked_username(name)
    if email:
        validate_email(email)
        if User.objects.filter(email__iexact=email).exists():
            raise ActionError("Another account has this e-mail address.", "duplicate")
    try:
        with transaction.atomic():
            return User.objects.create_user(name, email.lower())
    except IntegrityError as error:  # a simultaneous request took the name
        raise ActionError(NAME_TAKEN, "duplicate") from error


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
