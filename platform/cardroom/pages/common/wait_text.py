"""Tells in one line how many matches wait, for how long, and why."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from bots.models import Bot
from cardroom.display.numbers import rough_duration
from tournaments.models import Entry, Match, Tournament
from tournaments.queue.waits import Wait, tournament_wait
from tournaments.visibility import AnyViewer, visible_to

MAX_TOURNAMENTS = 2
"""The maximum number of tournaments whose waits a bot's page shows."""


@dataclass(frozen=True, slots=True)
class BotWait:
    """A tournament of a bot in which matches wait, and the reason."""

    tournament: Tournament
    text: str


def tournament_wait_text(tournament: Tournament, *, organizer: bool = False) -> str:
    """Why a tournament's matches wait; empty if none waits. Organizers also see the causes of
    failures."""
    return wait_text(tournament_wait(tournament, organizer=organizer))


def bot_waits(bot: Bot, viewer: AnyViewer) -> list[BotWait]:
    """The bot's running tournaments in which matches wait, if the viewer may see them. The last
    started comes first."""
    waiting = Match.objects.filter(tournament=OuterRef("tournament"), state=Match.State.WAITING)
    entries = Entry.objects.filter(
        Q(bot=bot) | Q(mates__bot=bot),
        Exists(waiting),
        withdrawn__isnull=True,
        tournament__state=Tournament.State.RUNNING,
    ).order_by()
    visible = visible_to(viewer).listed()
    running = visible.filter(pk__in=entries.values("tournament")).order_by("-started", "-pk")
    return [
        BotWait(tournament, tournament_wait_text(tournament))
        for tournament in running[:MAX_TOURNAMENTS]
    ]


def wait_text(wait: Wait) -> str:
    """How many matches wait, for how long, and why; only the reason if none waits."""
    if not wait.waiting:
        return wait.reason
    count = "One match" if wait.waiting == 1 else f"{wait.waiting:,} matches"
    how_long = "unknown time" if wait.seconds is None else rough_duration(wait.seconds)
    return f"{count} in the queue, {how_long}. {wait.reason}"
