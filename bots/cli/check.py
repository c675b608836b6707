"""`cardroom check`: run the same check as the server at upload."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.text import Text

from bots.check.check import MAX_FORMATS, check_bot
from bots.check.report import CheckReport, CheckStep
from bots.cli.common import (
    FAILED,
    AsJson,
    BankMs,
    MoveMs,
    Trusted,
    UsageError,
    Variables,
    err,
    guarded,
    opened_sandbox,
    out,
    show_json,
)
from bots.package.package import Package
from bots.referee import house
from bots.referee.clock import ClockSettings
from bots.sandbox import Limits

_MARKS = {"waiting": "·", "running": "…", "ok": "✓", "failed": "✗", "skipped": "–"}
_STYLES = {"waiting": "dim", "running": "bold", "ok": "green", "failed": "red", "skipped": "dim"}


@guarded
def check(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A path, or house:NAME.")],
    *,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            help="Check only claimed formats that match, such as cassino/*/2v2; may be repeated.",
        ),
    ] = None,
    max_formats: Annotated[
        int,
        typer.Option(
            min=1, help="Formats to play at most; every variant and table form is always played."
        ),
    ] = MAX_FORMATS,
    trusted: Trusted = False,
    env: Variables = None,
    move_ms: MoveMs = 1_000,
    bank_ms: BankMs = 20_000,
    as_json: AsJson = False,
) -> None:
    """Run the check that the site runs at upload.

    The bot must load, answer, and play all claimed formats. Exit status 1: the check failed. The
    first problem is explained.
    """
    source = _source(bot)
    limits = Limits()
    with (
        opened_sandbox(limits, trusted=trusted, variables=env) as sandbox,
        Live(console=err, transient=True, auto_refresh=False) as live,
    ):
        show_progress = err.is_terminal and not as_json
        report = check_bot(
            source,
            sandbox=sandbox,
            bot_argument=bot,
            patterns=pattern,
            clock=ClockSettings(move_ms, bank_ms),
            limits=limits,
            max_formats=max_formats,
            on_step=(lambda steps: live.update(_progress(steps), refresh=True))
            if show_progress
            else None,
        )
    if as_json:
        show_json(report.as_json())
    else:
        _show(report)
    if not report.ok:
        raise typer.Exit(FAILED)


def _source(bot: str) -> Package | Path:
    """A house bot, or the path for the check to read."""
    if bot.startswith(house.PREFIX):
        return house.find(bot)
    path = Path(bot)
    if not path.exists():
        raise UsageError(f"There is no {bot!r}; a bot is a bot.py, a zip, a folder or house:NAME.")
    return path


def _show(report: CheckReport) -> None:
    out.print(_lines(report.steps))
    out.print()
    out.print(report.summary, style="green" if report.ok else "red")
    for step in report.steps:
        if step.status == "failed" and step.detail:
            out.print(f"\n{step.detail}")
    if report.log and not report.ok:
        out.print("\nThe bot's log:", style="bold")
        out.print(report.log[-4000:].rstrip())


def _progress(steps: list[CheckStep]) -> Group:
    """The running step and the number of checked formats; all steps would not fit on a screen."""
    formats = [step for step in steps if "/" in step.name]
    checked = sum(step.status == "ok" for step in formats)
    count_lines = (
        [Text(f"checked {checked} of {len(formats)} formats", style="dim")] if formats else []
    )
    return Group(*(_line(step) for step in steps if step.status == "running"), *count_lines)


def _lines(steps: list[CheckStep]) -> Group:
    """Every step that was not skipped, and the number of skipped steps."""
    tried = [step for step in steps if step.status != "skipped"]
    skipped = len(steps) - len(tried)
    skipped_lines = [Text(f"– {skipped} more not tried", style="dim")] if skipped else []
    return Group(*(_line(step) for step in tried), *skipped_lines)


def _line(step: CheckStep) -> Text:
    line = Text(f"{_MARKS[step.status]} {step.title}", style=_STYLES[step.status])
    if step.status in {"ok", "failed"}:
        line.append(f"  {step.seconds:.1f} s", style="dim")
    if step.text and step.status == "ok":
        line.append(f"  {step.text}", style="default not bold")
    return line
