"""The `cardroom` command: the authors' commands of `bots.cli`, and `tournament`."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from bots import house
from bots.cli import app
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
from bots.clock import ClockSettings
from bots.sandbox import Limits
from engine import Format
from tournaments import local


@guarded
def tournament(
    format_text: Annotated[
        str, typer.Argument(metavar="FORMAT", help="Such as cassino/royal/2v2.")
    ],
    bots: Annotated[
        list[str], typer.Argument(metavar="BOT...", help="The entrants: paths, or house:NAME.")
    ],
    *,
    groups: Annotated[
        int, typer.Option(min=1, max=10_000, help="Deal groups of each fixture.")
    ] = 10,
    meetings: Annotated[int, typer.Option(min=1, max=100, help="Turns of the round robin.")] = 1,
    seed: Annotated[str | None, typer.Option(help="Pairings and shuffles come from it.")] = None,
    records: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write every match's record here.")
    ] = None,
    trusted: Trusted = False,
    move_ms: MoveMs = 1_000,
    bank_ms: BankMs = 20_000,
    as_json: AsJson = False,
) -> None:
    """Play a round robin between bots; show standings, cross table and ratings.

    A deal group plays the same shuffles once for every rotation of the sides, a copy of the bot on
    each seat of its side. Exit status 1: a bot broke down (crash, time, garbage, illegal move).
    """
    fmt = parse_format(format_text)
    text = seed or secrets.token_hex(6)
    matches = _planned(fmt, len(bots), seed=text, groups=groups, meetings=meetings)
    players = house.load_players(bots)
    if records is not None:
        _make(records)
    with opened_sandbox(Limits(), trusted=trusted) as sandbox, _bar(quiet=as_json) as bar:
        task = bar.add_task("matches", total=len(matches))

        def told(match: local.PlayedMatch) -> None:
            bar.advance(task)
            if records is not None:
                _write(records / f"{match.plan.name}.json", match)

        clock = ClockSettings(move_ms, bank_ms)
        played = local.play(fmt, players, matches, sandbox=sandbox, clock=clock, on_match=told)
    result = local.report(fmt, text, [player.name for player in players], played)
    if as_json:
        show_json(_as_json(result))
    else:
        _show(result)
    if any(match.outcome.faults for match in played):
        raise typer.Exit(FAILED)


app.command()(tournament)


def main() -> None:
    """Run the `cardroom` command."""
    app(prog_name="cardroom")


def _planned(
    fmt: Format, entrants: int, *, seed: str, groups: int, meetings: int
) -> list[local.PlannedMatch]:
    try:
        return local.plan(fmt, entrants, seed=seed, groups=groups, meetings=meetings)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"The folder {folder} cannot be made: {error.strerror}.") from None


def _write(path: Path, match: local.PlayedMatch) -> None:
    try:
        path.write_text(match.outcome.record.dumps() + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"The record cannot be written to {path}: {error.strerror}.") from None


def _bar(*, quiet: bool) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=quiet or not err.is_terminal,
    )


def _show(result: local.Report) -> None:
    groups = len({match.plan.group for match in result.matches})
    out.print(
        f"{result.fmt}, seed {result.seed}: {groups} deal groups, {len(result.matches)} matches\n",
        markup=False,
    )
    out.print(_standings(result))
    out.print()
    out.print(_cross_table(result))
    out.print()
    out.print(_ratings(result))
    _show_faults(result)


def _standings(result: local.Report) -> Table:
    table = _table("place", "bot", "points", "groups", "won", "drawn", "lost", "diff", "faults")
    for row in result.standings:
        table.add_row(
            str(row.place),
            str(row.entrant),
            f"{row.points:.2f}",
            str(row.groups),
            str(row.won),
            str(row.drawn),
            str(row.lost),
            f"{row.difference:+.1f}",
            str(row.faults),
        )
    return table


def _cross_table(result: local.Report) -> Table:
    order = list(result.cross_table)
    table = _table("", "bot", *(str(place) for place in range(1, len(order) + 1)))
    for place, entrant in enumerate(order, start=1):
        cells = [
            f"{cell.points:g}/{cell.groups}"
            if (cell := result.cross_table[entrant].get(other))
            else "·"
            for other in order
        ]
        table.add_row(str(place), str(entrant), *cells)
    return table


def _ratings(result: local.Report) -> Table:
    table = _table("", "bot", "Elo", "95 %", "matches")
    for place, rating in enumerate(result.fit.ratings.values(), start=1):
        table.add_row(
            str(place),
            str(rating.entrant),
            f"{rating.rating:.0f}",
            f"{rating.low:.0f}…{rating.high:.0f}",
            str(rating.games),
        )
    return table


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="left" if column == "bot" else "right")
    return table


def _show_faults(result: local.Report) -> None:
    faults = [(match, fault) for match in result.matches for fault in match.outcome.faults]
    for match, fault in faults[:5]:
        name = match.outcome.seats[fault.seat].name
        words = f"\n{match.plan.name}: {name} failed at move {fault.move}: {fault.kind}."
        out.print(f"{words} {fault.detail}", style="red", markup=False)
    if len(faults) > 5:
        out.print(f"… and {len(faults) - 5} faults more.", style="red", markup=False)


def _as_json(result: local.Report) -> dict[str, Any]:
    return {
        "format": str(result.fmt),
        "seed": result.seed,
        "standings": [
            {
                "place": row.place,
                "bot": row.entrant,
                "points": row.points,
                "groups": row.groups,
                "won": row.won,
                "drawn": row.drawn,
                "lost": row.lost,
                "matches": row.matches,
                "difference": row.difference,
                "faults": row.faults,
            }
            for row in result.standings
        ],
        "cross_table": {
            str(a): {
                str(b): {
                    "points": cell.points,
                    "groups": cell.groups,
                    "difference": cell.difference,
                }
                for b, cell in cells.items()
            }
            for a, cells in result.cross_table.items()
        },
        "ratings": [
            {
                "bot": rating.entrant,
                "rating": round(rating.rating, 3),
                "low": round(rating.low, 3),
                "high": round(rating.high, 3),
                "matches": rating.games,
                "groups": rating.groups,
            }
            for rating in result.fit.ratings.values()
        ],
        "matches": [
            {
                "name": match.plan.name,
                "round": match.plan.round,
                "seed": match.plan.seed,
                "players": [seat.name for seat in match.outcome.seats],
                "scores": list(match.result.scores),
                "ranks": list(match.result.ranks),
                "faults": [fault.as_json("fallback") for fault in match.outcome.faults],
            }
            for match in result.matches
        ],
    }


if __name__ == "__main__":
    main()
