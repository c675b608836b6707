"""The shapes that all pairing systems share."""

from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

Fixture: TypeAlias = tuple[int, ...]
"""Entrants (indices from 0) that meet, one per side of the table."""

Round: TypeAlias = tuple[Fixture, ...]
"""Fixtures that can be played at the same time: no entrant is in two of them."""


@dataclass(frozen=True, slots=True)
class State:
    """What a pairing system may know when it pairs."""

    entrants: int
    """How many entrants there are; they are 0 … entrants - 1, in order of entry."""

    sides: int
    """How many sides meet in a fixture."""

    seed: str
    """Decides every choice that the system leaves open."""

    meetings: int = 1
    """How often entrants are to meet (a round robin's number of turns)."""

    rounds: tuple[Round, ...] = ()
    """The rounds paired so far, oldest first."""

    points: tuple[float, ...] = ()
    """Points of each entrant so far; empty before the first result."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a tournament of a system will take, known before it opens."""

    fixtures: int
    """Fixtures in all; each plays one or more deal groups."""

    matches: int
    """Matches in all when each fixture plays one deal group (one match per side)."""

    rounds: int
    """Rounds in all."""

    per_entrant: int
    """The most fixtures that one entrant plays."""

    meetings: tuple[int, int]
    """How often two entrants meet: the fewest and the most over all pairs."""


@dataclass(frozen=True, slots=True)
class MeetingTable:
    """How often each pair of entrants meets in some rounds."""

    counts: dict[tuple[int, int], int]
    """Meetings of each pair (smaller index first); every pair is there, also with 0."""

    @property
    def fewest(self) -> int:
        """The fewest meetings of any pair."""
        return min(self.counts.values(), default=0)

    @property
    def most(self) -> int:
        """The most meetings of any pair."""
        return max(self.counts.values(), default=0)

    @classmethod
    def of(cls, rounds: list[Round], entrants: int | None = None) -> "MeetingTable":
        """Count the meetings in `rounds` among 0 … entrants - 1 (default: those who appear)."""
        if entrants is None:
            entrants = 1 + max((i for r in rounds for f in r for i in f), default=-1)
        counts = dict.fromkeys(combinations(range(entrants), 2), 0)
        for fixture in (fixture for round_ in rounds for fixture in round_):
            for pair in combinations(sorted(fixture), 2):
                counts[pair] += 1
        return cls(counts)
