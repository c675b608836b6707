"""Joining a running ladder, and leaving a running tournament."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Max

from bots.models import Bot, BotVersion
from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import now
from tournaments.actions.decision_log import log_decision
from tournaments.actions.entrants import tell_own
from tournaments.actions.results import retire
from tournaments.actions.rounds import advance_soon
from tournaments.models import Decision, Entry, Match, Tournament

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def may_enter(tournament: Tournament) -> tuple[Tournament.State, ...]:
    """The states in which bots may enter it."""
    if tournament.by_rating:
        return Tournament.State.OPEN, Tournament.State.RUNNING
    return (Tournament.State.OPEN,)


def join(tournament: Tournament, bot: Bot, version: BotVersion) -> Entry:
    """Take a bot into a running ladder, or take it back; the caller has locked and checked."""
    entry = tournament.entries.filter(bot=bot).first()
    if entry is not None and entry.withdrawn is None:
        raise ActionError(f"{bot.name} has entered already.", "duplicate", "bot")
    if entry is None:
        entry = Entry.objects.create(
            tournament=tournament, bot=bot, version=version, **next_place(tournament)
        )
    else:
        come_back(entry)
    pair_soon(tournament, entry)
    return entry


def next_place(tournament: Tournament) -> dict[str, int]:
    """Number and, on a running ladder, seed of the next entry."""
    last = tournament.entries.aggregate(number=Max("number"), seeding=Max("seeding"))
    place = {"number": (last["number"] or 0) + 1}
    if tournament.state == Tournament.State.RUNNING:
        place["seeding"] = (last["seeding"] or 0) + 1
    return place


def come_back(entry: Entry) -> None:
    """Pair a withdrawn entry again; a new version is noticed when it is paired."""
    entry.withdrawn = None
    entry.save(update_fields=["withdrawn"])


def pair_soon(tournament: Tournament, entry: Entry) -> None:
    """Let the ladder go on with the new entries, once they are committed."""
    tell_own(tournament, tournament.entries.filter(pk=entry.pk))
    advance_soon(tournament.pk)


def leave(entry: Entry, by: User | None) -> None:
    """No longer pair an entry; the caller has locked the tournament and checked.

    What it has played stays, and what is being played is played to the end. On a ladder, pairings
    of which nothing has been played are given up; elsewhere they are needed for the result.
    """
    tournament = entry.tournament
    if stays := next((system for system in tournament.systems() if not system.leaving), None):
        raise ActionError(
            f"In a {stays.title}, everybody who has started is needed until the end; "
            "the organizer may void matches.",
            "conflict",
        )
    if entry.withdrawn:
        raise ActionError(f"{entry.title} has withdrawn already.", "conflict", "bot")
    entry.withdrawn = now()
    entry.save(update_fields=["withdrawn"])
    reason = "Its author took it out."
    if by is None or all(bot.owner_id != by.pk for bot, _ in entry.members()):
        reason = "The organizer took it out."
    log_decision(tournament, Decision.Kind.WITHDRAWN, entry.title, reason, by=by)
    if tournament.by_rating:
        _give_up(tournament, entry)
    advance_soon(tournament.pk)


def _give_up(tournament: Tournament, entry: Entry) -> None:
    """Retire its deal groups of which nothing has been played."""
    waits = tournament.matches.filter(state=Match.State.WAITING, seats__entry=entry)
    begun = (Match.State.PLAYING, Match.State.FINISHED, Match.State.STUCK)
    deal_groups = tournament.deal_groups.filter(pk__in=waits.values("deal_group")).exclude(
        matches__state__in=begun
    )
    retire(tournament, deal_groups, f"{entry.title} has withdrawn.")
