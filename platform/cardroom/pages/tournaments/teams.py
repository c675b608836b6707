"""The entries tab: entries, pending agreements, and the choices of its forms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.http import HttpRequest

from bots.models import Bot
from cardroom.pages.common.current_user import logged_in_user
from cardroom.pages.tournaments import progress
from cardroom_base.core.whole_number import whole_number
from engine import Format
from engine.declarations import join_words
from tournaments import actions
from tournaments.access import may_withdraw
from tournaments.actions.entries import MAX_BOTS
from tournaments.actions.participation import entry_states, takes_entries
from tournaments.models import Entry, Mate, Tournament
from tournaments.organizing import organizes


@dataclass(frozen=True, slots=True)
class TeamMember:
    """A bot of an entry."""

    bot: Bot
    version: int
    agreed: bool
    """Whether its owner agrees that it plays in the team."""


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An entry, and the viewer's relation to it."""

    entry: Entry
    members: list[TeamMember]
    has_own_bot: bool
    """Whether the viewer owns one of its bots."""
    awaits_viewer: bool
    """Whether it waits for the viewer's agreement."""
    withdrawable: bool
    """Whether the viewer may withdraw it now."""

    @property
    def waits(self) -> bool:
        """Whether an owner has not agreed."""
        return not all(member.agreed for member in self.members)

    @property
    def owners(self) -> list[Any]:
        """The owners of its bots, each once; None stands for the site."""
        return list(dict.fromkeys(member.bot.owner for member in self.members))


def entered_bots(tournament: Tournament) -> set[int]:
    """The primary keys of the bots that have entered."""
    entries = Entry.objects.filter(tournament=tournament, withdrawn=None)
    mates = Mate.objects.filter(entry__in=entries, agreed=True)
    return {*entries.values_list("bot", flat=True), *mates.values_list("bot", flat=True)}


def entry_rows(user: Any, tournament: Tournament, entries: Iterable[Entry]) -> list[EntryRow]:
    """The rows of the entries tab."""
    may_leave = tournament.state in entry_states(tournament)
    return [_row(user, tournament, entry, may_leave=may_leave) for entry in entries]


def _row(user: Any, tournament: Tournament, entry: Entry, *, may_leave: bool) -> EntryRow:
    is_open = tournament.state == Tournament.State.OPEN
    agreed = [True, *(mate.agreed for mate in entry.mates.all())]
    members = []
    for (bot, version), has_agreed in zip(entry.members(), agreed, strict=True):
        current = bot.active_version if is_open and bot.active_version else version
        members.append(TeamMember(bot, current.number, has_agreed))
    own = [m for m in members if user.is_authenticated and m.bot.owner_id == user.pk]
    return EntryRow(
        entry=entry,
        members=members,
        has_own_bot=bool(own),
        awaits_viewer=may_leave and any(not member.agreed for member in own),
        withdrawable=may_leave
        and entry.withdrawn is None
        and _withdrawable(user, tournament, members),
    )


def _withdrawable(user: Any, tournament: Tournament, members: list[TeamMember]) -> bool:
    owners = {member.bot.owner_id for member in members}
    return bool(user.is_authenticated) and may_withdraw(tournament, owners, user)


def awaiting_agreement(user: Any) -> list[Entry]:
    """The teams that wait for the user's agreement."""
    states = (Tournament.State.OPEN, Tournament.State.RUNNING)  # bots enter ladders while they run
    waiting = Entry.objects.with_members().filter(
        mates__agreed=False,
        mates__bot__owner=user,
        withdrawn__isnull=True,
        tournament__state__in=states,
    )
    return list(waiting.select_related("tournament").distinct().order_by("-created"))


