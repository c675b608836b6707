"""Check whether a version plays a format, and update the versions of a ladder's entries."""

from __future__ import annotations

from django.db.models import F, Q

from bots.models import Bot, BotVersion
from bots.package.manifest import covers
from engine import Format
from tournaments.models import Entry, Mate, Tournament


def claims(version: BotVersion, fmt: Format) -> bool:
    """Whether the version claims to play the format."""
    return any(covers(pattern, fmt) for pattern in version.formats)


def renew_versions(tournament: Tournament) -> int:
    """Update entries to the active versions of their bots; return how many changed.

    A new version counts as a newcomer. Waiting matches keep the old version. A version that does
    not play the format is skipped.
    """
    fmt = Format.parse(tournament.format)
    entries = Entry.objects.filter(tournament=tournament, withdrawn__isnull=True)
    mates = Mate.objects.filter(entry__in=entries)
    newer = ~Q(version=F("bot__active_version")) & Q(bot__active_version__isnull=False)
    renewed: set[int] = set()
    for entry in entries.filter(newer).select_related("bot__active_version"):
        if _renew(entry, entry.bot, fmt):
            renewed.add(entry.pk)
    for mate in mates.filter(newer).select_related("bot__active_version"):
        if _renew(mate, mate.bot, fmt):
            renewed.add(mate.entry_id)
    if renewed:
        Entry.objects.filter(pk__in=renewed).update(groups=0)
    return len(renewed)


def _renew(member: Entry | Mate, bot: Bot, fmt: Format) -> bool:
    version = bot.active_version
    if version is None or not claims(version, fmt):
        return False
    member.version = version
    member.save(update_fields=["version"])
    return True
