"""Playing planned matches with the referee."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bots.referee import house
from bots.referee.clock import ClockSettings
from bots.referee.live_seat import SandboxLike
from bots.referee.outcome import MatchOutcome, Player
from bots.referee.referee import play_match
from tournaments.course.divisions import rotated
from tournaments.deal_groups import MatchResult
from tournaments.home.resuming import Kept
from tournaments.home.setup import PlannedMatch, PlayedMatch, Setup

TEAM = "+"
"""Between the bots of a team, as people write it."""


@dataclass(frozen=True, slots=True)
class Lineup:
    """What takes part: a bot, or a fixed team of bots."""

    players: tuple[Player, ...]

    @property
    def name(self) -> str:
        """The names of its bots."""
        return " & ".join(player.name for player in self.players)


def enter(bots: Sequence[str], size: int = 1) -> list[Lineup]:
    """Entries as people write them: a bot, or with `size` above 1 a team such as `a+b`.

    ValueError where a team has another number of bots; PackageError where a bot cannot be used.
    """
    teams = [bot.split(TEAM) if size > 1 else [bot] for bot in bots]
    for bot, team in zip(bots, teams, strict=True):
        if len(team) != size:
            raise ValueError(f"A team here is {size} bots joined by {TEAM}, not {bot}.")
    players = iter(house.load_players([bot for team in teams for bot in team]))
    return [Lineup(tuple(next(players) for _ in team)) for team in teams]


def play(
    setup: Setup,
    entries: Sequence[Lineup],
    matches: Iterable[PlannedMatch],
    *,
    sandbox: SandboxLike,
    clock: ClockSettings | None = None,
    kept: Kept | None = None,
    on_match: Callable[[PlayedMatch], None] | None = None,
) -> list[PlayedMatch]:
    """Play the matches one after another; `on_match` is called after each.

    Those whose records are `kept` are not played again; UsageError if a record has other bots.

    Raises `SandboxUnavailable` and `RefereeError` as the referee does.
    """
    played: list[PlayedMatch] = []
    for match in matches:
        seated = [entries[entry].players[bot] for entry, bot in match.seats]
        outcome = kept.find(setup.fmt, match, seated) if kept else None
        if outcome is None:
            outcome = play_match(setup.fmt, match.seed, seated, sandbox=sandbox, clock=clock)
        players = tuple(
            tuple(dict.fromkeys(seated[seat].name for seat in side)) for side in setup.fmt.sides
        )
        played.append(PlayedMatch(match, outcome, match_result(setup, match, outcome), players))
        if on_match is not None:
            on_match(played[-1])
    return played


def match_result(setup: Setup, match: PlannedMatch, outcome: MatchOutcome) -> MatchResult:
    """What the standings need from a match."""
    result = outcome.record.result or {}
    return rotated(
        [setup.side(team) for team in match.teams],
        match.turn - 1,
        result["scores"],
        result["ranks"],
        sorted({setup.fmt.side(fault.seat) for fault in outcome.faults}),
    )
