"""Enter and withdraw bots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from django.db import transaction

from bots.access import refuse_quarantined
from bots.models import Bot, BotVersion
from bots.package.manifest import describe
from cardroom_base.core.errors import ActionError
from engine import Format
from tournaments.access import lock_tournament, may_withdraw, refuse_too_many_entries, refuse_unless
from tournaments.actions.categories import set_category
from tournaments.actions.participation import (
    enter_running,
    next_place,
    refuse_entry,
    withdraw_entry,
)
from tournaments.actions.versions import plays_format
from tournaments.models import Entry, Tournament
from tournaments.organizing import organizes

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def enter(tournament: Tournament, bot: Bot, by: User | None, category: str = "") -> Entry:
    """Enter a bot. Only its owner may; the organizer enters house bots.

    A ladder, and a Swiss with late entry, also accept bots while they run.
    """
    tournament = lock_tournament(tournament)
    refuse_entry(
        tournament, by_organizer=by is None or (bot.is_house and organizes(tournament, by))
    )
    if tournament.takes_teams:
        size = tournament.team_size
        raise ActionError(f"{tournament.name} takes teams of {size} bots.", "conflict", "bot")
    bot = Bot.objects.select_related("active_version").get(pk=bot.pk)
    _refuse_foreign(bot, tournament, by)
    refuse_quarantined(bot)
    version = bot.active_version
    if version is None:
        raise ActionError(f"{bot.name} has no version that passed a check.", "conflict", "bot")
    refuse_other_format(version, tournament)
    refuse_too_many_entries(tournament, [bot], by)
    if tournament.state == Tournament.State.RUNNING:
        return set_category(tournament, enter_running(tournament, bot, version), category)
    if tournament.entries.filter(bot=bot).exists():
        raise ActionError(f"{bot.name} has already entered.", "duplicate", "bot")
    place = next_place(tournament)
    entry = Entry.objects.create(tournament=tournament, bot=bot, version=version, **place)
    return set_category(tournament, entry, category)


MAX_BOTS: Final = 200
"""Maximum number of bots in a call of `enter_many`."""


@transaction.atomic
def enter_many(
    tournament: Tournament, bots: Sequence[Bot], by: User | None, category: str = ""
) -> list[Entry]:
    """Enter each of these bots on its own; ActionError, and none is entered, if one cannot be."""
    if not bots:
        raise ActionError("Tick the bots to enter.", field="bots")
    if len(bots) > MAX_BOTS:
        raise ActionError(f"Enter at most {MAX_BOTS} bots at a time.", field="bots")
    return [enter(tournament, bot, by, category) for bot in bots]


@transaction.atomic
def withdraw(tournament: Tournament, bot: Bot, by: User | None) -> None:
    """Withdraw a bot; its owner and the organizer may do so (`access.may_withdraw`).

    After the start its results stay, and it is no longer paired.
    """
    tournament = lock_tournament(tournament)
    refuse_unless(tournament, "left", Tournament.State.OPEN, Tournament.State.RUNNING)
    if not may_withdraw(tournament, {bot.owner_id}, by):
        raise ActionError(f"{bot.name} is not yours to withdraw.", "forbidden", "bot")
    entry = tournament.entries.filter(bot=bot).first()
    if entry is None:
        raise ActionError(f"{bot.name} has not entered {tournament.name}.", field="bot")
    if tournament.state == Tournament.State.RUNNING:
        withdraw_entry(entry, by)
    else:
        entry.delete()


def _refuse_foreign(bot: Bot, tournament: Tournament, by: User | None) -> None:
    if by is None or bot.owner_id == by.pk:
        return
    if not bot.is_house:
        raise ActionError(
            f"{bot.name} is not yours; only its owner can enter it.", "forbidden", "bot"
        )
    if not organizes(tournament, by):
        raise ActionError("Only organizers and staff can enter house bots.", "forbidden", "bot")


def refuse_other_format(version: BotVersion, tournament: Tournament) -> None:
    fmt = Format.parse(tournament.format)
    if not plays_format(version, fmt):
        raise ActionError(
            f"{version.bot.name} does not play {fmt.words}; it plays {describe(version.formats)}.",
            "conflict",
            "bot",
        )
