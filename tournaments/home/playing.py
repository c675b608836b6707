"""Play planned matches with referees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bots.cli.common import UsageError
from bots.cli.sources import stored_record
from bots.referee import house
from bots.referee.outcome import Fault, MatchOutcome, SeatedBot, SeatReport
from bots.referee.parallel import MatchPool, SeatedMatch
from engine import Format, Record
from tournaments.course.divisions import result_of_rotation
from tournaments.deal_groups import MatchResult
from tournaments.home.setup import PlannedMatch, PlayedMatch, Setup

TEAM = "+"
"""Separates the bots of a team on the command line."""


@dataclass(frozen=True, slots=True)
class Lineup:
    """An entry with its bots: a single bot, or a fixed team."""

    players: tuple[SeatedBot, ...]

    @property
    def name(self) -> str:
        """The names of its bots."""
        return " & ".join(player.name for player in self.players)


def lineups(bots: Sequence[str], size: int = 1) -> list[Lineup]:
    """The entries of a command line: each a bot or, if `size` is above 1, a team such as `a+b`.

    ValueError for a team of another size; PackageError for a bot that cannot be used.
    """
    teams = [bot.split(TEAM) if size > 1 else [bot] for bot in bots]
    for bot, team in zip(bots, teams, strict=True):
        if len(team) != size:
            raise ValueError(f"A team here is {size} bots joined by {TEAM}, not {bot}.")
    players = iter(house.load_players([bot for team in teams for bot in team]))
    return [Lineup(tuple(next(players) for _ in team)) for team in teams]


def play_matches(
    setup: Setup,
    entries: Sequence[Lineup],
    matches: Sequence[PlannedMatch],
    pool: MatchPool,
    *,
    folder: RecordFolder | None = None,
    on_match: Callable[[PlayedMatch], None] | None = None,
) -> list[PlayedMatch]:
    """Play matches and return them in the order of `matches`; `on_match` is called after each.

    The pool's players must be `players_of(entries)`. The first deal groups of all pairings are
    played before the second ones, so that an interrupted tournament has results of every entrant.
    Matches with a record in `folder` are not played again; UsageError if a record has other bots.

    Raises `SandboxUnavailable` and `RefereeError` like the referee.
    """
    played: dict[PlannedMatch, PlayedMatch] = {}

    def finish(match: PlannedMatch, outcome: MatchOutcome, *, recorded: bool = False) -> None:
        bots = _seated_bots(entries, match)
        players = tuple(
            tuple(dict.fromkeys(bots[seat].name for seat in side)) for side in setup.fmt.sides
        )
        result = match_result(setup, match, outcome)
        played[match] = PlayedMatch(match, outcome, result, players, recorded)
        if on_match is not None:
            on_match(played[match])

    unplayed: list[PlannedMatch] = []
    for match in matches:
        outcome = folder.outcome(setup.fmt, match, _seated_bots(entries, match)) if folder else None
        if outcome is None:
            unplayed.append(match)
        else:
            finish(match, outcome, recorded=True)
    unplayed.sort(key=lambda match: match.number_in_pairing)
    numbers = {seat: number for number, (seat, _) in enumerate(_numbered_players(entries))}
    seated_matches = (
        SeatedMatch(number, match.seed, tuple(numbers[seat] for seat in match.seats))
        for number, match in enumerate(unplayed)
    )
    for seated_match, outcome in pool.play(seated_matches):
        finish(unplayed[seated_match.number], outcome)
    return [played[match] for match in matches]


def players_of(entries: Sequence[Lineup]) -> tuple[SeatedBot, ...]:
    """The bots of all entries."""
    return tuple(player for _, player in _numbered_players(entries))


def _numbered_players(entries: Sequence[Lineup]) -> list[tuple[tuple[int, int], SeatedBot]]:
    """(The number of the entry, the number of the bot within it) and the bot, for every bot."""
    return [
        ((number, bot), player)
        for number, entry in enumerate(entries)
        for bot, player in enumerate(entry.players)
    ]


def _seated_bots(entries: Sequence[Lineup], match: PlannedMatch) -> list[SeatedBot]:
    return [entries[number].players[bot_number] for number, bot_number in match.seats]


def match_result(setup: Setup, match: PlannedMatch, outcome: MatchOutcome) -> MatchResult:
    """The result of a match, as the standings need it."""
    result = outcome.record.result or {}
    return result_of_rotation(
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
        """The path of a match's record, which need not exist yet."""
        return self.folder / f"{match.name}.json"

    def outcome(
        self, fmt: Format, match: PlannedMatch, bots: Sequence[SeatedBot]
    ) -> MatchOutcome | None:
        """The outcome of a match; None if it has no record here. Raises like `recorded_outcome`."""
        return recorded_outcome(self.path(match), fmt, match.seed, bots)


def recorded_outcome(
    path: Path, fmt: Format, seed: str, bots: Sequence[SeatedBot]
) -> MatchOutcome | None:
    """The outcome of a match whose record is in a file; None if there is no such file.

    UsageError if the record has other cards or other bots. Times, memory and logs are not in
    records.
    """
    record = stored_record(path)
    if record is None:
        return None
    players = [player.as_json() for player in bots]
    is_same_match = (record.format, record.seed, record.players) == (str(fmt), seed, players)
    if not is_same_match or record.result is None:
        raise UsageError(
            f"{path} is the record of a different match: to resume, use the same format, seed, and "
            "bots in the same order."
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
