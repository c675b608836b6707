"""Freeze the standings of a tournament, and reveal them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import now
from tournaments.access import lock_for_organizer, refuse_unless
from tournaments.actions.decision_log import log_decision
from tournaments.actions.drafts import UNFREEZABLE, round_ended
from tournaments.models import Decision, Frozen, Tournament
from tournaments.reading import content_cache
from tournaments.reading.kinds import STORY, TABLES

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def freeze(tournament: Tournament, by: User | None) -> Tournament:
    """Show later results to organizers and staff only, also after the end, until `reveal`."""
    tournament = lock_for_organizer(tournament, by)
    refuse_unless(tournament, "frozen", Tournament.State.RUNNING)
    if tournament.rated or tournament.trial:
        raise ActionError(UNFREEZABLE, "conflict")
    if tournament.frozen:
        raise ActionError(f"The standings of {tournament.name} are already frozen.", "conflict")
    for kind in (TABLES, STORY):
        content_cache.freeze(kind, tournament)
    tournament.frozen = now()  # afterwards: the tables have no withheld result
    if tournament.freezes_at or tournament.freezes_after:
        tournament.past_freezes_at = tournament.freezes_at
        tournament.past_freezes_after = tournament.freezes_after
    tournament.freezes_at, tournament.freezes_after = None, 0
    tournament.save(
        update_fields=[
            *("frozen", "freezes_at", "freezes_after"),
            *("past_freezes_at", "past_freezes_after"),
        ]
    )
    reason = "Later results are shown when the organizer reveals them."
    log_decision(tournament, Decision.Kind.FROZEN, "the standings", reason, by=by)
    return tournament


def must_freeze(tournament: Tournament) -> bool:
    """Whether the round has ended after which the standings freeze."""
    number = tournament.freezes_after
    return bool(number) and not tournament.frozen and round_ended(tournament, number)


@transaction.atomic
def reveal(tournament: Tournament, by: User | None) -> Tournament:
    """Show everybody the results since `freeze`."""
    tournament = lock_for_organizer(tournament, by)
    if tournament.frozen is None:
        raise ActionError(f"The standings of {tournament.name} are not frozen.", "conflict")
    Frozen.objects.filter(tournament=tournament).delete()
    tournament.frozen = None
    tournament.save(update_fields=["frozen"])
    reason = "All results are shown again."
    log_decision(tournament, Decision.Kind.REVEALED, "the standings", reason, by=by)
    return tournament
