"""Put entries into the categories of their tournament."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from cardroom_base.core.errors import ActionError
from tournaments.access import lock_tournament
from tournaments.actions.decision_log import log_decision
from tournaments.models import Decision, Entry, Tournament
from tournaments.organizing import organizes

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def categorize(entry: Entry, category: str, by: User | None) -> Entry:
    """Move an entry to a category, or with "" to none.

    The organizer may at any time, which is logged after the start; owners may before the start.
    """
    tournament = lock_tournament(entry.tournament)
    owners = {bot.owner_id for bot, _ in entry.members()}
    is_open = tournament.state == Tournament.State.OPEN
    if not organizes(tournament, by) and not (is_open and by is not None and by.pk in owners):
        raise ActionError(
            f"Only the organizers may move {entry.title} now; its owner could before the start.",
            "forbidden",
            "category",
        )
    old_category = entry.category
    set_category(tournament, entry, category)
    if tournament.started and entry.category != old_category:
        reason = f"From “{old_category or 'no category'}” to “{category or 'no category'}”."
        log_decision(tournament, Decision.Kind.CATEGORY, entry.title, reason, by=by)
    return entry


def set_category(tournament: Tournament, entry: Entry, category: str) -> Entry:
    """Set an entry's category; ActionError for an unknown one. The caller has checked the rest."""
    if category and category not in tournament.categories:
        names = ", ".join(tournament.categories) or "it has none"
        raise ActionError(
            f"{tournament.name} has no such category; its categories: {names}.", field="category"
        )
    if entry.category != category:
        entry.category = category
        entry.save(update_fields=["category"])
    return entry
