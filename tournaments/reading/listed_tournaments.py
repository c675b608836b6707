"""Tournaments with their winners or leaders, for lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tournaments.models import Entry, Tournament
from tournaments.reading.content_cache import read_many
from tournaments.reading.kinds import STORY
from tournaments.reading.story import Story

MAX_NAMED = 2
"""Maximum entries sharing the first place that are named."""


@dataclass(frozen=True, slots=True)
class ListedTournament:
    """A tournament as the list shows it."""

    tournament: Tournament
    first: list[Entry]
    """The winners, or the leaders so far; only the first few that share the place."""
    others: int
    """The number of further entries that share the first place."""
    story: Story | None = None
    """The story as last cached."""
    own: list[Entry] = field(default_factory=list)
    """The viewer's entries."""

    @property
    def when(self) -> datetime | None:
        """The time of its end, else of its start, else of its opening."""
        return self.tournament.finished or self.tournament.started or self.tournament.opened

    @property
    def moment(self) -> str:
        """The event at `when`: `ended`, `cancelled`, `started` or `opened`."""
        tournament = self.tournament
        if tournament.finished:
            return "cancelled" if tournament.state == Tournament.State.CANCELLED else "ended"
        return "started" if tournament.started else "opened"


def list_tournaments(
    tournaments: Sequence[Tournament], own: Mapping[int, Sequence[int]] | None = None
) -> list[ListedTournament]:
    """These tournaments with their winners or leaders, as last cached.

    `own`: keys of the viewer's entries, by tournament.
    """
    own_entries = own or {}
    stories = read_many(STORY, tournaments)
    first_entries = {
        pk: [entrant for place, entrant in story.places if place == 1]
        for pk, story in stories.items()
        if story.matches
    }
    for tournament in tournaments:  # the leader at the freeze may not have won
        if tournament.frozen and tournament.finished:
            first_entries.pop(tournament.pk, None)
    keys = {entrant for first in first_entries.values() for entrant in first[:MAX_NAMED]}
    keys |= {entry for tournament in tournaments for entry in own_entries.get(tournament.pk, ())}
    entries = Entry.objects.with_members().in_bulk(keys)
    listed = []
    for tournament in tournaments:
        leaders = first_entries.get(tournament.pk, [])
        named = [entries[key] for key in leaders[:MAX_NAMED]]
        own_keys = own_entries.get(tournament.pk, ())
        readers_entries = [entries[key] for key in own_keys if key in entries]
        story = stories.get(tournament.pk)
        listed.append(
            ListedTournament(tournament, named, len(leaders[MAX_NAMED:]), story, readers_entries)
        )
    return listed
