"""A tournament at home, and its matches before and after they are played."""

from __future__ import annotations

from dataclasses import dataclass

from bots.referee.outcome import MatchOutcome
from engine import Format
from tournaments.course import divisions
from tournaments.course.stages import StagePlan
from tournaments.deal_groups import MatchResult, Side
from tournaments.pairing import Pairing
from tournaments.ratings.table import RatedMatch
from tournaments.standings import DEFAULT

MAX_ROUNDS = 20
"""Rounds of a system that has no end, unless another number is asked for."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What will be played."""

    fmt: Format
    names: tuple[str, ...]
    """Of the entries, in the order of their seeds."""

    seed: str
    plans: tuple[StagePlan, ...] = (StagePlan(),)
    rotating: bool = False
    """Whether entries are single bots whose partners change."""

    tie_breaks: tuple[str, ...] = DEFAULT
    bots: int = 1
    """Of each entry: 1, or where teams are fixed as many as the widest side has seats."""

    max_rounds: int = MAX_ROUNDS
    """Where a system has no end."""

    @property
    def conditions(self) -> divisions.Conditions:
        """The same for the course."""
        return divisions.Conditions(
            fmt=self.fmt,
            seed=self.seed,
            plans=self.plans,
            entrants=self.names,
            tie_breaks=self.tie_breaks,
            rotating=self.rotating,
        )

    def side(self, team: Pairing) -> Side:
        """The name that results give to the side that these entries play."""
        names = tuple(self.names[i] for i in team)
        return names if len(names) > 1 else names[0]


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """One match before it is played."""

    stage: int
    division: int
    round: int
    pairing: int
    """All from 1; the round within its division, the pairing within its round."""

    turn: int
    """Which rotation of the sides, from 1."""

    group: int
    """Number of the deal group in the whole tournament, from 1."""

    of_pairing: int
    """Number of the deal group among those of its pairing, from 1."""

    seed: str
    teams: tuple[Pairing, ...]
    """The entries (numbers from 0) that meet, in the order of the group's first match."""

    seats: tuple[tuple[int, int], ...]
    """By seat: the number of an entry, and which of its bots sits there."""

    @property
    def name(self) -> str:
        """A short name that sorts: `group-0012-2`."""
        return f"group-{self.group:04}-{self.turn}"


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """One match with what came of it."""

    plan: PlannedMatch
    outcome: MatchOutcome
    result: MatchResult

    players: tuple[tuple[str, ...], ...]
    """By side: the bots that sat on it, each once."""

    @property
    def game(self) -> RatedMatch:
        """The match for the ratings."""
        return RatedMatch(self.players, self.result.ranks, self.plan.group)
