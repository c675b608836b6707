"""The settings of a tournament at home, and its planned and played matches."""

from __future__ import annotations

from dataclasses import dataclass

from bots.referee.outcome import MatchOutcome
from engine import Format
from tournaments.course import divisions
from tournaments.course.stages import StagePlan
from tournaments.deal_groups import MatchResult, SideEntrants
from tournaments.pairing import Pairing
from tournaments.ratings.result_arrays import RatedMatch
from tournaments.standings import DEFAULT

MAX_ROUNDS = 20
"""Default number of rounds of a system that has no end."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The settings and entries of a tournament."""

    fmt: Format
    names: tuple[str, ...]
    """Names of the entries, in the order of their seeds."""

    seed: str
    plans: tuple[StagePlan, ...] = (StagePlan(),)
    rotating: bool = False
    """Whether entries are single bots whose partners rotate."""

    tie_breaks: tuple[str, ...] = DEFAULT
    bots: int = 1
    """Number of bots of each entry: 1, or for fixed teams the seats of the widest side."""
    max_rounds: int = MAX_ROUNDS
    """Number of rounds if the system has no end."""

    @property
    def conditions(self) -> divisions.Conditions:
        """The settings as input of `course.course`."""
        return divisions.Conditions(
            fmt=self.fmt,
            seed=self.seed,
            plans=self.plans,
            entrants=self.names,
            tie_breaks=self.tie_breaks,
            rotating=self.rotating,
        )

    def side(self, team: Pairing) -> SideEntrants:
        """The side of these entries (numbers), with their names."""
        names = tuple(self.names[i] for i in team)
        return names if len(names) > 1 else names[0]


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """One match before it is played."""

    stage: int
    division: int
    round: int
    pairing: int
    """The number of the pairing within the round, from 1. Rounds are numbered within the
    division."""
    turn: int
    """The rotation of the sides, from 1."""

    group: int
    """Number of the deal group in the whole tournament, from 1."""

    number_in_pairing: int
    """Number of the deal group among those of its pairing, from 1."""

    seed: str
    teams: tuple[Pairing, ...]
    """The entries (numbers from 0) that meet, in the order of the group's first match."""

    seats: tuple[tuple[int, int], ...]
    """By seat: (number of an entry, number of its bot)."""

    @property
    def name(self) -> str:
        """A short name that sorts in the order of play: `group-0012-2`."""
        return f"group-{self.group:04}-{self.turn}"


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match with its outcome."""

    plan: PlannedMatch
    outcome: MatchOutcome
    result: MatchResult

    players: tuple[tuple[str, ...], ...]
    """By side: its bots, without duplicates."""
    recorded: bool = False
    """Whether its record is from an earlier run."""

    @property
    def game(self) -> RatedMatch:
        """The match for the ratings."""
        return RatedMatch(self.players, self.result.ranks, self.plan.group)
