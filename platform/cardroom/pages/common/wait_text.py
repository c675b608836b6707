"""One line of text on why matches wait and how long."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from bots.models import Bot
from cardroom.display.numbers import rough_duration
from tournaments.models import Entry, Match, Tournament
from tournaments.queue.waits import Wait, tournament_wait
from tournaments.visibility import AnyViewer, visible_to

MOST = 2
"""The most tournaments that a bot's page lists."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A tournament in which a bot waits, and the reason."""

    tournament: Tournament
    line: str


def of_tournament(tournament: Tournament, *, organizer: bool = False) -> str:
    """Why a tournament's matches wait; the organizer also sees causes. Empty if none waits."""
    return line(tournament_wait(tournament, organizer=organizer))


def of_bot(bot: Bot, viewer: AnyViewer) -> list[Waiting]:
    """Running tournaments that the viewer may see and in which a bot's matches wait; the last
    begun first."""
    waiting = Match.objects.filter(tournament=OuterRef("tournament"), state=Match.State.WAITING)
    entries = Entry.objects.filter(
        Q(bot=bot) | Q(mates__bot=bot),
        Exists(waiting),
        withdrawn__isnull=True,
        tournament__state=Tournament.State.RUNNING,
    ).order_by()
    visible = visible_to(viewer).listed()
    running = visible.filter(pk__in=entries.values("tournament")).order_by("-started", "-pk")[:MOST]
    return [Waiting(tournament, of_tournament(tournament)) for tournament in running]


def line(wait: Wait) -> str:
    """How many matches wait, how long, and why; empty if none waits. Pure."""
    if not wait.waiting:
        return wait.reason
    count = "One match" if wait.waiting == 1 else f"{wait.waiting:,} matches"
    how_long = "unknown time" if wait.seconds is None else rough_duration(wait.seconds)
    return f"{count} in the queue, {how_long}. {wait.reason}"
