"""Actions of moderators. Each writes a line of their log, with a reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Literal

from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q
from django.urls import reverse

from bots.access import refuse_unless_moderator
from bots.actions import change_bot_text, end_quarantine, quarantine, unlock_bot_texts
from bots.models import Bot
from cardroom.models import MAX_REASON, Moderation, Suspension
from cardroom_base.core.errors import ActionError
from cardroom_base.core.names import BadNameError, check_text
from cardroom_base.db.db_time import now
from cardroom_tables.actions.seats import rename_bot, replace_bot
from tournaments.actions import (
    TextField,
    advance_ladders,
    apply_quarantine,
    change_text,
    hide,
    rename_in_logs,
    unlock_texts,
)
from tournaments.exports import export_files
from tournaments.models import Tournament


def quarantine_bot(bot: Bot, by: User | None, reason: str) -> Bot:
    """Keep a bot from playing until its release.

    Its running matches wait again, and house bots take its seats at people's tables.
    """
    with transaction.atomic():
        reason = _checked_reason(reason, by)
        bot = quarantine(bot, by)
        replace_bot(bot)
        _log(Moderation.Kind.QUARANTINE, by, bot.name, reverse("bot", args=[bot.slug]), reason)
    apply_quarantine(bot)  # locks tournaments, so not within the lock of the bot
    return bot


@transaction.atomic
def release_bot(bot: Bot, by: User | None, reason: str) -> Bot:
    """End a bot's quarantine."""
    reason = _checked_reason(reason, by)
    bot = end_quarantine(bot, by)
    advance_ladders(bot)
    _log(Moderation.Kind.RELEASE, by, bot.name, reverse("bot", args=[bot.slug]), reason)
    return bot


def suspend_account(user: User, by: User | None, reason: str) -> None:
    """Close an account until `resume_account`: its sessions end, its tokens are refused, and its
    bots are quarantined. Only superusers may suspend staff."""
    with transaction.atomic():
        reason = _checked_reason(reason, by)
        user = User.objects.select_for_update().get(pk=user.pk)
        if by is not None and (user == by or (user.is_staff and not by.is_superuser)):
            raise ActionError("You cannot suspend yourself or staff.", "forbidden", "user")
        if not user.is_active:
            raise ActionError(f"The account {user.username} is closed.", "conflict", "user")
        # There is a row already if an administrator has set *active* since the last suspension.
        suspension, _ = Suspension.objects.update_or_create(user=user, defaults={"at": now()})
        user.is_active = False
        user.save(update_fields=["is_active"])
        end_sessions(user)
        unquarantined = Bot.objects.filter(owner=user, quarantined__isnull=True).order_by("pk")
        bots = [quarantine(bot, by, suspension.at) for bot in unquarantined]
        for bot in bots:
            replace_bot(bot)
        _log(Moderation.Kind.SUSPEND, by, user.username, _author_path(user), reason)
    for bot in bots:
        apply_quarantine(bot)


@transaction.atomic
def resume_account(user: User, by: User | None, reason: str) -> None:
    """Open a suspended account, and end the quarantines that began with the suspension."""
    reason = _checked_reason(reason, by)
    user = User.objects.select_for_update().get(pk=user.pk)
    suspension = Suspension.objects.filter(user=user).first()
    if suspension is None:
        raise ActionError(f"The account {user.username} is not suspended.", "conflict", "user")
    for bot in Bot.objects.filter(owner=user, quarantined=suspension.at).order_by("pk"):
        advance_ladders(end_quarantine(bot, by))
    suspension.delete()
    user.is_active = True
    user.save(update_fields=["is_active"])
    _log(Moderation.Kind.RESUME, by, user.username, _author_path(user), reason)


@transaction.atomic
def change_bot(
    bot: Bot, field: Literal["name", "description"], text: str, by: User | None, reason: str
) -> Bot:
    """Change a bot's name or description. Its owner reads the reason on its page, and can change
    neither until `unlock_bot`.

    A new name changes the address; older lines of the moderators' log get it, too. Tables and logs
    of tournaments show the new name, too.
    """
    reason = _checked_reason(reason, by)
    old_name, old_address = bot.name, reverse("bot", args=[bot.slug])
    bot = change_bot_text(bot, field, text, by)
    if field == "name":
        rename_bot(bot)
        rename_in_logs(bot, old_name)
        entered = Q(entries__bot=bot) | Q(entries__mates__bot=bot)
        export_files.drop_files(Tournament.objects.filter(entered))
    address = reverse("bot", args=[bot.slug])
    Moderation.objects.filter(address=old_address).update(address=address)
    _log(Moderation.Kind.CHANGE, by, bot.name, address, reason, field)
    return bot


@transaction.atomic
def unlock_bot(bot: Bot, by: User | None, reason: str) -> Bot:
    """Let a bot's owner change its name and description again."""
    reason = _checked_reason(reason, by)
    bot = unlock_bot_texts(bot, by)
    _log(Moderation.Kind.UNLOCK, by, bot.name, reverse("bot", args=[bot.slug]), reason)
    return bot


@transaction.atomic
def change_tournament(
    tournament: Tournament,
    field: TextField,
    text: str,
    by: User | None,
    reason: str,
    item: str = "",
) -> Tournament:
    """Change a text of a tournament in any state (`tournaments.actions.change_text`), and record it
    in its log, too.

    A new name changes the address; older lines of the moderators' log get it, too.
    """
    reason = _checked_reason(reason, by)
    old_address = _page(tournament)
    tournament = change_text(tournament, field, text, by, reason, item)
    Moderation.objects.filter(address=old_address).update(address=_page(tournament))
    _log_tournament(Moderation.Kind.CHANGE, by, tournament, reason, field)
    return tournament


