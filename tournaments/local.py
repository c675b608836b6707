"""A whole tournament at home: the site's pairing, deal groups, referee and ratings, no database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bots.chair import SandboxLike
from bots.clock import ClockSettings
from bots.outcome import MatchOutcome, Player
from bots.referee import play_match
from engine import Format
from tournaments.deal_groups import (
    Entrant,
    MatchResult,
    final_ranks,
    group_seed,
    members,
    rotations,
)
from tournaments.pairing.round_robin import round_robin
from tournaments.ratings.fit import Fit, Game, fit
from tournaments.standings import Cell, Row, cross_table, standings


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """One match before it is played."""

    round: int
    """From 1."""

    group: int
    """Number of the deal group in the whole tournament, from 1."""

    turn: int
    """Which rotation of the sides, from 1."""

    seed: str
    seats: tuple[int, ...]
    """By seat: the number of the entrant, from 0."""

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


@dataclass(frozen=True, slots=True)
class Report:
    """What a tournament came to."""

    fmt: Format
    seed: str
    matches: tuple[PlayedMatch, ...]
    standings: list[Row]
    cross_table: dict[Entrant, dict[Entrant, Cell]]
    fit: Fit


def plan(
    fmt: Format, entrants: int, *, seed: str, groups: int = 1, meetings: int = 1
) -> list[PlannedMatch]:
    """Every match of a round robin: per fixture `groups` deal groups, each with all rotations.

    Raises ValueError as `round_robin` does (too few entrants, say).
    """
    matches: list[PlannedMatch] = []
    number = 0
    rounds = round_robin(entrants, len(fmt.sides), seed=seed, meetings=meetings)
    for round_number, round_ in enumerate(rounds, start=1):
        for fixture in round_:
            for _ in range(groups):
                number += 1
                text = group_seed(seed, number)
                matches.extend(
                    PlannedMatch(round_number, number, turn, text, seats)
                    for turn, seats in enumerate(rotations(fmt.sides, fixture), start=1)
                )
    return matches


def play(
    fmt: Format,
    players: Sequence[Player],
    matches: Iterable[PlannedMatch],
    *,
    sandbox: SandboxLike,
    clock: ClockSettings | None = None,
    on_match: Callable[[PlayedMatch], None] | None = None,
) -> list[PlayedMatch]:
    """Play the matches one after another; `on_match` is called after each.

    Raises `SandboxUnavailable` and `RefereeError` as the referee does.
    """
    played: list[PlayedMatch] = []
    for match in matches:
        seated = [players[entrant] for entrant in match.seats]
        outcome = play_match(fmt, match.seed, seated, sandbox=sandbox, clock=clock)
        names = [player.name for player in seated]
        played.append(PlayedMatch(match, outcome, match_result(fmt, names, outcome)))
        if on_match is not None:
            on_match(played[-1])
    return played


def match_result(fmt: Format, names: Sequence[str], outcome: MatchOutcome) -> MatchResult:
    """What the standings need of a match; `names` are the entrants by seat."""
    result = outcome.record.result or {}
    return MatchResult(
        entrants=tuple(names[side[0]] for side in fmt.sides),
        scores=tuple(result["scores"]),
        ranks=tuple(result["ranks"]),
        faults=tuple(sorted({fmt.side(fault.seat) for fault in outcome.faults})),
    )


def report(fmt: Format, seed: str, names: Sequence[str], played: Sequence[PlayedMatch]) -> Report:
    """Standings, cross table (in the order of the standings) and ratings of what was played."""
    groups: dict[int, list[MatchResult]] = {}
    for match in played:
        groups.setdefault(match.plan.group, []).append(match.result)
    rows = standings(names, groups.values())
    games = (
        Game(
            sides=tuple(members(side) for side in match.result.entrants),
            ranks=final_ranks(match.result.ranks, match.result.faults),
            group=match.plan.group,
        )
        for match in played
    )
    return Report(
        fmt=fmt,
        seed=seed,
        matches=tuple(played),
        standings=rows,
        cross_table=cross_table([row.entrant for row in rows], groups.values()),
        fit=fit(games),
    )
