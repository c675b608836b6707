"""`cardroom play`: matches at home, by the server's referee in the server's sandbox."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from bots.cli.common import (
    FAILED,
    USAGE,
    AsJson,
    BankMs,
    FormatText,
    MoveMs,
    Trusted,
    UsageError,
    err,
    guarded,
    opened_sandbox,
    parse_format,
    progress_bar,
    show_json,
    warn_unclaimed,
    write_record,
    write_text,
)
from bots.cli.results import (
    outcome_as_json,
    show_going_on,
    show_match,
    show_matches,
    totals_as_json,
    totals_of,
)
from bots.cli.sources import is_text, read_one, split_place
from bots.referee import house
from bots.referee.clock import ClockSettings
from bots.referee.continuation import play_on
from bots.referee.live_seat import SandboxLike
from bots.referee.outcome import MatchOutcome, Progress, SeatedBot
from bots.referee.referee import play_match
from bots.sandbox import Limits
from engine import Format
from engine.record import MAX_RNG


@dataclass(frozen=True, slots=True)
class Seating:
    """One match to play: its seed, and who sits where."""

    seed: str
    entries: tuple[int, ...]
    """By seat: the number of the entry (a bot as named on the command line)."""


@guarded
def play(
    format_text: FormatText,
    bots: Annotated[
        list[str] | None,
        typer.Argument(metavar="BOT...", help="Per side or per seat: a path, or house:NAME."),
    ] = None,
    *,
    start: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FILE#move-N",
            help="Go on from a record's table after N moves; leave out the format.",
        ),
    ] = None,
    deals: Annotated[
        int | None, typer.Option(min=1, help="At most this many deals a match.")
    ] = None,
    matches: Annotated[
        int,
        typer.Option(
            min=1, max=100_000, help="Number of matches; sides change places, shuffles repeat."
        ),
    ] = 1,
    seed: Annotated[str | None, typer.Option(help="Any text; decides the shuffles.")] = None,
    rng: Annotated[
        str | None, typer.Option(help="Decides the bots' randomness; without it the seed does.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="Write the record here (several: name-1, name-2, …).")
    ] = None,
    trusted: Trusted = False,
    move_ms: MoveMs = 1_000,
    bank_ms: BankMs = 20_000,
    as_json: AsJson = False,
    totals: Annotated[
        bool, typer.Option("--totals", help="With --json: one object with totals and matches.")
    ] = False,
) -> None:
    """Play matches between bots and show the results; after Ctrl-C, those so far.

    Exit status 1: a bot broke down (crash, time, extra, garbage, illegal).
    """
    _check_texts(seed, rng, matches)
    if start is not None:
        if deals is not None or seed is not None or matches > 1:
            raise UsageError("--from has the record's format and cards, for a single match.")
        clock = ClockSettings(move_ms, bank_ms)
        continue_match(
            start, [format_text, *(bots or [])], clock, rng, record, trusted, as_json=as_json
        )
        return
    if not bots:
        raise UsageError("Say which bots play: one a side, one a seat, or one for all.")
    fmt = _with_deals(parse_format(format_text), deals)
    players = house.load_players(bots)
    planned = seatings(fmt, len(players), seed or secrets.token_hex(6), matches)
    warn_unclaimed(fmt, players)
    with opened_sandbox(Limits(), trusted=trusted) as sandbox, _bar(quiet=as_json) as bar:
        clock = ClockSettings(move_ms, bank_ms)
        outcomes = _MatchRunner(fmt, players, sandbox, clock, rng, bar).play(planned, record)
    stopped = len(outcomes) < len(planned)
    if stopped:
        err.print(f"Stopped after {len(outcomes)} of {len(planned)} matches.", style="yellow")
    if as_json:
        show_json(_as_json(fmt, outcomes, totals=totals))
    else:
        (show_match if len(planned) == 1 else show_matches)(fmt, outcomes)
    raise typer.Exit(USAGE if stopped else FAILED if _faulted(outcomes) else 0)


def continue_match(
    start: str,
    bots: Sequence[str],
    clock: ClockSettings,
    rng: str | None,
    written: Path | None,
    trusted: bool,  # noqa: FBT001 - as the option has it
    *,
    as_json: bool,
) -> None:
    """`--from`: play a record's match to its end from one of its positions, and show both ends."""
    source, number = split_place(start)
    if number is None:
        raise UsageError(f"Say after which move: {source}#move-60.")
    record = read_one(source, "play --from")
    match = record.after(number)
    if number > len(record.moves) or match.turn is None:
        raise UsageError(f"{source} has no decision after {number} moves.")
    players = house.load_players(bots)
    warn_unclaimed(match.format, players)
    [seating] = seatings(match.format, len(players), record.seed, 1)
    seated = [players[entry] for entry in seating.entries]
    with opened_sandbox(Limits(), trusted=trusted) as sandbox:
        continued = play_on(match, seated, rng or record.rng or record.seed, sandbox, clock)
    if written is not None:
        write_text(written, continued)
    show_going_on(record, continued, number, as_json=as_json)
    raise typer.Exit(FAILED if continued.faults else 0)


