"""Validate names of tournaments and teams, and refuse lookalikes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cardroom_base.core import names
from cardroom_base.core.errors import ActionError
from cardroom_base.core.fields import FieldError
from tournaments.course import field_rules
from tournaments.models import Entry, Tournament
from tournaments.visibility import visible_to

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def checked_name(name: str, limit: int) -> str:
    """The normalized name of a team; ActionError for an invalid one."""
    try:
        name = field_rules.checked_name(name, limit)
    except FieldError as error:
        raise ActionError(str(error), field=error.field) from error
    if names.is_reserved(name):
        raise ActionError(
            "This name could be mistaken for the site itself or one of its bots; choose another.",
            field="name",
        )
    return name


def checked_text(field: str, text: str) -> str:
    """A text of several lines; ActionError if it holds control characters."""
    try:
        return names.check_text(text)
    except names.BadNameError as error:
        raise ActionError(f"The {field} {error}", field=field) from error


def refuse_lookalike(tournament: Tournament, by: User | None) -> None:
    """ActionError if another organizer's open or running tournament has a similar name, or the name
    could be mistaken for the site's own.

    Tournaments that `by` may not see are not compared, because a refusal would reveal their names.
    """
    if by is None:
        return
    if names.is_reserved(tournament.name) and not by.is_staff:
        raise ActionError(
            "This name could be mistaken for a name of the site itself; choose another.",
            field="name",
        )
    states = (Tournament.State.OPEN, Tournament.State.RUNNING)
    own = {by.pk, tournament.organizer_id or by.pk}
    others = visible_to(by).listed().filter(state__in=states).exclude(organizer__in=own)
    skeleton = names.skeleton(tournament.name)
    for name in others.exclude(pk=tournament.pk).values_list("name", flat=True):
        if names.skeleton(name) == skeleton:
            raise ActionError(
                f"Another organizer already has a tournament called {name}. Choose a name that "
                "looks different.",
                "conflict",
                "name",
            )


def checked_team_name(
    tournament: Tournament, name: str, limit: int, except_for: Entry | None = None
) -> str:
    """The normalized name of a team, or ""; ActionError for a name like another team's."""
    if not name.strip():
        return ""
    name = checked_name(name, limit)
    skeleton = names.skeleton(name)
    others = set(tournament.entries.exclude(name="").values_list("name", flat=True))
    for other in others - {except_for.name if except_for else ""}:
        if names.skeleton(other) == skeleton:
            detail = "" if other == name else f", which looks like {name}"
            raise ActionError(f"A team is already called {other}{detail}.", "duplicate", "name")
    return name
