"""The texts of notifications, made when they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from django.urls import reverse

from bots.models import Bot, BotVersion, WorkerNode
from cardroom_base.models import Notification, WebhookDelivery
from tournaments.models import Tournament
from tournaments.visibility import Reader, visible_to

Kind = Notification.Kind

UNSEEN: Final = "About something that is gone or that you may no longer see."


@dataclass(frozen=True, slots=True)
class WordedNotification:
    """A notification as its reader sees it."""

    id: int
    kind: str
    at: datetime
    read: datetime | None
    text: str
    address: str
    """The path of the page that it is about; empty if there is none."""


def worded(rows: Iterable[Notification], reader: Reader) -> list[WordedNotification]:
    """The notifications as the reader sees them now, with a few queries for any number of them."""
    rows = list(rows)
    numbers = {row.tournament for row in rows if row.tournament}
    tournaments = visible_to(reader).in_bulk(numbers)
    bots = Bot.objects.in_bulk({row.subject for row in rows if row.kind == Kind.FAULT})
    checked = {row.subject for row in rows if row.kind == Kind.CHECKED}
    versions = BotVersion.objects.select_related("bot").in_bulk(checked)
    failed = {row.subject for row in rows if row.kind == Kind.WEBHOOK}
    deliveries = WebhookDelivery.objects.select_related("webhook").in_bulk(failed)
    workers: dict[int, WorkerNode] = {}
    if reader.staff and any(row.kind == Kind.UNHEALTHY for row in rows):
        workers = {node.incident: node for node in WorkerNode.objects.exclude(trouble="")}
    return [_worded(row, tournaments, bots, versions, deliveries, workers) for row in rows]


def _worded(
    row: Notification,
    tournaments: Mapping[int, Tournament],
    bots: Mapping[int, Bot],
    versions: Mapping[int, BotVersion],
    deliveries: Mapping[int, WebhookDelivery],
    workers: Mapping[int, WorkerNode],
) -> WordedNotification:
    text, address = UNSEEN, ""
    tournament, bot = tournaments.get(row.tournament), bots.get(row.subject)
    if row.kind == Kind.CHECKED:
        if version := versions.get(row.subject):
            text = f"{version.bot.name} {version.number}: {_VERDICTS[version.status]}."
            address = reverse("check", args=[version.bot.slug, version.number])
    elif row.kind == Kind.WEBHOOK:
        if delivery := deliveries.get(row.subject):
            host = urlsplit(delivery.webhook.url).hostname
            text = f"Your webhook at {host} was switched off: deliveries to it failed."
            address = reverse("webhook", args=[delivery.webhook_id])
    elif row.kind == Kind.UNHEALTHY:
        worker = workers.get(row.subject)
        text = "A worker was unhealthy." if worker is None else f"{worker.name} is unhealthy."
        address = reverse("status")
    elif tournament is not None and row.kind == Kind.FAULT:
        if bot is not None:
            text = f"{bot.name} made its first fault in {tournament.name}."
            address = reverse("tournament-matches", args=[tournament.slug])
    elif tournament is not None:
        text = _TEXTS[Kind(row.kind)](tournament)
        address = reverse("tournament", args=[tournament.slug])
        if row.kind == Kind.ANNOUNCED:
            address += f"#announcement-{row.subject}"
        elif row.kind == Kind.TEAM:
            address = reverse("entries", args=[tournament.slug])
        elif row.kind == Kind.STUCK:
            address = reverse("tournament-matches", args=[tournament.slug]) + "?state=stuck"
    return WordedNotification(row.pk, row.kind, row.at, row.read, text, address)


def _ended(tournament: Tournament) -> str:
    cancelled = tournament.state == Tournament.State.CANCELLED
    return f"{tournament.name} {'was cancelled' if cancelled else 'has ended'}."


_TEXTS: Final[Mapping[Kind, Callable[[Tournament], str]]] = {
    Kind.OPENED: lambda cup: f"{cup.name} is open for entries.",
    Kind.STARTED: lambda cup: f"{cup.name} has started.",
    Kind.ENDED: _ended,
    Kind.ANNOUNCED: lambda cup: f"There is an announcement in {cup.name}.",
    Kind.TEAM: lambda cup: f"A bot of yours is invited into a team in {cup.name}.",
    Kind.STUCK: lambda cup: f"Matches of {cup.name} are stuck.",
}
_VERDICTS: Final[Mapping[str, str]] = {
    BotVersion.Status.QUEUED: "it is checked again",
    BotVersion.Status.CHECKING: "it is checked again",
    BotVersion.Status.READY: "the check passed",
    BotVersion.Status.REJECTED: "the check rejected it",
}
