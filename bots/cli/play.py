"""`cardroom play`: matches at home, by the server's referee in the server's sandbox."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from bots import house
from bots.cli.common import (
    FAILED,
    AsJson,
    BankMs,
    MoveMs,
    Trusted,
    UsageError,
    err,
    guarded,
    opened_sandbox,
    out,
    parse_format,
    show_json,
)
from bots.cli.sources import is_text
from bots.clock import ClockSettings
from bots.outcome import MatchOutcome, Player, Progress
from bots.referee import play_match
from bots.sandbox import Limits
from engine import Format
from engine.record import MAX_RNG

LOG_LINES = 12
"""Lines of a bot's own log that are shown when it failed."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """One match to play: its seed, and who sits where."""

    seed: str
    entries: tuple[int, ...]
    """By seat: the number of the entry (a bot as named on the command line)."""


@guarded
def play(
    format_text: Annotated[
        str, typer.Argument(metavar="FORMAT", help="Such as cassino/royal/2v2.")
    ],
    bots: Annotated[
        list[str],
        typer.Argument(metavar="BOT...", help="Per side or per seat: a path, or house:NAME."),
    ],
    *,
    deals: Annotated[int | None, typer.Option(min=1, help="Deals of a match at most.")] = None,
    matches: Annotated[
        int, typer.Option(min=1, max=100_000, help="Matches; sides change places, shuffles repeat.")
    ] = 1,
    seed: Annotated[str | None, typer.Option(help="Shuffles come from it; any text.")] = None,
    rng: Annotated[
        str | None, typer.Option(help="The bots' randomness comes from it, else from the seed.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="Write the record here (several: name-1, name-2, …).")
    ] = None,
    trusted: Trusted = False,
    move_ms: MoveMs = 1_000,
    bank_ms: BankMs = 20_000,
    as_json: AsJson = False,
) -> None:
    """Play matches between bots and show the results.

    Exit status 1: a bot broke down (crash, time, garbage, illegal move).
    """
    for name, text in (("seed", seed), ("rng", rng)):
        if text is not None and not is_text(text):
            raise UsageError(f"--{name} must be text in UTF-8.")
    if rng is not None and (matches > 1 or len(rng) > MAX_RNG):
        raise UsageError(f"--rng is of a single match, and has {MAX_RNG} characters at most.")
    fmt = _with_deals(parse_format(format_text), deals)
    players = house.load_players(bots)
    pairings = pair(fmt, len(players), seed or secrets.token_hex(6), matches)
    clock = ClockSettings(move_ms, bank_ms)
    outcomes: list[MatchOutcome] = []
    with opened_sandbox(Limits(), trusted=trusted) as sandbox, _bar(quiet=as_json) as bar:
        task = bar.add_task("", total=None)
        for number, pairing in enumerate(pairings):
            seated = [players[entry] for entry in pairing.entries]
            told = _teller(bar, int(task), f"match {number + 1} of {len(pairings)}")
            outcome = play_match(
                fmt,
                pairing.seed,
                seated,
                sandbox=sandbox,
                rng=rng,
                clock=clock,
                on_progress=told,
            )
            outcomes.append(outcome)
            if record is not None:
                _write(record, number if len(pairings) > 1 else None, outcome)
    if as_json:
        show_json([_as_json(outcome) for outcome in outcomes])
    elif len(outcomes) == 1:
        _show_match(fmt, outcomes[0])
    else:
        _show_table(fmt, players, pairings, outcomes)
    if any(outcome.faults for outcome in outcomes):
        raise typer.Exit(FAILED)


def pair(fmt: Format, entries: int, seed: str, matches: int) -> list[Pairing]:
    """Who sits where in each match.

    One entry per side (or one for all) sits down as copies; one per seat as named. Each shuffle is
    played once for every rotation of the sides, where the sides are equally large, so that luck
    cancels; the seeds are `seed`, or `seed-1`, `seed-2`, … for several shuffles.
    """
    sides = len(fmt.sides)
    if entries not in {1, sides, fmt.seats}:
        each = f"{sides} (one a side)" + (
            f" or {fmt.seats} (one a seat)" if fmt.seats > sides else ""
        )
        raise UsageError(f"{fmt} needs {each} bots, not {entries}.")
    home = _by_side(fmt, entries)
    equal = len({len(side) for side in fmt.sides}) == 1
    turns = sides if matches > 1 and (equal or entries == sides) else 1
    pairings = []
    for number in range(matches):
        shuffle, turn = divmod(number, turns)
        seats = [0] * fmt.seats
        for side, members in enumerate(fmt.sides):
            team = home[(side + turn) % sides]
            for place, seat in enumerate(members):
                seats[seat] = team[place % len(team)]
        text = seed if matches <= turns else f"{seed}-{shuffle + 1}"
        pairings.append(Pairing(text, tuple(seats)))
    return pairings


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
    return Bar(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=err,
        transient=True,
        disable=quiet or not err.is_terminal,
    )


def _teller(bar: Bar, task: Any, heading: str) -> Callable[[Progress], None]:
    def told(progress: Progress) -> None:
        score = " : ".join(map(str, progress.scores))
        words = f"{heading}, {progress.deals} deals, {progress.moves} moves, {score}"
        bar.update(task, description=words)

    return told


def _write(path: Path, number: int | None, outcome: MatchOutcome) -> None:
    target = path if number is None else path.with_stem(f"{path.stem}-{number + 1}")
    try:
        target.write_text(outcome.record.dumps() + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"The record cannot be written to {target}: {error.strerror}.") from None


def _as_json(outcome: MatchOutcome) -> dict[str, Any]:
    return {
        "record": outcome.record.to_json(),
        "seats": [
            {
                "name": seat.name,
                "moves": seat.moves,
                "cpu_ms": round(seat.cpu_ms, 3),
                "wall_ms": round(seat.wall_ms, 3),
                "slowest_ms": round(seat.slowest_ms, 3),
                "peak_memory_kib": seat.peak_memory_kib,
                "log": seat.stderr.decode("utf-8", "replace"),
            }
            for seat in outcome.seats
        ],
    }


def _show_match(fmt: Format, outcome: MatchOutcome) -> None:
    result = outcome.record.result or {}
    table = Table("rank", "side", "score", box=None, pad_edge=False)
    for side, seats in sorted(enumerate(fmt.sides), key=lambda item: result["ranks"][item[0]]):
        names = " + ".join(outcome.seats[seat].name for seat in seats)
        table.add_row(str(result["ranks"][side]), Text(names), str(result["scores"][side]))
    out.print(f"{fmt}, seed {outcome.record.seed}, ended by {result['reason']}")
    out.print(table)
    used = Table("seat", "bot", "moves", "ms a move", "slowest ms", "MiB", box=None, pad_edge=False)
    for number, seat in enumerate(outcome.seats):
        mean = seat.wall_ms / seat.moves if seat.moves else 0.0
        memory = f"{seat.peak_memory_kib / 1024:.0f}"
        slowest = f"{seat.slowest_ms:.1f}"
        used.add_row(str(number), Text(seat.name), str(seat.moves), f"{mean:.2f}", slowest, memory)
    out.print()
    out.print(used)
    _show_faults(outcome)


def _show_faults(outcome: MatchOutcome) -> None:
    for seat in outcome.seats:
        if seat.fault is None:
            continue
        fault = seat.fault
        words = f"\nSeat {fault.seat} ({seat.name}) failed at move {fault.move}: {fault.kind}."
        out.print(f"{words} {fault.detail}", style="red")
        if fault.received:
            out.print(f"It sent {json.dumps(fault.received)}")
        log = seat.stderr.decode("utf-8", "replace").strip().splitlines()
        if log:
            out.print("The end of its log:", *log[-LOG_LINES:], sep="\n  ")


def _show_table(
    fmt: Format, players: list[Player], pairings: list[Pairing], outcomes: list[MatchOutcome]
) -> None:
    table = Table(
        "bot", "matches", "won", "shared", "lost", "score", "faults", box=None, pad_edge=False
    )
    for entry, player in enumerate(players):
        tally = _tally(fmt, entry, pairings, outcomes)
        won, shared, lost, score, faults = tally
        played = won + shared + lost
        mean = f"{score / played:.2f}" if played else "–"
        cells = (played, won, shared, lost, mean, faults)
        table.add_row(Text(player.name), *map(str, cells))
    out.print(f"{fmt}, {len(outcomes)} matches")
    out.print(table)
    for outcome in outcomes:
        if outcome.faults:
            _show_faults(outcome)
            return


def _tally(
    fmt: Format, entry: int, pairings: list[Pairing], outcomes: list[MatchOutcome]
) -> tuple[int, int, int, float, int]:
    """Won, shared, lost, scores added up, faults: per side that the entry sat on."""
    won = shared = lost = faults = 0
    score = 0.0
    for pairing, outcome in zip(pairings, outcomes, strict=True):
        result = outcome.record.result or {}
        faults += sum(pairing.entries[fault.seat] == entry for fault in outcome.faults)
        for side, seats in enumerate(fmt.sides):
            if not any(pairing.entries[seat] == entry for seat in seats):
                continue
            score += result["scores"][side]
            first = result["ranks"][side] == 1
            alone = result["ranks"].count(1) == 1
            won += first and alone
            shared += first and not alone
            lost += not first
    return won, shared, lost, score, faults
