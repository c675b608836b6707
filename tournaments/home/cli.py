"""The `cardroom` command: the authors' commands of `bots.cli`, and `tournament`."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

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
    parse_format,
    show_json,
)
from bots.clock import ClockSettings
from bots.limits import PackageError
from bots.sandbox import Limits
from bots.terminal import guard_streams
from tournaments import home
from tournaments.home import checking, options
from tournaments.home.forecasting import show_forecasts
from tournaments.home.printing import as_json as report_as_json
from tournaments.home.printing import show

T = TypeVar("T")


@guarded
def tournament(
    format_text: Annotated[
        str, typer.Argument(metavar="FORMAT", help="Such as cassino/royal/2v2.")
    ],
    bots: Annotated[
        list[str], typer.Argument(metavar="BOT...", help="The entrants: paths, or house:NAME.")
    ],
    *,
    system: options.System = "round-robin",
    settings: options.Settings = None,
    groups: options.Groups = 10,
    meetings: options.Meetings = None,
    stages: options.Stages = None,
    partners: options.PartnersOption = "copies",
    tie_breaks: options.TieBreaks = options.COMMONLY,
    forecast: options.Forecasts = False,
    rounds: options.Rounds = home.MAX_ROUNDS,
    seed: Annotated[str | None, typer.Option(help="Pairings and shuffles come from it.")] = None,
    records: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write every match's record here.")
    ] = None,
    trusted: Trusted = False,
    move_ms: MoveMs = 1_000,
    bank_ms: BankMs = 20_000,
    as_json: AsJson = False,
) -> None:
    """Play a tournament between bots; show standings, cross table and ratings.

    A deal group plays the same shuffles once for every rotation of the sides. Bots are seeded in
    the order given. Exit status 1: a bot broke down (crash, time, garbage, illegal move).
    """
    fmt = parse_format(format_text)
    plans = options.plans_of(system, settings or (), groups, meetings, stages)
    size = options.team_size(fmt, partners)
    entries = _entered(bots, size)
    setup = home.Setup(
        fmt=fmt,
        names=tuple(entry.name for entry in entries),
        seed=seed or secrets.token_hex(6),
        plans=plans,
        rotating=partners == "rotating",
        tie_breaks=options.tie_breaks_of(tie_breaks),
        bots=size,
        max_rounds=rounds,
    )
    course = _checked(lambda: home.Course(setup))
    if forecast:
        _checked(lambda: show_forecasts(setup, as_json=as_json))
        return
    waiting = _checked(course.next)
    if records is not None:
        _make(records)
    clock = ClockSettings(move_ms, bank_ms)
    with opened_sandbox(Limits(), trusted=trusted) as sandbox, _bar(quiet=as_json) as bar:
        task = bar.add_task("matches", total=0)

        def told(match: home.PlayedMatch) -> None:
            bar.advance(task)
            if records is not None:
                _write(records / f"{match.plan.name}.json", match)

        while waiting:
            bar.update(task, total=len(course.played) + len(waiting))
            course.take(
                home.play(setup, entries, waiting, sandbox=sandbox, clock=clock, on_match=told)
            )
            waiting = _checked(course.next)
    result = home.report(course)
    if as_json:
        show_json(report_as_json(result))
    else:
        show(result)
    if any(match.outcome.faults for match in result.matches):
        raise typer.Exit(FAILED)


app.command()(tournament)
checking.register()


def main() -> None:
    """Run the `cardroom` command."""
    guard_streams()
    app(prog_name="cardroom")


def _entered(bots: list[str], size: int) -> list[home.Entry]:
    return _checked(lambda: home.enter(bots, size))


def _checked(do: Callable[[], T]) -> T:
    """What `do` gives; what the pairing refuses is a UsageError."""
    try:
        return do()
    except PackageError:
        raise
    except ValueError as error:
        raise UsageError(str(error)) from None


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"The folder {folder} cannot be made: {error.strerror}.") from None


def _write(path: Path, match: home.PlayedMatch) -> None:
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


if __name__ == "__main__":
    main()
