"""Enter and withdraw fixed teams, and agree to play in one.

An author enters a team with one of their own bots; the organizer may add house bots. The owners of
the other bots must agree; a team without the agreement of all is removed at the start. A bot may be
asked to join several teams, but plays in one entry only. Teams may join and leave a running ladder;
a team that returns is the same entry as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.db import transaction

from bots.access import refuse_quarantined
from bots.models import Bot, BotVersion
from cardroom_base.core.errors import ActionError
from cardroom_base.db.retired_names import refuse_retired
from tournaments.access import lock_tournament, may_withdraw, refuse_too_many_entries, refuse_unless
from tournaments.actions.categories import set_category
from tournaments.actions.entrants import entry_of
from tournaments.actions.entries import refuse_other_format
from tournaments.actions.names import checked_team_name
from tournaments.actions.notifying import notify_invited
from tournaments.actions.participation import (
    entry_states,
    next_place,
    pair_soon,
    readmit,
    refuse_entry,
    withdraw_entry,
)
from tournaments.models import Entry, Mate, Tournament
from tournaments.organizing import organizes

if TYPE_CHECKING:
    from django.contrib.auth.models import User

MAX_NAME = 80
"""Maximum number of characters in a team's name."""


@transaction.atomic
def enter_team(
    tournament: Tournament,
    bots: Sequence[Bot],
    by: User | None,
    name: str = "",
    category: str = "",
) -> Entry:
    """Enter a team; bots of other owners wait for their agreement.

    The bots take the seats in their order, except that the first must be one of `by`'s own.
    """
    tournament = lock_tournament(tournament)
    only_house_bots = organizes(tournament, by) and all(bot.is_house for bot in bots)
    refuse_entry(tournament, by_organizer=by is None or only_house_bots)
    _refuse_size(tournament, bots)
    by_key = Bot.objects.select_related("active_version", "owner").in_bulk([bot.pk for bot in bots])
    team = sorted((by_key[bot.pk] for bot in bots), key=lambda bot: not _may_seat(bot, by))
    if not _may_seat(team[0], by):
        raise ActionError("Enter a team with a bot of your own.", "forbidden", "bots")
    versions = {bot.pk: _playable_version(bot, tournament, by) for bot in team}
    refuse_too_many_entries(tournament, team, by)
    entry = _returning_entry(tournament, team, by)
    if entry is None:
        team = _with_free_leader(tournament, team, by)
        entry = Entry.objects.create(
            tournament=tournament,
            bot=team[0],
            version=versions[team[0].pk],
            name=_chosen_name(tournament, name),
            **next_place(tournament),
        )
        Mate.objects.bulk_create(
            Mate(
                entry=entry,
                index=index,
                bot=bot,
                version=versions[bot.pk],
                agreed=_may_seat(bot, by),
            )
            for index, bot in enumerate(team)
            if index
        )
    else:
        readmit(entry)
        for mate in entry.mates.select_related("bot"):
            mate.agreed = _may_seat(mate.bot, by)
            mate.save(update_fields=["agreed"])
    notify_invited(tournament, entry.pk, [bot for bot in team if not _may_seat(bot, by)], by)
    set_category(tournament, entry, category)
    _pair_if_agreed(tournament, entry)
    return entry


def _chosen_name(tournament: Tournament, name: str) -> str:
    """The name for a new team; ActionError if it is taken, invalid or retired."""
    name = checked_team_name(tournament, name, MAX_NAME)
    if name:
        refuse_retired(name)
    return name


def _returning_entry(tournament: Tournament, team: Sequence[Bot], by: User | None) -> Entry | None:
    """The withdrawn entry of these bots on a ladder, if a bot of `by` leads it."""
    leaders = [bot for bot in team if _may_seat(bot, by)]
    for entry in tournament.entries.filter(bot__in=leaders, withdrawn__isnull=False):
        if {bot.pk for bot, _ in entry.members()} == {bot.pk for bot in team}:
            return entry
    return None


