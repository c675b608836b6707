"""Names of tournaments and teams: valid as all names are, and like nobody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cardroom_base.core import names
from cardroom_base.core.errors import ActionError
from cardroom_base.core.fields import FieldError
from tournaments.course import terms
from tournaments.models import Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def checked_name(name: str, limit: int) -> str:
    """The name of a team as it is kept; ActionError says what is wrong with it."""
    try:
        name = terms.checked_name(name, limit)
    except FieldError as error:
        raise ActionError(str(error), field=error.field) from error
    if names.is_reserved(name):
        raise ActionError(
            "This name would pass for the site itself or one of its bots; choose another.",
            field="name",
        )
    return name


def checked_text(field: str, text: str) -> str:
    """A text of several lines; ActionError if it holds more than text."""
    try:
        return names.tidy(text)
    except names.BadNameError as error:
        raise ActionError(f"The {field} {error}", field=field) from error


def refuse_lookalike(tournament: Tournament, by: User | None) -> None:
    """ActionError if somebody else's present tournament has a name that looks the same, or the name
    would pass for the site's own.

    Your own tournaments may have the same name every week; names of ended ones are free.
    """
    if by is None:
        return
    if names.is_reserved(tournament.name) and not by.is_staff:
        raise ActionError(
            "This name would pass for one of the site itself; choose another.", field="name"
        )
    on = (Tournament.State.OPEN, Tournament.State.RUNNING)
    others = Tournament.objects.listed().filter(state__in=on).exclude(organizer=by)
    looks = names.skeleton(tournament.name)
    for name in others.exclude(pk=tournament.pk).values_list("name", flat=True):
        if names.skeleton(name) == looks:
            raise ActionError(
                f"There is a tournament called {name} now, by somebody else. Choose a name that "
                "nobody can take for it.",
                "conflict",
                "name",
            )


def checked_team(tournament: Tournament, name: str, limit: int) -> str:
    """A team's name, or none; no two teams of a tournament look the same."""
    if not name.strip():
        return ""
    name = checked_name(name, limit)
    looks = names.skeleton(name)
    for other in tournament.entries.exclude(name="").values_list("name", flat=True):
        if names.skeleton(other) == looks:
            said = "" if other == name else f", which looks like {name}"
            raise ActionError(f"A team is called {other} already{said}.", "duplicate", "name")
    return name
