"""Writes the texts of notifications when an account reads them, or when they are sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from django.urls import reverse

from bots.models import Bot, BotVersion, WorkerNode
from cardroom_base.models import Notification, WebhookDelivery
from tournaments.models import Announcement, Entry, Tournament
from tournaments.visibility import Viewer, visible_to

Kind = Notification.Kind

HIDDEN_TEXT: Final = "About something that is gone or that you may no longer see."


@dataclass(frozen=True, slots=True)
class WordedNotification:
    """A notification with its text for one viewer."""

    id: int
    kind: str
    at: datetime
    read: datetime | None
    text: str
    address: str
    """The path of the page that it is about; empty if there is none."""


def word_notifications(rows: Iterable[Notification], viewer: Viewer) -> list[WordedNotification]:
    """The notifications with the texts that the viewer may read now. Any number of notifications
    takes the same few queries."""
    rows = list(rows)
    subjects = _Subjects.of(rows, viewer)
    return [
        WordedNotification(row.pk, row.kind, row.at, row.read, *subjects.text_and_address(row))
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class _Subjects:
    """The subjects of notifications that the viewer may see, by primary key."""

    tournaments: Mapping[int, Tournament]
    bots: Mapping[int, Bot]
    versions: Mapping[int, BotVersion]
    deliveries: Mapping[int, WebhookDelivery]
    workers: Mapping[int, WorkerNode]
    """By the number of the incident."""
    announcements: Mapping[int, Announcement]
    teams: Mapping[int, Entry]

    @classmethod
    def of(cls, rows: Sequence[Notification], viewer: Viewer) -> _Subjects:
        def keys(kind: Kind) -> set[int]:
            return {row.subject for row in rows if row.kind == kind}

        unhealthy = WorkerNode.objects.none()
        if viewer.is_staff and keys(Kind.UNHEALTHY):
            unhealthy = WorkerNode.objects.exclude(trouble="")
        return cls(
            visible_to(viewer).in_bulk({row.tournament for row in rows if row.tournament}),
            Bot.objects.in_bulk(keys(Kind.FAULT)),
            BotVersion.objects.select_related("bot").in_bulk(keys(Kind.CHECKED)),
            WebhookDelivery.objects.select_related("webhook").in_bulk(keys(Kind.WEBHOOK)),
            {node.incident: node for node in unhealthy},
            Announcement.objects.in_bulk(keys(Kind.ANNOUNCED)),
            Entry.objects.in_bulk(keys(Kind.TEAM)),
        )

    def text_and_address(self, row: Notification) -> tuple[str, str]:
        """The text of a notification, and the path of the page that it is about."""
        if row.kind == Kind.CHECKED and (version := self.versions.get(row.subject)):
            text = f"{version.bot.name} {version.number}: {_VERDICTS[version.status]}."
            return text, reverse("check", args=[version.bot.slug, version.number])
        if row.kind == Kind.WEBHOOK and (delivery := self.deliveries.get(row.subject)):
            host = urlsplit(delivery.webhook.url).hostname
            text = f"Your webhook at {host} was switched off: deliveries to it failed."
            return text, reverse("webhook", args=[delivery.webhook_id])
        if row.kind == Kind.UNHEALTHY:
            worker = self.workers.get(row.subject)
            text = "A worker was unhealthy." if worker is None else f"{worker.name} is unhealthy."
            return text, reverse("status")
        if tournament := self.tournaments.get(row.tournament):
            return self._about_tournament(tournament, row)
        return HIDDEN_TEXT, ""

    def _about_tournament(self, tournament: Tournament, row: Notification) -> tuple[str, str]:
        matches = reverse("tournament-matches", args=[tournament.slug])
        if row.kind == Kind.FAULT:
            bot = self.bots.get(row.subject)
            if bot is None:
                return HIDDEN_TEXT, ""
            return f"{bot.name} committed its first fault in {tournament.name}.", matches
        address = reverse("tournament", args=[tournament.slug])
        if row.kind == Kind.ANNOUNCED and row.subject not in self.announcements:
            return HIDDEN_TEXT, ""
        if row.kind == Kind.TEAM and row.subject not in self.teams:
            return HIDDEN_TEXT, ""
        if row.kind == Kind.ANNOUNCED:
            address += f"#announcement-{row.subject}"
        elif row.kind == Kind.TEAM:
            address = reverse("entries", args=[tournament.slug])
        elif row.kind == Kind.OFFERED:
            address = reverse("conditions", args=[tournament.slug]) + "#organizers"
        elif row.kind == Kind.STUCK:
            address = f"{matches}?state=stuck"
        return _TEXTS[Kind(row.kind)](tournament), address


def _ended_text(tournament: Tournament) -> str:
    cancelled = tournament.state == Tournament.State.CANCELLED
    return f"{tournament.name} {'was cancelled' if cancelled else 'has ended'}."


_TEXTS: Final[Mapping[Kind, Callable[[Tournament], str]]] = {
    Kind.OPENED: lambda cup: f"{cup.name} is open for entries.",
    Kind.STARTED: lambda cup: f"{cup.name} has started.",
    Kind.ENDED: _ended_text,
    Kind.ANNOUNCED: lambda cup: f"There is a new announcement in {cup.name}.",
    Kind.TEAM: lambda cup: f"One of your bots has been invited to join a team in {cup.name}.",
    Kind.OFFERED: lambda cup: f"You are offered to become the organizer of {cup.name}.",
    Kind.STUCK: lambda cup: f"Matches of {cup.name} are stuck.",
}
_VERDICTS: Final[Mapping[str, str]] = {
    BotVersion.Status.QUEUED: "it is being checked again",
    BotVersion.Status.CHECKING: "it is being checked again",
    BotVersion.Status.READY: "the check passed",
    BotVersion.Status.REJECTED: "the check rejected it",
}
