"""Enter and withdraw entries of a running tournament."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Max

from bots.models import Bot, BotVersion
from cardroom_base.core.errors import ActionError
from cardroom_base.db.db_time import Now, now
from tournaments.access import refuse_unless
from tournaments.actions.deal_groups import refuse_too_many
from tournaments.actions.decision_log import log_decision
from tournaments.actions.entrants import log_own_bots
from tournaments.actions.rounds import advance_soon, refuse_impossible_stages
from tournaments.actions.voiding import retire
from tournaments.course.course import Division
from tournaments.models import Decision, Entry, Match, Tournament
from tournaments.reading.course import course

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def entry_states(tournament: Tournament) -> tuple[Tournament.State, ...]:
    """The states in which bots may enter the tournament."""
    takes_late = tournament.late and not tournament.takes_teams
    if (tournament.is_ladder or takes_late) and not tournament.stopped:
        return Tournament.State.OPEN, Tournament.State.RUNNING
    return (Tournament.State.OPEN,)


def takes_entries(tournament: Tournament) -> bool:
    """Whether its state and its times allow bots to enter now."""
    return tournament.state in entry_states(tournament) and not _why_closed(tournament)


def refuse_entry(tournament: Tournament, *, by_organizer: bool) -> None:
    """ActionError if bots cannot enter now; the times for entries do not bind the organizer, who
    enters house bots (`by_organizer`)."""
    refuse_unless(tournament, "entered", *entry_states(tournament))
    if not by_organizer and (reason := _why_closed(tournament)):
        raise ActionError(f"{tournament.name}: {reason}", "conflict")


def _why_closed(tournament: Tournament) -> str:
    """Why bots cannot enter now; empty if they can."""
    if tournament.hidden:
        return "the moderators have hidden it."
    opens, closes, moment = tournament.entries_from, tournament.entries_until, now()
    if opens is not None and moment < opens:
        return f"entries open at {opens:%Y-%m-%d %H:%M} UTC."
    if closes is not None and moment >= closes:
        return f"entries closed at {closes:%Y-%m-%d %H:%M} UTC."
    return ""


def enter_running(tournament: Tournament, bot: Bot, version: BotVersion) -> Entry:
    """Enter a bot in a running tournament, or readmit it to a ladder.

    The caller has locked the tournament and checked everything else.
    """
    entry = tournament.entries.filter(bot=bot).first()
    if entry is not None and entry.withdrawn is None:
        raise ActionError(f"{bot.name} has already entered.", "duplicate", "bot")
    if not tournament.is_ladder:
        return _enter_late(tournament, bot, version, entry)
    if entry is None:
        entry = Entry.objects.create(
            tournament=tournament, bot=bot, version=version, **next_place(tournament)
        )
    else:
        readmit(entry)
    pair_soon(tournament, entry)
    return entry


def _enter_late(
    tournament: Tournament, bot: Bot, version: BotVersion, old_entry: Entry | None
) -> Entry:
    """Enter a bot from the next round on. `old_entry`: its withdrawn entry, if any."""
    if old_entry is not None:
        raise ActionError(
            f"{bot.name} has left {tournament.name}; only a ladder accepts bots that have left.",
            "conflict",
            "bot",
        )
    (division,) = next(course(tournament, for_pairing=True))
    takes_late = division.system.late
    if takes_late is None or not takes_late(division.state):
        raise ActionError(
            f"{tournament.name} has no further round for a late entrant.", "conflict", "bot"
        )
    rounds = len(division.state.rounds)
    entry = Entry.objects.create(
        tournament=tournament, bot=bot, version=version, late=rounds, **next_place(tournament)
    )
    _refuse_too_large(tournament, division)
    reason = f"It plays from round {rounds + 1} on; earlier rounds give it no points."
    log_decision(tournament, Decision.Kind.LATE, entry.title, reason)
    pair_soon(tournament, entry)
    return entry


def _refuse_too_large(tournament: Tournament, division: Division) -> None:
    """ActionError if the next round or a later stage cannot be paired with a late entrant, which
    has just been created. `division`: without it."""
    state = division.state
    present = state.entrants if state.present is None else len(state.present)
    pairings = (present + 1) // state.seats
    try:
        refuse_too_many(pairings * state.groups * state.sides)
        refuse_impossible_stages(tournament)
    except ActionError as error:
        raise ActionError(
            f"{tournament.name} is full: with another bot, it could not be played to its end. "
            f"{error}",
            "conflict",
            "bot",
        ) from error


def next_place(tournament: Tournament) -> dict[str, int]:
    """The number of the next entry and, after the start, its seed."""
    last = tournament.entries.aggregate(number=Max("number"), seeding=Max("seeding"))
    place = {"number": (last["number"] or 0) + 1}
    if tournament.state == Tournament.State.RUNNING:
        place["seeding"] = (last["seeding"] or 0) + 1
    return place


def readmit(entry: Entry) -> None:
    """Let a withdrawn entry be paired again; the next pairing also updates its version."""
    entry.withdrawn = None
    entry.save(update_fields=["withdrawn"])


def pair_soon(tournament: Tournament, entry: Entry) -> None:
    """Advance the tournament with a new entry, once this transaction is committed."""
    log_own_bots(tournament, tournament.entries.filter(pk=entry.pk))
    advance_soon(tournament.pk)


def withdraw_entry(entry: Entry, by: User | None) -> None:
    """Withdraw an entry from further pairings; the caller has locked the tournament.

    Results stay, and begun matches are played. On a ladder, pairings that have not begun are
    retired; elsewhere the result needs them.
    """
    tournament = entry.tournament
    if blocker := next(
        (system for system in tournament.systems() if not system.allows_leaving), None
    ):
        raise ActionError(
            f"A {blocker.title} needs all entries until the end; the organizer may void matches.",
            "conflict",
        )
    if entry.withdrawn:
        raise ActionError(f"{entry.title} has already withdrawn.", "conflict", "bot")
    # By the clock that dates the matches: only rounds paired before it are byes (`departures_of`).
    entry.withdrawn = Now()
    entry.save(update_fields=["withdrawn"])
    entry.refresh_from_db(fields=["withdrawn"])
    reason = "Its author withdrew it."
    if by is None or all(bot.owner_id != by.pk for bot, _ in entry.members()):
        reason = "The organizer withdrew it."
    log_decision(tournament, Decision.Kind.WITHDRAWN, entry.title, reason, by=by)
    if tournament.is_ladder:
        retire_waiting(tournament, entry, f"{entry.title} has withdrawn.")
    advance_soon(tournament.pk)


def retire_waiting(tournament: Tournament, entry: Entry, reason: str) -> None:
    """Retire the entry's deal groups that have not begun; the caller has locked the tournament."""
    waiting = tournament.matches.filter(state=Match.State.WAITING, seats__entry=entry)
    begun_states = (Match.State.PLAYING, Match.State.FINISHED, Match.State.STUCK)
    deal_groups = tournament.deal_groups.filter(pk__in=waiting.values("deal_group")).exclude(
        matches__state__in=begun_states
    )
    retire(tournament, deal_groups, reason)
