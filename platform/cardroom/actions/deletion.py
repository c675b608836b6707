"""Deletes an account's personal data, and keeps its results."""

from __future__ import annotations

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import models, transaction
from django.db.models import ForeignObjectRel, Q

from cardroom.actions.moderation import end_sessions
from cardroom.models import Moderation, Suspension
from cardroom_base.core import names
from cardroom_base.core.errors import ActionError
from cardroom_base.db.retired_names import retire_name
from cardroom_tables.actions.forgetting import forget
from tournaments.actions import retire_author
from tournaments.exports import export_files
from tournaments.models import Decision, Tournament
from tournaments.organizing import organized_by


@transaction.atomic
def delete_account(user: User) -> None:
    """Delete all personal data of an account, and retire its bots.

    Bots, tournaments and the log need an author, so the row stays: closed, without a password, and
    called `a former author` with a number. Nobody can have the old name again.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    if not user.is_active and not Suspension.objects.filter(user=user).exists():
        raise ActionError("This account is closed.", "conflict")
    if user.is_staff:
        raise ActionError(
            "Staff accounts cannot be deleted. A superuser must first make it an ordinary account.",
            "forbidden",
        )
    retire_author(user)
    forget(user)
    about_organizer = Decision.objects.filter(kind=Decision.Kind.ORGANIZER, what=user.username)
    names_account = organized_by(user.pk) | Q(pk__in=about_organizer.values("tournament"))
    names_account |= Q(entries__bot__owner=user) | Q(entries__mates__bot__owner=user)
    export_files.drop_files(Tournament.objects.filter(names_account))
    retire_name(user.username)
    for model in (AccessAttempt, AccessFailureLog, AccessLog):
        model.objects.filter(username__in=(user.username, user.email or user.username)).delete()
    new_name = f"{names.FORMER_AUTHOR} {user.pk}"
    account_kinds = Moderation.Kind.SUSPEND, Moderation.Kind.RESUME
    lines = Moderation.objects.filter(kind__in=account_kinds, subject=user.username)
    lines.update(subject=new_name, address="")
    about_organizer.update(what=new_name)
    _delete_related_rows(user)
    user.username = new_name
    user.first_name = user.last_name = user.email = ""
    user.is_active, user.last_login = False, None
    user.set_unusable_password()  # ends all sessions
    user.save()
    entries = LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(User))
    entries.filter(object_id=str(user.pk)).update(object_repr=user.username, change_message="")


def _delete_related_rows(user: User) -> None:
    """Delete the rows that refer to the account: tokens, addresses, sessions, second factors, …
    These are the rows that Django would delete with the account's row."""
    user.groups.clear()
    user.user_permissions.clear()
    end_sessions(user)
    # Hidden: without a name at the account's side.
    for relation in user._meta.get_fields(include_hidden=True):  # noqa: SLF001 - documented by Django
        if isinstance(relation, ForeignObjectRel) and relation.on_delete is models.CASCADE:
            rows = relation.related_model._base_manager  # noqa: SLF001
            rows.filter(**{relation.field.name: user}).delete()
