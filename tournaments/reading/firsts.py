"""Tournaments with their winners or leaders, for lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tournaments.models import Entry, Tournament
from tournaments.reading.kept import read_many
from tournaments.reading.kinds import STORY
from tournaments.reading.story import Story

BEST = 2
"""Maximum entries sharing the first place that are named."""


@dataclass(frozen=True, slots=True)
class TournamentLine:
    """A tournament as the list shows it."""

    tournament: Tournament
    first: list[Entry]
    """The winners, or the leaders so far; only the first few that share the place."""
    others: int
    """The number of further entries that share the first place."""
    story: Story | None = None
    """The story as last cached."""
    own: list[Entry] = field(default_factory=list)
    """The reader's entries."""

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


def lines(
    tournaments: Sequence[Tournament], own: Mapping[int, Sequence[int]] | None = None
) -> list[TournamentLine]:
    """These tournaments with their winners or leaders, as last cached.

    `own`: keys of the reader's entries, by tournament.
    """
    mine = own or {}
    stories = read_many(STORY, tournaments)
    firsts = {
        pk: [entrant for place, entrant in story.places if place == 1]
        for pk, story in stories.items()
        if story.matches
    }
    for tournament in tournaments:  # the leader at the freeze may not have won
        if tournament.frozen and tournament.finished:
            firsts.pop(tournament.pk, None)
    named = {entrant for first in firsts.values() for entrant in first[:BEST]}
    named |= {entry for tournament in tournaments for entry in mine.get(tournament.pk, ())}
    entries = Entry.objects.with_members().in_bulk(named)
    return [
        TournamentLine(
            tournament,
            [entries[key] for key in firsts.get(tournament.pk, [])[:BEST]],
            len(firsts.get(tournament.pk, [])[BEST:]),
            stories.get(tournament.pk),
            [entries[key] for key in mine.get(tournament.pk, ()) if key in entries],
        )
        for tournament in tournaments
    ]
