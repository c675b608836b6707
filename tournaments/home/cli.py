"""The `cardroom` command: the authors' commands of `bots.cli`, and `tournament`."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from bots.cli import app as app
from bots.cli.common import (
    FAILED,
    USAGE,
    AsJson,
    BankMs,
    FormatText,
    InProcess,
    Jobs,
    MoveMs,
    Trusted,
    UsageError,
    Variables,
    guarded,
    match_conditions,
    parse_format,
    progress_bar,
    show_json,
    warn_unclaimed,
    write_record,
)
from bots.cli.sources import check_seed_option
from bots.limits import PackageError
from bots.referee.clock import ClockSettings
from bots.referee.parallel import MatchPool
from bots.sandbox import cores
from cardroom_base.core.fields import FieldError
from cardroom_base.core.safe_text import guard_streams
from engine.english import count_of
from tournaments import home
from tournaments.home import cli_options, verify_command
from tournaments.home.pace import Leader, Pace
from tournaments.home.play_command import play
from tournaments.home.printing import as_json as report_as_json
from tournaments.home.printing import print_forecasts, print_report
from tournaments.home.resuming import report_stop, resume_explained
from tournaments.home.site_commands import doctor, manage, up
from tournaments.measure.command import measure

T = TypeVar("T")


@guarded
def tournament(
    format_text: FormatText,
    bots: Annotated[
        list[str], typer.Argument(metavar="BOT...", help="The entrants: paths, or house:NAME.")
    ],
    *,
    system: cli_options.System = "round-robin",
    settings: cli_options.Settings = None,
    groups: cli_options.Groups = 10,
    meetings: cli_options.Meetings = None,
    stages: cli_options.Stages = None,
    partners: cli_options.PartnersOption = "copies",
    tie_breaks: cli_options.TieBreaks = cli_options.DEFAULT_TIE_BREAKS,
    forecast: cli_options.Forecasts = False,
    rounds: cli_options.Rounds = home.MAX_ROUNDS,
    seed: cli_options.Seed = None,
    records: cli_options.Records = None,
    resume: cli_options.Resume = False,
    jobs: Jobs = None,
    in_process: InProcess = False,
    trusted: Trusted = False,
    env: Variables = None,
    move_ms: MoveMs = 1_000,
    bank_ms: BankMs = 20_000,
    as_json: AsJson = False,
) -> None:
    """Play a tournament between bots, and show its tables.

    The tables are standings, cross table and ratings. Ctrl-C stops the tournament and shows the
    results so far; with --records, a later run with --resume plays the remaining matches.

    A deal group plays the same shuffles once for every rotation of the sides. Bots are seeded in
    the order given. Exit status 1: a bot committed a fault; 2: stopped by Ctrl-C.
    """
    check_seed_option(seed)
    fmt = parse_format(format_text)
    plans = cli_options.plans_of(system, settings or (), groups, meetings, stages)
    size = cli_options.team_size(fmt, partners)
    entries = _convert_errors(lambda: home.lineups(bots, size))
    setup = home.Setup(
        fmt=fmt,
        names=tuple(entry.name for entry in entries),
        seed=seed or secrets.token_hex(6),
        plans=plans,
        rotating=partners == "rotating",
        tie_breaks=cli_options.tie_breaks_of(tie_breaks),
        bots=size,
        max_rounds=rounds,
    )
    course = _convert_errors(lambda: home.HomeTournament(setup))
    if forecast:
        _convert_errors(lambda: print_forecasts(setup, as_json=as_json))
        return
    folder = _record_folder(records, resume=resume, seeded=seed is not None)
    warn_unclaimed(fmt, [player for entry in entries for player in entry.players])
    conditions = match_conditions(
        fmt,
        home.players_of(entries),
        ClockSettings(move_ms, bank_ms),
        trusted=trusted,
        in_process=in_process,
        variables=env,
    )
    run, stopped = _TournamentRun(setup, course, entries, folder), False
    try:
        with (
            resume_explained(setup.seed, lambda: folder is not None and bool(run.finished)),
            MatchPool(conditions, jobs or cores()) as pool,
            _bar(quiet=as_json) as bar,
        ):
            run.play(pool, bar, resume=resume)
    except KeyboardInterrupt:  # the pool has ended its processes without waiting for their matches
        run.stop()
        stopped = True
    if stopped:
        report_stop(
            count_of(len(course.played), "match", "matches"),
            setup.seed,
            any_finished=bool(course.played),
            recorded=folder is not None,
            as_json=as_json,
        )
    faulted = _print_report(course, as_json=as_json)
    if stopped or faulted:
        raise typer.Exit(USAGE if stopped else FAILED)


def _print_report(course: home.HomeTournament, *, as_json: bool) -> bool:
    """Print the results; return whether a bot committed a fault."""
    result = home.report(course)
    if as_json:
        show_json(report_as_json(result))
    else:
        print_report(result)
    return any(match.outcome.faults for match in result.matches)


@dataclass(slots=True)
class _TournamentRun:
    """A tournament being played."""

    setup: home.Setup
    course: home.HomeTournament
    entries: list[home.Lineup]
    folder: home.RecordFolder | None
    batch: list[home.PlayedMatch] = field(default_factory=list)
    """The matches that are played, but not in `course` yet."""
    finished: int = 0
    """Number of matches with an outcome."""
    pace: Pace = field(default_factory=Pace)
    leader: Leader = field(default_factory=Leader)

    def play(self, pool: MatchPool, bar: Progress, *, resume: bool) -> None:
        """Play to the end; `course` collects the results."""
        task = bar.add_task("", total=0)

        def finish(match: home.PlayedMatch) -> None:
            if self.folder is not None and not match.recorded:
                write_record(self.folder.path(match.plan), match.outcome.record)
            self.batch.append(match)
            self._count(match)
            if not bar.disable:
                text = self._progress_text(planned - self.finished)
                bar.update(task, completed=self.finished, description=text)

        while waiting := _convert_errors(self.course.next_matches):
            planned = len(self.course.played) + len(waiting)
            bar.update(task, total=planned)
            played = home.play_matches(
                self.setup,
                self.entries,
                waiting,
                pool,
                folder=self.folder if resume else None,
                on_match=finish,
            )
            self.course.add_results(played)
            self.batch.clear()

    def stop(self) -> None:
        """Add the results so far to `course`, after Ctrl-C."""
        added = {match.plan for match in self.course.played}
        self.batch.sort(key=lambda match: (match.plan.group, match.plan.turn))
        self.course.add_results(match for match in self.batch if match.plan not in added)

    def _count(self, match: home.PlayedMatch) -> None:
        self.finished += 1
        self.leader.add(match.game)
        if match.recorded:
            self.pace = Pace()
        else:
            self.pace.played += 1

    def _progress_text(self, remaining: int) -> str:
        words = [self.leader.text(), *self.pace.words(remaining)]
        return ", ".join(filter(None, words))


def _record_folder(records: Path | None, *, resume: bool, seeded: bool) -> home.RecordFolder | None:
    """The folder for records, created if it is missing; None without `records`."""
    if resume and (records is None or not seeded):
        raise UsageError("--resume needs the --records and the --seed of the run that stopped.")
    if records is None:
        return None
    _create_folder(records)
    return home.RecordFolder(records)


app.command()(play)
app.command()(tournament)
app.command()(measure)
app.command()(up)
app.command()(doctor)
app.command(context_settings={"allow_interspersed_args": False})(manage)
verify_command.register()


def main() -> None:
    """Run the `cardroom` command."""
    guard_streams()
    app(prog_name="cardroom")


def _convert_errors(function: Callable[[], T]) -> T:
    """Call a function; raise its ValueErrors about pairing as UsageErrors."""
    try:
        return function()
    except (PackageError, FieldError):
        raise
    except ValueError as error:
        raise UsageError(str(error)) from None


def _create_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"The folder {folder} cannot be created: {error.strerror}.") from None


def _bar(*, quiet: bool) -> Progress:
    columns = (BarColumn(20), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    return progress_bar(*columns, quiet=quiet)


if __name__ == "__main__":
    main()