def _with_free_leader(tournament: Tournament, team: list[Bot], by: User | None) -> list[Bot]:
    """The team, led by a bot that leads no other entry, even a withdrawn one."""
    leaders = set(tournament.entries.filter(bot__in=team).values_list("bot", flat=True))
    team = sorted(team, key=lambda bot: bot.pk in leaders)
    if team[0].pk in leaders or not _may_seat(team[0], by):
        names = " and ".join(bot.name for bot in team if bot.pk in leaders)
        raise ActionError(
            f"{names} entered with another team earlier. Enter that team again, or a team led by "
            "another bot of yours.",
            "conflict",
            "bots",
        )
    return team


def _pair_if_agreed(tournament: Tournament, entry: Entry) -> None:
    """On a running ladder, pair a team once all owners have agreed."""
    if tournament.state == Tournament.State.RUNNING and not entry.bots_without_agreement():
        pair_soon(tournament, entry)


@transaction.atomic
def agree(entry: Entry, by: User | None) -> Entry:
    """Record the agreement of `by` that their bots play in a team."""
    tournament, entry = _lock_team(entry)
    refuse_unless(tournament, "entered", *entry_states(tournament))
    mates = list(entry.mates.filter(agreed=False).select_related("bot__owner"))
    own_mates = [mate for mate in mates if _may_seat(mate.bot, by)]
    if not own_mates:
        raise ActionError(f"{entry.title} is not waiting for a bot of yours.", "forbidden")
    refuse_too_many_entries(tournament, [mate.bot for mate in own_mates], by)
    for mate in own_mates:
        refuse_quarantined(mate.bot)
        _refuse_entered(mate.bot, tournament)
        mate.agreed = True
    Mate.objects.bulk_update(own_mates, ["agreed"])
    _pair_if_agreed(tournament, entry)
    return entry


@transaction.atomic
def withdraw_team(entry: Entry, by: User | None) -> None:
    """Withdraw a team; its bots' owners and the organizer may do so (`access.may_withdraw`).

    After the start its results stay, and it is no longer paired.
    """
    tournament, entry = _lock_team(entry)
    states = Tournament.State.OPEN, Tournament.State.RUNNING
    refuse_unless(tournament, "left", *states)
    owners = {bot.owner_id for bot, _ in entry.members()}
    if not may_withdraw(tournament, owners, by):
        raise ActionError(f"{entry.title} is not yours to withdraw.", "forbidden")
    took_part = not entry.bots_without_agreement() or entry.deal_group_sides.exists()
    if tournament.state == Tournament.State.RUNNING and took_part:
        withdraw_entry(entry, by)
    else:
        entry.delete()


def _lock_team(entry: Entry) -> tuple[Tournament, Entry]:
    """The locked tournament, and the team as it is now."""
    tournament = lock_tournament(entry.tournament)
    current_entry = tournament.entries.select_related("bot").filter(pk=entry.pk).first()
    if current_entry is None:
        raise ActionError(f"{entry.title} is no longer in {tournament.name}.", "conflict")
    return tournament, current_entry


def _may_seat(bot: Bot, by: User | None) -> bool:
    """Whether `by` may seat this bot without another user's agreement: it is their own or a house
    bot."""
    return by is None or bot.owner_id is None or bot.owner_id == by.pk


def _refuse_size(tournament: Tournament, bots: Sequence[Bot]) -> None:
    if not tournament.takes_teams:
        raise ActionError(f"{tournament.name} accepts single bots, not teams.", field="bots")
    size = tournament.team_size
    if len(bots) != size or len({bot.pk for bot in bots}) != size:
        raise ActionError(
            f"A team here has {size} different bots, one for each seat of a side.", field="bots"
        )


def _playable_version(bot: Bot, tournament: Tournament, by: User | None) -> BotVersion:
    """The bot's version for this tournament; ActionError if it cannot take part."""
    if bot.is_house and not organizes(tournament, by):
        raise ActionError("Only organizers and staff can enter house bots.", "forbidden", "bots")
    refuse_quarantined(bot)
    version = bot.active_version
    if version is None:
        raise ActionError(f"{bot.name} has no version that passed a check.", "conflict", "bots")
    refuse_other_format(version, tournament)
    _refuse_entered(bot, tournament)
    return version


def _refuse_entered(bot: Bot, tournament: Tournament) -> None:
    if entry_of(tournament, bot) is not None:
        raise ActionError(f"{bot.name} has already entered.", "duplicate", "bots")
