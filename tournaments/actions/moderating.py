"""Moderators' changes of tournaments in any state: change name or description, hide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from django.db import transaction

from bots.access import refuse_unless_moderator
from cardroom_base.core.errors import ActionError
from cardroom_base.core.fields import FieldError
from tournaments.access import lock_tournament
from tournaments.actions.decision_log import log_decision
from tournaments.actions.drafts import free_slug
from tournaments.course import field_rules
from tournaments.models import Decision, Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def change_text(
    tournament: Tournament,
    field: Literal["name", "description"],
    text: str,
    by: User | None,
    reason: str,
) -> Tournament:
    """Change the name, and with it the address, or the description of a tournament.

    The caller has checked the reason, which the tournament's log shows without the old text.
    """
    tournament = _lock_for_moderator(tournament, by)
    try:
        text = field_rules.clean_field(field, text)
    except FieldError as error:
        raise ActionError(str(error), field="text") from error
    if text == getattr(tournament, field):
        raise ActionError(f"That is already the {field}.", "conflict", "text")
    setattr(tournament, field, text)
    if field == "name":
        tournament.slug = free_slug(tournament)
    tournament.save(update_fields=[field, "slug"])
    log_decision(tournament, Decision.Kind.CHANGED, f"the {field}", reason, by=by)
    return tournament


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
