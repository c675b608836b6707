"""What moderators do. Each action writes a line of the log, with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.urls import reverse

from bots.access import moderates
from bots.actions import end_quarantine, quarantine
from bots.models import Bot
from cardroom.models import MAX_REASON, Moderation
from cardroom_base.core.errors import ActionError
from cardroom_base.core.names import BadNameError, tidy
from cardroom_tables.actions.seats import replace_bot
from tournaments.actions import release_quarantined

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def quarantine_bot(bot: Bot, by: User | None, reason: str) -> Bot:
    """Keep a bot from playing until its release.

    Its running matches wait again, and the house takes its seats at people's tables.
    """
    with transaction.atomic():
        reason = _checked(reason, by)
        bot = quarantine(bot, by)
        replace_bot(bot)
        _log(Moderation.Kind.QUARANTINE, by, bot.name, reverse("bot", args=[bot.slug]), reason)
    release_quarantined()  # locks deal groups, so not within the lock of the bot
    return bot


@transaction.atomic
def release_bot(bot: Bot, by: User | None, reason: str) -> Bot:
    """End a bot's quarantine."""
    reason = _checked(reason, by)
    bot = end_quarantine(bot, by)
    _log(Moderation.Kind.RELEASE, by, bot.name, reverse("bot", args=[bot.slug]), reason)
    return bot


def _checked(reason: str, by: User | None) -> str:
    """The stripped reason; ActionError if it is missing or too long, or `by` is no moderator."""
    if not moderates(by):
        raise ActionError("Only moderators may do that.", "forbidden")
    try:
        reason = tidy(reason.strip())
    except BadNameError as error:
        raise ActionError(f"The reason {error}", field="reason") from error
    if not 0 < len(reason) <= MAX_REASON:
        raise ActionError(f"Give a reason of at most {MAX_REASON} characters.", field="reason")
    return reason


def _log(kind: Moderation.Kind, by: User | None, subject: str, address: str, reason: str) -> None:
    Moderation.objects.create(kind=kind, by=by, subject=subject, address=address, reason=reason)
