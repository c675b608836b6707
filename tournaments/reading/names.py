"""The names of a tournament's entries: one query, and no rows of models.

Tables of hundreds are kept without names, so that a renamed bot shows immediately.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from tournaments.deal_groups import Entrant
from tournaments.models import Tournament


@dataclass(frozen=True, slots=True)
class Player:
    """A bot, as it is named wherever it plays."""

    slug: str
    name: str


class Member(NamedTuple):
    """A bot of an entry."""

    slug: str
    name: str
    version: int
    """Its number."""
    owner: int | None = None
    """Primary key; None: the site's."""


class Named(NamedTuple):
    """An entry."""

    title: str
    """As `Entry.title`."""
    members: tuple[Member, ...]
    """In the order of the seats; only one, except for teams."""


def names_of(
    tournament: Tournament, entrants: Collection[Entrant] | None = None
) -> dict[Entrant, Named]:
    """All entries by their primary keys, or these, in the order of entering."""
    own = ("bot__slug", "bot__name", "version__number", "bot__owner")
    others = [f"mates__{field}" for field in own]
    rows = tournament.entries.order_by("number", "mates__index")  # one row for each mate
    if entrants is not None:
        rows = rows.filter(pk__in=entrants)
    names: dict[int, str] = {}
    members: dict[int, list[Member]] = {}
    for pk, name, *fields in rows.values_list("pk", "name", *own, *others):
        names[pk] = name
        team = members.setdefault(pk, [Member(*fields[:4])])
        if fields[4] is not None:
            team.append(Member(*fields[4:]))
    return {
        pk: Named(names[pk] or " & ".join(member.name for member in team), tuple(team))
        for pk, team in members.items()
    }