def _check_texts(seed: str | None, rng: str | None, matches: int) -> None:
    """UsageError where a record could not hold them."""
    for name, text in (("seed", seed), ("rng", rng)):
        if text is not None and not is_text(text):
            raise UsageError(f"--{name} must be text in UTF-8.")
    if rng is not None and (matches > 1 or len(rng) > MAX_RNG):
        raise UsageError(f"--rng is for a single match and has at most {MAX_RNG} characters.")


def _faulted(outcomes: Sequence[MatchOutcome]) -> bool:
    return any(outcome.faults for outcome in outcomes)


def _as_json(fmt: Format, outcomes: list[MatchOutcome], *, totals: bool) -> Any:
    matches = [outcome_as_json(outcome) for outcome in outcomes]
    if not totals:
        return matches
    by_name = totals_of(outcome.record for outcome in outcomes)
    return {"format": str(fmt), "totals": totals_as_json(by_name), "matches": matches}


@dataclass(frozen=True, slots=True)
class _MatchRunner:
    """Where and how matches are played."""

    fmt: Format
    players: Sequence[SeatedBot]
    sandbox: SandboxLike
    clock: ClockSettings
    rng: str | None
    bar: Bar

    def play(self, planned: Sequence[Seating], record: Path | None) -> list[MatchOutcome]:
        """Play one match after another, until Ctrl-C; each record is written at the match's end.

        KeyboardInterrupt if no match came to its end. `record`: where, if they are to be written.
        """
        task = self.bar.add_task("", total=None)
        outcomes: list[MatchOutcome] = []
        try:
            for number, seating in enumerate(planned, 1):
                report = _teller(self.bar, task, f"match {number} of {len(planned)}")
                outcomes.append(self._play_one(seating, report))
                if record is not None:
                    several = len(planned) > 1
                    write_record(_numbered(record, number) if several else record, outcomes[-1])
        except KeyboardInterrupt:
            if not outcomes:
                raise
        return outcomes

    def _play_one(self, seating: Seating, report: Callable[[Progress], None]) -> MatchOutcome:
        return play_match(
            self.fmt,
            seating.seed,
            [self.players[entry] for entry in seating.entries],
            sandbox=self.sandbox,
            rng=self.rng,
            clock=self.clock,
            on_progress=report,
        )


def seatings(fmt: Format, entries: int, seed: str, matches: int) -> list[Seating]:
    """The seats of the bots in each match.

    One entry per side (or one for all) sits down as copies; one per seat as named. Each shuffle is
    played once for every rotation of the sides, where the sides are equally large, so that luck
    cancels; the seeds are `seed`, or `seed-1`, `seed-2`, … for several shuffles.
    """
    sides = len(fmt.sides)
    if entries not in {1, sides, fmt.seats}:
        counts = f"{sides} (one a side)" + (
            f" or {fmt.seats} (one a seat)" if fmt.seats > sides else ""
        )
        raise UsageError(f"{fmt} needs {counts} bots, not {entries}.")
    home = _by_side(fmt, entries)
    equal = len({len(side) for side in fmt.sides}) == 1
    turns = sides if matches > 1 and (equal or entries == sides) else 1
    planned = []
    for number in range(matches):
        shuffle, turn = divmod(number, turns)
        seats = [0] * fmt.seats
        for side, members in enumerate(fmt.sides):
            team = home[(side + turn) % sides]
            for place, seat in enumerate(members):
                seats[seat] = team[place % len(team)]
        text = seed if matches <= turns else f"{seed}-{shuffle + 1}"
        planned.append(Seating(text, tuple(seats)))
    return planned


def _by_side(fmt: Format, entries: int) -> list[list[int]]:
    if entries == 1:
        return [[0] for _ in fmt.sides]
    if entries == len(fmt.sides):
        return [[side] for side in range(entries)]
    return [list(side) for side in fmt.sides]


def _with_deals(fmt: Format, deals: int | None) -> Format:
    if deals is None:
        return fmt
    try:
        return Format(fmt.game, fmt.variant, fmt.table, {**fmt.options, "deals": deals})
    except ValueError as error:
        raise UsageError(f"--deals {deals} is not possible: {error}") from None


def _bar(*, quiet: bool) -> Bar:
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    return progress_bar(*columns, quiet=quiet)


def _teller(bar: Bar, task: TaskID, heading: str) -> Callable[[Progress], None]:
    def told(progress: Progress) -> None:
        score = " : ".join(map(str, progress.scores))
        words = f"{heading}, {progress.deals} deals, {progress.moves} moves, {score}"
        bar.update(task, description=words)

    return told


def _numbered(path: Path, number: int) -> Path:
    return path.with_stem(f"{path.stem}-{number}")
