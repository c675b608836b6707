"""Moderators' changes of tournaments in any state: change a name or text, unlock texts, hide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Replace

from bots.access import refuse_unless_moderator
from cardroom_base.core.errors import ActionError
from cardroom_base.core.fields import FieldError
from cardroom_base.core.whole_number import whole_number
from cardroom_base.db.retired_names import retire_name
from tournaments.access import lock_tournament
from tournaments.actions.announcements import change_announcement, delete_announcement
from tournaments.actions.decision_log import log_decision
from tournaments.actions.drafts import free_slug
from tournaments.actions.names import checked_team_name
from tournaments.actions.teams import MAX_NAME
from tournaments.course import field_rules
from tournaments.models import Decision, Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from bots.models import Bot

TextField: TypeAlias = Literal["name", "description", "announcement", "category", "team"]
"""The texts of a tournament that moderators change."""


@transaction.atomic
def change_text(
    tournament: Tournament,
    field: TextField,
    text: str,
    by: User | None,
    reason: str,
    item: str = "",
) -> Tournament:
    """Change the name, and with it the address, or another text of a tournament. Nobody can choose
    the old name of a tournament or a team again.

    `item`: the number of the announcement, or the present name of the category or team. An empty
    text removes a description, an announcement, a category or a team's name. The organizers cannot
    change description, categories and old announcements until `unlock_texts`. The caller has
    checked the reason, which the tournament's log shows without the old text.
    """
    tournament = _lock_for_moderator(tournament, by)
    if field in {"announcement", "category", "team"} and not item:
        raise ActionError(f"State which {field} to change.", field="item")
    try:
        match field:
            case "announcement":
                what = _change_announcement(tournament, item, text.strip())
            case "category":
                what = _rename_category(tournament, item, text.strip())
            case "team":
                what = _rename_team(tournament, item, text)
            case _:
                what = _change_field(tournament, field, text)
    except FieldError as error:
        raise ActionError(str(error), field="text") from error
    tournament.texts_locked = True
    tournament.save(update_fields=["texts_locked"])
    log_decision(tournament, Decision.Kind.CHANGED, what, reason, by=by)
    return tournament


@transaction.atomic
def unlock_texts(tournament: Tournament, by: User | None) -> Tournament:
    """Let the organizers change all texts again."""
    tournament = _lock_for_moderator(tournament, by)
    if not tournament.texts_locked:
        raise ActionError(f"The texts of {tournament.name} are not locked.", "conflict")
    tournament.texts_locked = False
    tournament.save(update_fields=["texts_locked"])
    return tournament


def _change_field(tournament: Tournament, field: Literal["name", "description"], text: str) -> str:
    text = field_rules.clean_field(field, text)
    old_text = getattr(tournament, field)
    if text == old_text:
        raise ActionError(f"That is already the {field}.", "conflict", "text")
    setattr(tournament, field, text)
    if field == "name":
        retire_name(old_text, text)
        tournament.slug = free_slug(tournament)
    tournament.save(update_fields=[field, "slug"])
    return f"the {field}"


def _change_announcement(tournament: Tournament, number: str, text: str) -> str:
    announcement = tournament.announcements.filter(pk=whole_number(number) or 0).first()
    if announcement is None:
        raise ActionError(f"{tournament.name} has no announcement {number}.", field="item")
    if text == announcement.text:
        raise ActionError("That is already the announcement.", "conflict", "text")
    if text:
        change_announcement(announcement, None, text)
    else:
        delete_announcement(announcement, None)
    return "an announcement"


def _rename_category(tournament: Tournament, old_name: str, text: str) -> str:
    if old_name not in tournament.categories:
        raise ActionError(f"{tournament.name} has no category {old_name}.", field="item")
    others = [name for name in tournament.categories if name != old_name]
    name = field_rules.checked_name(text, field_rules.MAX_CATEGORY) if text else ""
    if name in tournament.categories:
        raise ActionError(f"{tournament.name} already has the category {name}.", "conflict", "text")
    field_rules.clean_field("categories", [*others, *filter(None, [name])])
    renamed = (name if category == old_name else category for category in tournament.categories)
    tournament.categories = list(filter(None, renamed))
    tournament.save(update_fields=["categories"])
    tournament.entries.filter(category=old_name).update(category=name)
    old, new = (Value(f"“{words}”") for words in (old_name, name or "no category"))
    moves = tournament.decisions.filter(kind=Decision.Kind.CATEGORY)
    moves.update(reason=Replace(F("reason"), old, new))
    return "a category"


def _rename_team(tournament: Tournament, old_name: str, text: str) -> str:
    entry = tournament.entries.with_members().filter(name=old_name).first()
    if entry is None:
        raise ActionError(f"{tournament.name} has no team {old_name}.", field="item")
    try:
        entry.name = checked_team_name(tournament, text, MAX_NAME, except_for=entry)
    except ActionError as error:
        raise ActionError(str(error), error.code, "text") from error
    if entry.name == old_name:
        raise ActionError("That is already the team's name.", "conflict", "text")
    retire_name(old_name, entry.name)
    entry.save(update_fields=["name"])
    tournament.decisions.filter(what=old_name).update(what=entry.title[:200])
    return "a team’s name"


def rename_in_logs(bot: Bot, old_name: str) -> None:
    """Show a bot's present name in the logs of its tournaments."""
    entered = Tournament.objects.filter(entries__bot=bot)
    Decision.objects.filter(tournament__in=entered, what=old_name).update(what=bot.name)


@transaction.atomic
def hide(
    tournament: Tournament, by: User | None, reason: str, *, hidden: bool = True
) -> Tournament:
    """Hide a tournament from all but organizers, moderators and staff, or end this.

    Its matches continue. The caller has checked the reason.
    """
    tournament = _lock_for_moderator(tournament, by)
    if tournament.hidden == hidden:
        state = "already hidden" if hidden else "not hidden"
        raise ActionError(f"{tournament.name} is {state}.", "conflict", "tournament")
    tournament.hidden = hidden
    tournament.save(update_fields=["hidden"])
    what = "hidden" if hidden else "no longer hidden"
    log_decision(tournament, Decision.Kind.CHANGED, f"the tournament, {what}", reason, by=by)
    return tournament


def _lock_for_moderator(tournament: Tournament, by: User | None) -> Tournament:
    refuse_unless_moderator(by)
    return lock_tournament(tournament)