@transaction.atomic
def unlock_tournament(tournament: Tournament, by: User | None, reason: str) -> Tournament:
    """Let a tournament's organizers change all its texts again."""
    reason = _checked_reason(reason, by)
    tournament = unlock_texts(tournament, by)
    _log(Moderation.Kind.UNLOCK, by, tournament.name, _page(tournament), reason)
    return tournament


@transaction.atomic
def hide_tournament(
    tournament: Tournament, by: User | None, reason: str, *, hidden: bool = True
) -> Tournament:
    """Hide a tournament from all but its organizers, moderators and staff, or show it again."""
    reason = _checked_reason(reason, by)
    tournament = hide(tournament, by, reason, hidden=hidden)
    kind = Moderation.Kind.HIDE if hidden else Moderation.Kind.SHOW
    _log_tournament(kind, by, tournament, reason)
    return tournament


# --- actions by name, for pages and REST --------------------------------------------------------

Action = Callable[[Any, Mapping[str, Any]], str]
"""Performs a moderator's action and returns a sentence about it. The checked data contain the
subject, `reason`, for a changed text `text` and, if it is one of several, `item`."""


def _quarantine(by: Any, data: Mapping[str, Any]) -> str:
    return f"{quarantine_bot(data['bot'], by, data['reason']).name} has been quarantined."


def _release(by: Any, data: Mapping[str, Any]) -> str:
    return f"{release_bot(data['bot'], by, data['reason']).name} may play again."


def _suspend(by: Any, data: Mapping[str, Any]) -> str:
    suspend_account(data["user"], by, data["reason"])
    return f"The account {data['user']} has been suspended."


def _resume(by: Any, data: Mapping[str, Any]) -> str:
    resume_account(data["user"], by, data["reason"])
    return f"The account {data['user']} is open again."


def _change_bot(by: Any, data: Mapping[str, Any], *, field: Literal["name", "description"]) -> str:
    bot = change_bot(data["bot"], field, data.get("text", ""), by, data["reason"])
    return f"The {field} of {bot.name} has been changed."


def _unlock_bot(by: Any, data: Mapping[str, Any]) -> str:
    bot = unlock_bot(data["bot"], by, data["reason"])
    return f"The owner of {bot.name} can change its name and description again."


def _unlock_tournament(by: Any, data: Mapping[str, Any]) -> str:
    cup = unlock_tournament(data["tournament"], by, data["reason"])
    return f"The organizers of {cup.name} can change its texts again."


def _change(by: Any, data: Mapping[str, Any], *, field: TextField) -> str:
    text, item = data.get("text", ""), data.get("item", "")
    cup = change_tournament(data["tournament"], field, text, by, data["reason"], item)
    return f"The {field} of {cup.name} has been changed."


def _hide(by: Any, data: Mapping[str, Any], *, hidden: bool) -> str:
    cup = hide_tournament(data["tournament"], by, data["reason"], hidden=hidden)
    return f"{cup.name} is {'hidden' if hidden else 'shown again'}."


ACTIONS: Final[Mapping[str, Mapping[str, Action]]] = {
    "bot": {
        "quarantine": _quarantine,
        "release": _release,
        "name": partial(_change_bot, field="name"),
        "description": partial(_change_bot, field="description"),
        "unlock": _unlock_bot,
    },
    "user": {"suspend": _suspend, "resume": _resume},
    "tournament": {
        "name": partial(_change, field="name"),
        "description": partial(_change, field="description"),
        "announcement": partial(_change, field="announcement"),
        "category": partial(_change, field="category"),
        "team": partial(_change, field="team"),
        "unlock": _unlock_tournament,
        "hide": partial(_hide, hidden=True),
        "show": partial(_hide, hidden=False),
    },
}
"""Actions by their subject and name."""


def end_sessions(user: User) -> None:
    """Log the account out everywhere."""
    sessions = UserSession.objects.filter(user=user)
    Session.objects.filter(session_key__in=sessions.values("session_key")).delete()
    sessions.delete()


def _author_path(user: User) -> str:
    return reverse("author", args=[user.username])


def _page(tournament: Tournament) -> str:
    return reverse("tournament", args=[tournament.slug])


def _checked_reason(reason: str, by: User | None) -> str:
    """The stripped reason; ActionError if it is missing or too long, or `by` is not a moderator."""
    refuse_unless_moderator(by)
    try:
        reason = check_text(reason.strip())
    except BadNameError as error:
        raise ActionError(f"The reason {error}", field="reason") from error
    if not 0 < len(reason) <= MAX_REASON:
        raise ActionError(f"Give a reason of at most {MAX_REASON} characters.", field="reason")
    return reason


def _log_tournament(
    kind: Moderation.Kind, by: User | None, tournament: Tournament, reason: str, field: str = ""
) -> None:
    """Write a line of the log, and have the tournament's cached files rebuilt."""
    export_files.drop_files(Tournament.objects.filter(pk=tournament.pk))
    _log(kind, by, tournament.name, _page(tournament), reason, field)


def _log(
    kind: Moderation.Kind,
    by: User | None,
    subject: str,
    address: str,
    reason: str,
    field: str = "",
) -> None:
    """Write a line of the log. `field`: the kind of the changed text."""
    Moderation.objects.create(
        kind=kind, by=by, subject=subject, address=address, field=field, reason=reason
    )
