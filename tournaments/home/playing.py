"""Playing planned matches with the referee."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bots.cli.common import UsageError
from bots.referee import house
from bots.referee.clock import ClockSettings
from bots.referee.live_seat import SandboxLike
from bots.referee.outcome import Fault, MatchOutcome, SeatedBot, SeatReport
from bots.referee.referee import play_match
from engine import Format, Record, RecordError
from tournaments.course.divisions import rotated
from tournaments.deal_groups import MatchResult
from tournaments.home.setup import PlannedMatch, PlayedMatch, Setup

TEAM = "+"
"""Between the bots of a team, as people write it."""


@dataclass(frozen=True, slots=True)
class Lineup:
    """What takes part: a bot, or a fixed team of bots."""

    players: tuple[SeatedBot, ...]

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
    folder: RecordFolder | None = None,
    on_match: Callable[[PlayedMatch], None] | None = None,
) -> list[PlayedMatch]:
    """Play the matches one after another; `on_match` is called after each.

    Those whose records are `kept` are not played again; UsageError if a record has other bots.

    Raises `SandboxUnavailable` and `RefereeError` as the referee does.
    """
    played: list[PlayedMatch] = []
    for match in matches:
        seated = [entries[entry].players[bot] for entry, bot in match.seats]
        outcome = folder.find(setup.fmt, match, seated) if folder else None
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


@dataclass(frozen=True, slots=True)
class RecordFolder:
    """A folder of records, each named after its match."""

    folder: Path

    def path(self, match: PlannedMatch) -> Path:
        """Where a match's record is, or will be."""
        return self.folder / f"{match.name}.json"

    def find(
        self, fmt: Format, match: PlannedMatch, seated: Sequence[SeatedBot]
    ) -> MatchOutcome | None:
        """The outcome of a match; None if it has no record here.

        Raises UsageError if the record has other cards or other bots. Records have
        no times, memory or logs.
        """
        path = self.path(match)
        try:
            record = Record.from_json(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, RecordError) as error:
            raise UsageError(f"{path} cannot be read: {error}.") from None
        players = [player.as_json() for player in seated]
        same = (record.format, record.seed, record.players) == (str(fmt), match.seed, players)
        if not same or record.result is None:
            raise UsageError(
                f"{path} belongs to another tournament: to resume, format, seed, bots and their "
                "order must be the same."
            )
        return MatchOutcome(record, [_report(record, seat) for seat in range(fmt.seats)])


def _report(record: Record, seat: int) -> SeatReport:
    fault = next(
        (
            Fault(seat, row["kind"], row["move"], row["received"], row["detail"])
            for row in record.faults
            if row["seat"] == seat
        ),
        None,
    )
    name = str(record.players[seat]["name"])
    return SeatReport(name, 0.0, 0.0, 0.0, 0, b"", 0, fault)
