"""From draft to finished: opening, starting, cancelling. What organizers do."""

from __future__ import annotations

import random
from statistics import fmean
from typing import TYPE_CHECKING

from django.db import transaction

from bots.actions import ActionError
from bots.moments import now
from tournaments.actions.advancing import pair
from tournaments.actions.drafting import plans_of
from tournaments.actions.mates import entries_at_a_table, leave_out_waiting, tell_own
from tournaments.actions.naming import refuse_lookalike
from tournaments.actions.quotas import refuse_too_many_tournaments
from tournaments.actions.retiring import note, void_unfinished
from tournaments.actions.rights import locked_for_organizer, refuse_unless
from tournaments.actions.rules import pin
from tournaments.actions.versions import fix_versions
from tournaments.models import Decision, Entry, Rating, Tournament, Trial
from tournaments.pairing.designs import shuffled
from tournaments.projections import pools_of
from tournaments.ratings.elo import START
from tournaments.stages import check_entrants

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def open_(tournament: Tournament, by: User | None) -> Tournament:
    """Show the tournament to all and let bots enter."""
    tournament = locked_for_organizer(tournament, by)
    refuse_unless(tournament, "opened", Tournament.State.DRAFT)
    refuse_too_many_tournaments(by)
    refuse_lookalike(tournament, by)
    tournament.state = Tournament.State.OPEN
    tournament.opened = now()
    tournament.save(update_fields=["state", "opened"])
    return tournament


@transaction.atomic
def start(tournament: Tournament, by: User | None) -> Tournament:
    """Fix the entries to their bots' active versions, pair, create every match, announce them."""
    tournament = locked_for_organizer(tournament, by)
    refuse_unless(tournament, "started", Tournament.State.OPEN)
    leave_out_waiting(tournament)
    entries = list(tournament.entries.select_related("bot__active_version").order_by("number"))
    needed = entries_at_a_table(tournament)
    if len(entries) < needed:
        raise ActionError(
            f"{tournament.name} cannot start: {tournament.format} needs {needed} entries or more, "
            f"and there {'is' if len(entries) == 1 else 'are'} {len(entries) or 'none'}.",
            "conflict",
        )
    try:
        check_entrants(plans_of(tournament), len(entries), needed)
    except ValueError as error:
        raise ActionError(f"{tournament.name} cannot start: {error}", "conflict") from error
    fix_versions(entries, tournament)
    _seed(entries, tournament)
    tell_own(tournament, tournament.entries.all())
    tournament.state = Tournament.State.RUNNING
    tournament.started = now()
    tournament.save(update_fields=["state", "started"])
    pair(tournament)
    pin(tournament)
    return tournament


@transaction.atomic
def cancel(tournament: Tournament, by: User | None) -> Tournament:
    """End a tournament before its time: what is not finished will not be played; results stay."""
    tournament = locked_for_organizer(tournament, by)
    refuse_unless(
        tournament,
        "cancelled",
        Tournament.State.DRAFT,
        Tournament.State.OPEN,
        Tournament.State.RUNNING,
    )
    if tournament.started:
        stays = "It was cancelled; what was played stays."
        note(tournament, Decision.Kind.ENDED, "the tournament", stays, by=by)
    moment = now()
    tournament.state = Tournament.State.CANCELLED
    tournament.finished = moment
    tournament.save(update_fields=["state", "finished"])
    Trial.objects.filter(tournament=tournament, state=Trial.State.RUNNING).update(
        state=Trial.State.ABANDONED, finished=moment
    )
    void_unfinished(tournament, "The tournament was cancelled.")
    return tournament


def _seed(entries: list[Entry], tournament: Tournament) -> None:
    """Number the entries as the tournament's seeding has it."""
    order = list(entries)
    if tournament.seeding == Tournament.Seeding.RANDOM:
        order = shuffled(order, random.Random(f"seeding {tournament.seed}"))
    elif tournament.seeding == Tournament.Seeding.RATING:
        strength = _strengths(order, tournament)
        order.sort(key=lambda entry: -strength[entry.pk])
    for number, entry in enumerate(order, 1):
        entry.seeding = number
    Entry.objects.bulk_update(entries, ["seeding"], batch_size=200)


def _strengths(entries: list[Entry], tournament: Tournament) -> dict[int, float]:
    """The rating of each entry in the format's pool: the mean of its members'."""
    pool, _, _ = pools_of(tournament.format)
    rated = Rating.objects.filter(pool=pool, kind=Rating.Kind.ALL)
    known = {r.version_id: r.live if r.fitted is None else r.fitted for r in rated}
    return {
        entry.pk: fmean(known.get(version.pk, START) for _, version in entry.members())
        for entry in entries
    }
