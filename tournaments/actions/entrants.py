"""Finalize the entries of a tournament at its start: their versions and seeds."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from django.db.models import Q, QuerySet

from bots.models import Bot
from cardroom_base.core.errors import ActionError
from engine import Format
from tournaments.actions.decision_log import log_decision
from tournaments.actions.versions import plays_format
from tournaments.course.stages import check_entrants
from tournaments.models import Decision, Entry, Mate, Tournament
from tournaments.pairing.designs import shuffled
from tournaments.reading.strengths import strengths

BATCH = 200
"""Rows per statement."""


def finalize_entries(tournament: Tournament) -> None:
    """Set the versions and seeds of all entries; the caller has locked the tournament.

    Removes teams whose bots' owners have not all agreed. ActionError if too few entries remain for
    the format or a stage.
    """
    entries_with_bots = tournament.entries.select_related("bot__active_version")
    candidates = entries_with_bots.prefetch_related("mates__bot__active_version").order_by("number")
    entries = []
    for entry in candidates:
        if names := ", ".join(bot.name for bot in entry.bots_without_agreement()):
            _remove_team(entry, names)
        else:
            entries.append(entry)
    mates = [mate for entry in entries for mate in entry.mates.all()]
    _set_versions(tournament, [*entries, *mates])
    _assign_seeds(tournament, entries)
    try:
        check_entrants(tournament.plans(), len(entries), tournament.entries_at_a_table)
    except ValueError as error:
        raise ActionError(f"{tournament.name} cannot start: {error}", "conflict") from error
    Entry.objects.bulk_update(entries, ["version", "seeding"], batch_size=BATCH)
    Mate.objects.bulk_update(mates, ["version"], batch_size=BATCH)
    log_own_bots(tournament, tournament.entries.all())


def _remove_team(entry: Entry, names: str) -> None:
    """Remove a team and log it. `names`: its bots whose owners have not agreed."""
    reason = f"Not all owners had agreed by the start. Still missing: the owners of {names}."
    subject = f"the team {entry.title}"[:200]
    log_decision(entry.tournament, Decision.Kind.WITHDRAWN, subject, reason)
    entry.delete()


def _set_versions(tournament: Tournament, members: Iterable[Entry | Mate]) -> None:
    """Give each member its bot's active version if that plays the format; else keep its version."""
    fmt = Format.parse(tournament.format)
    for member in members:
        active = member.bot.active_version
        if active is not None and plays_format(active, fmt):
            member.version = active


def _assign_seeds(tournament: Tournament, entries: Sequence[Entry]) -> None:
    """Number the entries in the order of the tournament's seeding."""
    order = list(entries)
    if tournament.seeding == Tournament.Seeding.RANDOM:
        order = shuffled(order, random.Random(f"seeding {tournament.seed}"))
    elif tournament.seeding == Tournament.Seeding.RATING:
        entries_and_strengths = zip(order, strengths(tournament, order), strict=True)
        order = [
            entry for entry, _ in sorted(entries_and_strengths, key=lambda pair: -pair[1].rating)
        ]
    for number, entry in enumerate(order, 1):
        entry.seeding = number


def log_own_bots(tournament: Tournament, entries: QuerySet[Entry]) -> None:
    """Log the organizers' own bots among these entries."""
    in_entries = Q(entries__in=entries) | Q(mates__entry__in=entries)
    own_bots = Bot.objects.filter(in_entries, owner__in=tournament.organizer_keys)
    names = list(own_bots.distinct().order_by("name").values_list("name", flat=True))
    if names:
        reason = "An organizer has a bot in the tournament."
        log_decision(tournament, Decision.Kind.CONFLICT_OF_INTEREST, ", ".join(names)[:200], reason)


def entry_of(tournament: Tournament, bot: Bot) -> Entry | None:
    """The bot's entry in this tournament.

    Ignores withdrawn entries and teams that its owner has not agreed to join.
    """
    takes_part = Q(bot=bot) | Q(mates__bot=bot, mates__agreed=True)
    return tournament.entries.filter(takes_part, withdrawn__isnull=True).distinct().first()