def seat_choices(user: Any, tournament: Tournament, candidates: list[Bot]) -> list[list[Bot]]:
    """The bots to choose from for each seat of a side; for the first seat, the user's bots.

    Omits bots that have entered already.
    """
    if not tournament.takes_teams or not candidates:
        return []
    fmt = Format.parse(tournament.format)
    listed = Bot.objects.listed().select_related("active_version", "owner").order_by("name")
    if not organizes(tournament, user):
        listed = listed.exclude(owner=None)
    others = [
        bot
        for bot in listed.exclude(pk__in=entered_bots(tournament))
        if bot.active_version
        and progress.plays_format(bot.active_version, fmt)
        and [bot] != candidates  # the only bot for the first seat
    ]
    return [candidates, *([others] * (tournament.team_size - 1))]


def candidates(user: Any, tournament: Tournament) -> list[Bot]:
    """The bots that the user can enter now: their own and, for organizers, house bots."""
    if not user.is_authenticated or tournament.state not in entry_states(tournament):
        return []
    owners = Q(owner=user) if takes_entries(tournament) else Q(pk=None)
    if organizes(tournament, user):
        owners |= Q(owner=None)
    bots = Bot.objects.listed().select_related("active_version").filter(owners)
    fmt, entered = Format.parse(tournament.format), entered_bots(tournament)
    return [
        bot
        for bot in bots.order_by("name")
        if bot.pk not in entered
        and bot.active_version
        and progress.plays_format(bot.active_version, fmt)
    ]


def has_entered(user: Any, tournament: Tournament) -> bool:
    """Whether a bot of the user has entered."""
    if not user.is_authenticated:
        return False
    return Bot.objects.filter(owner=user, pk__in=entered_bots(tournament)).exists()


def selected_bots(request: HttpRequest, tournament: Tournament) -> list[Bot]:
    """The bots selected in the form, or all house bots that can enter."""
    if request.POST.get("all") == "house":
        return [bot for bot in candidates(request.user, tournament) if bot.is_house]
    slugs = list(dict.fromkeys(request.POST.getlist("bots")[: MAX_BOTS + 1]))
    bots = {bot.slug: bot for bot in Bot.objects.filter(slug__in=slugs)}
    if any(slug not in bots for slug in slugs):
        raise actions.ActionError("Choose bots from the list.")
    return [bots[slug] for slug in slugs]


def enter(request: HttpRequest, tournament: Tournament) -> str:
    """Enter the team in the form; return the message."""
    slugs = request.POST.getlist("bots")
    bots = {bot.slug: bot for bot in Bot.objects.filter(slug__in=slugs)}
    if not slugs or any(slug not in bots for slug in slugs):
        raise actions.ActionError("Choose a bot for each seat.")
    team = [bots[slug] for slug in slugs]
    name, category = (request.POST.get(key, "") for key in ("name", "category"))
    entry = actions.enter_team(tournament, team, logged_in_user(request), name, category)
    names = [mate.bot.name for mate in entry.mates.select_related("bot") if not mate.agreed]
    if names:
        owners = f"the owner of {names[0]} agrees"
        if len(names) > 1:
            owners = f"the owners of {join_words(names)} agree"
        return f"{entry.title} will be entered once {owners}."
    return f"{entry.title} has been entered."


def agree(request: HttpRequest, tournament: Tournament) -> str:
    """Let the user's bot play in a team; return the message."""
    entry = _entry(request, tournament)
    actions.agree(entry, logged_in_user(request))
    return f"Your bot now plays in {entry.title}."


def withdraw(request: HttpRequest, tournament: Tournament) -> str:
    """Withdraw a team; return the message."""
    entry = _entry(request, tournament)
    title = entry.title
    actions.withdraw_team(entry, logged_in_user(request))
    return f"{title} has been withdrawn."


def _entry(request: HttpRequest, tournament: Tournament) -> Entry:
    number = whole_number(request.POST.get("entry")) or 0
    entry = tournament.entries.filter(number=number).first()
    if entry is None:
        raise actions.ActionError("That team is no longer in the list.")
    return entry
