"""The names of a tournament's entries, read by one query without model instances.

Cached tables contain no names, so that a bot's new name appears immediately.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from tournaments.deal_groups import Entrant
from tournaments.models import Entry, Tournament


@dataclass(frozen=True, slots=True)
class Player:
    """The names of a bot, for lists of matches and entries."""

    slug: str
    name: str


class Member(NamedTuple):
    """A bot of an entry."""

    slug: str
    name: str
    version: int
    """The version's number."""
    owner: int | None = None
    """Primary key of the bot's owner; None for a house bot."""


class EntryNames(NamedTuple):
    """The names of an entry."""

    title: str
    """The name of the team, or the names of its bots (`Entry.title`)."""
    members: tuple[Member, ...]
    """Its bots in the order of the seats; several for teams only."""
    withdrawn: bool = False
    """Whether it left the tournament while that was running."""

    @classmethod
    def of(cls, entry: Entry) -> EntryNames:
        """The names of an entry that was read with its members."""
        members = (
            Member(bot.slug, bot.name, version.number, bot.owner_id)
            for bot, version in entry.members()
        )
        return cls(entry.title, tuple(members), entry.withdrawn is not None)


def names_of(
    tournament: Tournament, entrants: Collection[Entrant] | None = None
) -> dict[Entrant, EntryNames]:
    """The names of all entries, or of `entrants`, by primary key, in the order of entering."""
    bot_fields = ("bot__slug", "bot__name", "version__number", "bot__owner")
    mate_fields = [f"mates__{field}" for field in bot_fields]
    rows = tournament.entries.order_by("number", "mates__index")  # one row for each mate
    if entrants is not None:
        rows = rows.filter(pk__in=entrants)
    names: dict[int, str] = {}
    withdrawn: dict[int, bool] = {}
    members: dict[int, list[Member]] = {}
    columns = ("pk", "name", "withdrawn", *bot_fields, *mate_fields)
    for pk, name, withdrawal, *fields in rows.values_list(*columns):
        names[pk], withdrawn[pk] = name, withdrawal is not None
        team = members.setdefault(pk, [Member(*fields[:4])])
        if fields[4] is not None:
            team.append(Member(*fields[4:]))
    return {
        pk: EntryNames(
            names[pk] or " & ".join(member.name for member in team), tuple(team), withdrawn[pk]
        )
        for pk, team in members.items()
    }
