"""Where luck went, as a tournament's tab and a match's panel show it."""

from __future__ import annotations

from dataclasses import dataclass

from cardroom.pages.common.plots import progress_bar
from tournaments.models import Entry, Match, Tournament
from tournaments.reading.luck import MatchLuck, match_luck
from tournaments.standings.luck import Split


@dataclass(frozen=True, slots=True)
class Skill:
    """An entry and how well it did, whatever its cards, in points a match."""

    entry: Entry
    points: float


@dataclass(frozen=True, slots=True)
class Luck:
    """The split of a tournament, for its tab."""

    split: Split
    skills: list[Skill]
    """The best first."""
    left_out: int
    """Entries below the last one shown."""

    @property
    def percent(self) -> tuple[float, float, float]:
        """Cards, players, rest."""
        return 100 * self.split.cards, 100 * self.split.players, 100 * self.split.rest

    @property
    def bars(self) -> list[tuple[int, int]]:
        """(x, width) of each of them in a bar that is 1000 wide."""
        cards, players = round(1000 * self.split.cards), round(1000 * self.split.players)
        return progress_bar(cards, players, max(1000 - cards - players, 0))


MAX_SKILLS = 50
"""Entries whose skill the tab shows, the best; the REST interface has all."""


def of_tournament(tournament: Tournament, found: Split) -> Luck:
    """The tab's content."""
    ranked = sorted(found.skills.items(), key=lambda pair: -pair[1])[:MAX_SKILLS]
    known = tournament.entries.with_members().in_bulk([pk for pk, _ in ranked])
    left_out = len(found.skills) - len(ranked)
    return Luck(found, [Skill(known[int(pk)], points) for pk, points in ranked], left_out)


@dataclass(frozen=True, slots=True)
class SideLuck:
    """A side of a match: who played it, and what others made of the same cards."""

    side: int
    player: str
    score: int
    others: list[tuple[int, str, int]]
    """(match, player, score) at the other tables."""

    cards: float
    """What its cards were worth, points above the mean of the match."""


def of_match(match: Match) -> list[SideLuck]:
    """The sides of a finished match; empty where its deal group cannot tell."""
    found: MatchLuck | None = match_luck(match)
    if found is None:
        return []
    return [
        SideLuck(
            side=side,
            player=found.table.players[side],
            score=found.table.scores[side],
            others=[
                (other.match, other.players[side], other.scores[side]) for other in found.others
            ],
            cards=cards,
        )
        for side, cards in enumerate(found.cards)
    ]
