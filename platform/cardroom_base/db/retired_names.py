"""Names of deleted accounts, and names that moderators replaced. Nobody may choose one again, or a
name that looks like it, for an account, a bot, a team, a tournament, or as a guest.

Only moderators may set such a name. Names that are in use stay.
"""

from __future__ import annotations

from cardroom_base.core import names
from cardroom_base.core.errors import ActionError
from cardroom_base.models import RetiredName


def retire_name(name: str, replacement: str = "") -> None:
    """Retire a name, unless its replacement looks the same."""
    if names.digest(name) != names.digest(replacement):
        RetiredName.objects.get_or_create(digest=names.digest(name))


def is_retired(name: str) -> bool:
    return RetiredName.objects.filter(digest=names.digest(name)).exists()


def refuse_retired(name: str) -> None:
    """ActionError if this name is retired."""
    if is_retired(name):
        raise ActionError(f"The name {name} is no longer available; choose another.", field="name")
