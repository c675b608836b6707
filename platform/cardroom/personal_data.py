"""Export the data that the site stores about one account, as a zip.

It omits secrets (passwords, tokens, keys), the moves of unfinished tables, and an author's oldest
packages beyond `MAX_PACKAGES`.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import F, Q
from django.urls import reverse

from bots.limits import MIB
from bots.models import Activation, Bot, BotVersion, StoredPackage
from cardroom.models import Moderation
from cardroom_base.models import WebhookDelivery
from cardroom_tables.models import Table, TableMove, TableSeat
from tournaments.archive.writing import Sink
from tournaments.models import (
    Admission,
    Analysis,
    Announcement,
    Challenge,
    Decision,
    Entry,
    Tournament,
    Trial,
)
from tournaments.organizing import organized_by

MAX_PACKAGES: Final = 512 * MIB
"""The maximum size of all packages in an export, in bytes before compression. An export contains
the newest packages."""


def export_account(user: User) -> Iterator[bytes]:
    """The zip in pieces: a JSON file for each kind of data, and the packages of the bots."""
    sink = Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, rows in _FILES.items():
            content = [_plain_names(row) for row in rows(user)]
            text = json.dumps(content, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)
            archive.writestr(name, text)
            yield from sink.pieces()
        for digest in _package_digests(user):
            package = StoredPackage.objects.get(pk=digest)
            archive.writestr(f"packages/{digest}.zip", bytes(package.content), zipfile.ZIP_STORED)
            yield from sink.pieces()
    yield from sink.pieces(min_bytes=1)


def _package_digests(user: User) -> Iterator[str]:
    """Digests of the author's packages, the newest first, up to `MAX_PACKAGES`."""
    versions = BotVersion.objects.filter(bot__owner=user).order_by("-pk")
    bytes_left, digests = MAX_PACKAGES, set()
    for digest, size in versions.values_list("package", "package__unpacked_size"):
        if digest in digests:
            continue
        bytes_left -= size
        if bytes_left < 0:
            return
        digests.add(digest)
        yield digest


def _plain_names(row: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the double underscores of Django's lookups by single ones."""
    return {name.replace("__", "_"): value for name, value in row.items()}


def _account(user: User) -> list[dict[str, Any]]:
    names = ("username", "first_name", "last_name", "email", "date_joined", "last_login")
    return [{name: getattr(user, name) for name in names}]


def _tables(user: User) -> Iterator[dict[str, Any]]:
    """The account's tables, each with the account's seats, and with all moves if its match is over;
    people may return to a table that they have left."""
    seats = TableSeat.objects.filter(user=user)
    columns = ("key", "format", "state", "created", "finished", "result", "pk")
    for table in Table.objects.filter(pk__in=seats.values("table")).values(*columns):
        pk = table.pop("pk")
        over = table["state"] == Table.State.FINISHED
        moves = TableMove.objects.filter(table=pk).values_list("seat", "move")
        own_seats = seats.filter(table=pk).values_list("index", flat=True)
        yield {**table, "own_seats": list(own_seats), "moves": list(moves) if over else None}


def _matchups(user: User) -> Iterator[dict[str, Any]]:
    columns = (
        *("tournament__slug", "candidate__bot__slug", "candidate__number"),
        *("opponent__bot__slug", "opponent__number", "groups", "started"),
    )
    has_own_bot = Q(candidate__bot__owner=user)
    yield from Challenge.objects.filter(has_own_bot | Q(by=user)).order_by("pk").values(*columns)
    yield from Trial.objects.filter(has_own_bot).order_by("pk").values(*columns)


def _moderation(user: User) -> Any:
    """The lines of the moderators' log about the account and its bots, and the lines that the
    account wrote as a moderator."""
    pages = [reverse("author", args=[user.username])]
    pages += [reverse("bot", args=[bot.slug]) for bot in Bot.objects.filter(owner=user)]
    lines = Moderation.objects.filter(Q(address__in=pages) | Q(by=user))
    return lines.values("at", "kind", "field", "subject", "reason")


def _entries(user: User) -> Any:
    has_own_bot = Q(bot__owner=user) | Q(mates__bot__owner=user)
    columns = ("tournament__slug", "tournament__name", "number", "name", "bot__slug")
    entries = Entry.objects.filter(has_own_bot).order_by("pk").distinct()
    return entries.values(*columns, "version__number", "created", "withdrawn")


_FILES: Final[Mapping[str, Callable[[User], Any]]] = {
    "account.json": _account,
    "tokens.json": lambda user: user.tokens.values(
        "name", "hint", "scopes", "created", "expires", "used"
    ),
    "addresses.json": lambda user: EmailAddress.objects.filter(user=user).values(
        "email", "verified", "primary"
    ),
    "factors.json": lambda user: Authenticator.objects.filter(user=user).values(
        "type", "created_at", "last_used_at"
    ),
    "logins.json": lambda user: SocialAccount.objects.filter(user=user).values(
        "provider", "uid", "extra_data", "date_joined", "last_login"
    ),
    "sessions.json": lambda user: UserSession.objects.filter(user=user).values(
        "created_at", "last_seen_at", "ip", "user_agent"
    ),
    "bots.json": lambda user: Bot.objects.filter(owner=user).values(
        *("slug", "name", "description", "active_version__number", "plays_people"),
        *("takes_challenges", "quarantined", "created"),
    ),
    "versions.json": lambda user: BotVersion.objects.filter(bot__owner=user).values(
        *("bot__slug", "number", "package", "notes", "formats", "needs", "status", "created"),
        summary=F("check_run__summary"),
    ),
    "activations.json": lambda user: Activation.objects.filter(bot__owner=user).values(
        "bot__slug", "version__number", "at"
    ),
    "admissions.json": lambda user: Admission.objects.filter(user=user).values(
        "tournament__slug", "by", "at"
    ),
    "entries.json": _entries,
    "challenges.json": _matchups,
    "tournaments.json": lambda user: Tournament.objects.filter(organized_by(user.pk)).values(
        *("slug", "name", "description", "format", "state", "created", "started", "finished"),
    ),
    "decisions.json": lambda user: Decision.objects.filter(by=user).values(
        "tournament__slug", "match", "kind", "what", "reason", "at"
    ),
    "announcements.json": lambda user: Announcement.objects.filter(by=user).values(
        "tournament__slug", "text", "at", "changed"
    ),
    "notifications.json": lambda user: user.notifications.values(
        "kind", "tournament", "subject", "at", "read"
    ),
    "webhooks.json": lambda user: user.webhooks.values(
        "url", "format", "kinds", "state", "created", "succeeded"
    ),
    "deliveries.json": lambda user: WebhookDelivery.objects.filter(webhook__user=user).values(
        *("webhook__url", "notification", "key", "created", "sent", "tries", "status", "answer"),
        "trouble",
    ),
    "moderation.json": _moderation,
    "analyses.json": lambda user: Analysis.objects.filter(by=user).values("record__match"),
    "tables.json": _tables,
}
"""By file name: the function that returns an account's rows."""
