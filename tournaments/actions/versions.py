"""Check whether a version plays a format, and update the versions of a ladder's entries."""

from __future__ import annotations

from django.db.models import F, Q

from bots.models import Bot, BotVersion
from bots.package.manifest import covers
from engine import Format
from tournaments.models import Entry, Mate, Tournament


def plays_format(version: BotVersion, fmt: Format) -> bool:
    """Whether the version claims to play the format."""
    return any(covers(pattern, fmt) for pattern in version.formats)


def update_versions(tournament: Tournament) -> int:
    """Update entries to the active versions of their bots; return the number of changed entries.

    A new version counts as a newcomer, and a version that played before continues its count of
    deal groups. Waiting matches keep the old version. A version that does not play the format is
    skipped.
    """
    fmt = Format.parse(tournament.format)
    entries = Entry.objects.filter(tournament=tournament, withdrawn__isnull=True)
    mates = Mate.objects.filter(entry__in=entries)
    has_newer = ~Q(version=F("bot__active_version")) & Q(bot__active_version__isnull=False)
    changed_entries: set[int] = set()
    for entry in entries.filter(has_newer).select_related("bot__active_version"):
        if _update_version(entry, entry.bot, fmt):
            changed_entries.add(entry.pk)
    for mate in mates.filter(has_newer).select_related("bot__active_version"):
        if _update_version(mate, mate.bot, fmt):
            changed_entries.add(mate.entry_id)
    for entry in entries.filter(pk__in=changed_entries).with_members():
        entry.groups = min(_groups_of(entry, version) for _, version in entry.members())
        entry.save(update_fields=["groups"])
    return len(changed_entries)


def _groups_of(entry: Entry, version: BotVersion) -> int:
    """The number of deal groups assigned to a version in an entry."""
    seats = entry.seats.filter(version=version, match__deal_group__retired__isnull=True)
    return seats.order_by().values("match__deal_group").distinct().count()


def _update_version(member: Entry | Mate, bot: Bot, fmt: Format) -> bool:
    version = bot.active_version
    if version is None or not plays_format(version, fmt):
        return False
    member.version = version
    member.save(update_fields=["version"])
    return True
