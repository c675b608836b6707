"""Change a tournament's name or description in any state, for moderators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from django.db import transaction

from bots.access import moderates
from cardroom_base.core.errors import ActionError
from cardroom_base.core.fields import FieldError
from tournaments.access import locked
from tournaments.actions.decision_log import log_decision
from tournaments.course import terms
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
    """Change the name or the description of a tournament; its address stays.

    The caller has checked the reason, which the tournament's log shows without the old text.
    """
    if not moderates(by):
        raise ActionError("Only moderators may do that.", "forbidden")
    tournament = locked(tournament)
    try:
        text = terms.cleaned(field, text)
    except FieldError as error:
        raise ActionError(str(error), field="text") from error
    if text == getattr(tournament, field):
        raise ActionError(f"That is the {field} already.", "conflict", "text")
    setattr(tournament, field, text)
    tournament.save(update_fields=[field])
    log_decision(tournament, Decision.Kind.CHANGED, f"the {field}", reason, by=by)
    return tournament
