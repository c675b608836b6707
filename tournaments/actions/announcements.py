"""Post, change and delete announcements of a tournament."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import transaction

from bots.access import refuse_locked_texts
from cardroom_base.core.errors import ActionError
from cardroom_base.core.fields import FieldError
from cardroom_base.db.db_time import now
from tournaments.access import lock_for_organizer
from tournaments.actions.notifying import Kind, notify_people
from tournaments.course import field_rules
from tournaments.models import Announcement, Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User

MAX_ANNOUNCEMENTS = 100
"""Maximum number of announcements of a tournament."""
REPEAT_TIME = timedelta(minutes=10)
"""A repeated request within this time posts no second announcement."""


@transaction.atomic
def post_announcement(tournament: Tournament, by: User | None, text: str) -> Announcement:
    """Publish an announcement to everybody who can see the tournament.

    If the newest one has the same author and text and is not older than `REPEAT_TIME`, the request
    is a repetition (a double click, a retry), and that announcement is returned.
    """
    tournament = lock_for_organizer(tournament, by)
    text = _checked_text(text)
    if tournament.state == Tournament.State.DRAFT:
        raise ActionError(f"Open {tournament.name} first; nobody sees a draft.", "conflict")
    newest = tournament.announcements.filter(at__gt=now() - REPEAT_TIME).first()
    if newest is not None and (newest.by, newest.text) == (by, text):
        return newest
    if tournament.announcements.count() >= MAX_ANNOUNCEMENTS:
        raise ActionError(
            f"{tournament.name} has {MAX_ANNOUNCEMENTS} announcements, which is the limit; "
            "delete old ones.",
            "conflict",
        )
    announcement = Announcement.objects.create(tournament=tournament, by=by, text=text)
    announcement.refresh_from_db()
    notify_people(tournament, Kind.ANNOUNCED, by, announcement.pk)
    return announcement


@transaction.atomic
def change_announcement(announcement: Announcement, by: User | None, text: str) -> Announcement:
    """Correct an announcement; it keeps its date."""
    tournament = lock_for_organizer(announcement.tournament, by)
    refuse_locked_texts(tournament, by, "text")
    announcement.text, announcement.changed = _checked_text(text), now()
    announcement.save(update_fields=["text", "changed"])
    return announcement


@transaction.atomic
def delete_announcement(announcement: Announcement, by: User | None) -> None:
    lock_for_organizer(announcement.tournament, by)
    announcement.delete()


def _checked_text(text: str) -> str:
    try:
        text = field_rules.checked_text("text", text, field_rules.MAX_DESCRIPTION)
    except FieldError as error:
        raise ActionError(str(error), field=error.field) from error
    if not text:
        raise ActionError("Write the announcement.", field="text")
    return text
