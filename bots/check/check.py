"""The check of a bot: the same at upload and at home (`cardroom check`).

The check reads the package, starts the bot, and has it play each claimed format against
`house:random` on every side in turn, then against itself. The check ends at the first problem and
explains it. A bot that claims every format (its manifest has no `formats`) is accepted for the
games in which it has no problem. A failure of the platform raises an error and is never blamed on
the bot.

A check is bounded. The start line names a short clock, and all matches together may take
`PLAY_SECONDS` of the bots' time: each match gets a share of the remaining time and stops when its
share is used up. So a slow bot is tried in every format, though perhaps not to the end. Only the
bots' own time counts, so the machine's load makes no difference.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic

from bots.check.report import CheckReport, CheckStep, sample
from bots.limits import PackageError, size_text
from bots.package.manifest import EVERY_FORMAT, matching_formats
from bots.package.package import Package
from bots.referee import house, protocol
from bots.referee.clock import Clock, ClockSettings, Stopwatch
from bots.referee.fault_report import Problem, commands_for, explain, last_log_line
from bots.referee.live_seat import LiveSeat, SandboxLike
from bots.referee.outcome import MatchOutcome, RefereeError, SeatedBot, SeatReport
from bots.referee.referee import play_match
from bots.referee.turns import seat_rng
from bots.sandbox import Limits, libraries
from cardroom_base.core import compiled, names
from cardroom_base.core.safe_text import escape
from engine import Format, registry
from engine.declarations import join_words

DEALS = 2
"""Deals of a match in a check: the second tests that the bot continues after the first."""
MAX_FORMATS = 40
"""Maximum number of formats that one check plays; if a bot claims more, the check plays a
`sample`."""
MAX_LOG = 65_536
"""Maximum number of characters of a check's log."""
BOT_MOVE_MS = 100
"""Free milliseconds per move that the start line names; faults are judged by the real clock."""
PLAY_SECONDS = 100.0
"""Seconds that bots may take to start and decide, in all matches of a check together."""
SHARES_PER_FORMAT = 2
"""A format may use this many equal shares of the remaining time; most bots need less than one."""

OnStep = Callable[[list[CheckStep]], None]


def check_bot(
    source: Package | str | Path | bytes,
    *,
    sandbox: SandboxLike,
    filename: str | None = None,
    bot_argument: str = "BOT",
    patterns: Sequence[str] | None = None,
    clock: ClockSettings | None = None,
    limits: Limits | None = None,
    max_formats: int = MAX_FORMATS,
    play_seconds: float = PLAY_SECONDS,
    on_step: OnStep | None = None,
    on_poll: Callable[[], None] | None = None,
) -> CheckReport:
    """Check a bot given as a package, a path, or an upload's bytes with its `filename`.

    `bot_argument`: names the bot in commands that reproduce a problem. `patterns`: the formats to
    play, by default all claimed ones. `on_step` gets all steps whenever one changes. `on_poll` is
    called every few milliseconds of a match; an exception from it ends the check. Raises
    `SandboxUnavailable` or `RefereeError` if the platform fails, ManifestError on a wrong pattern.
    """
    checker = _Checker(sandbox, clock or ClockSettings(), limits or Limits(), on_step)
    checker.bot_argument = bot_argument
    checker.seconds_left = play_seconds
    checker.on_poll = on_poll
    selection = None if patterns is None else matching_formats(patterns)
    try:
        checker.run(source, filename, selection, max_formats)
    except _ProblemFoundError as stop:
        checker.report.summary = stop.problem.summary
        checker.skip("")
    return checker.report


class _ProblemFoundError(Exception):
    """The first problem of the bot."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem


class _Checker:
    def __init__(
        self, sandbox: SandboxLike, clock: ClockSettings, limits: Limits, on_step: OnStep | None
    ) -> None:
        self.sandbox = sandbox
        self.clock = clock
        self.bot_clock = ClockSettings(min(BOT_MOVE_MS, clock.move_ms), clock.bank_ms)
        self.seconds_left = PLAY_SECONDS
        self.limits = limits
        self.on_step = on_step
        self.bot_argument = "BOT"
        self.on_poll: Callable[[], None] | None = None
        self.report = CheckReport()
        self.seat_reports: list[SeatReport] = []
        self.match_count = 0
        self.stopped_matches = 0
        self.unplayed_formats = 0

    def run(
        self,
        source: Package | str | Path | bytes,
        filename: str | None,
        selection: list[Format] | None,
        max_formats: int,
    ) -> None:
        steps = self.report.steps
        steps.append(CheckStep("package", "The package can be read"))
        with self._running(steps[0]):
            package = self._load(source, filename)
        self.report.package = package
        formats = _selected_formats(package, selection)
        played = sample(formats, max_formats)
        steps[0].text = _package_text(package, len(formats), len(played))
        steps.append(CheckStep("start", "The bot starts and reports that it is ready"))
        steps += [CheckStep(str(fmt), f"It plays {fmt}") for fmt in played]
        steps.append(CheckStep("limits", "Time and memory"))
        with self._running(steps[1]):
            steps[1].text = self._start_alone(package, played[0])
        claimed_all = selection is None and package.manifest.formats == EVERY_FORMAT
        problems = self._play_formats(package, played, claimed_all=claimed_all)
        with self._running(steps[-1]):
            steps[-1].text, steps[-1].detail = self._usage_text()
        games = list(dict.fromkeys(fmt.game for fmt in played if fmt.game not in problems))
        claims = package.manifest.formats if selection is None else tuple(map(str, formats))
        self.report.formats = tuple(f"{game}/*/*" for game in games) if problems else claims
        self.report.summary = f"{_ready_text(games, problems)} {steps[-1].text}"
        if self.unplayed_formats:
            unplayed = _counted(self.unplayed_formats, "format")
            self.report.summary += f" The check ran out of time before it played {unplayed}."

    def _play_formats(
        self, package: Package, played: Sequence[Format], *, claimed_all: bool
    ) -> dict[str, Problem]:
        """Play all formats; returns the first problem of each game.

        Unless the bot `claimed_all` formats, the first problem ends the check instead.
        """
        problems: dict[str, Problem] = {}
        for number, fmt in enumerate(played):
            step = self.report.steps[2 + number]
            if step.status == "skipped":
                continue
            time_share = SHARES_PER_FORMAT / (len(played) - number - 1 + SHARES_PER_FORMAT)
            try:
                with self._running(step):
                    step.text = self._play_format(
                        package, fmt, number, time_share * self.seconds_left
                    )
            except _ProblemFoundError as stop:
                if not claimed_all:
                    raise _ProblemFoundError(self._with_hint(stop.problem, step, played)) from None
                problems[fmt.game] = stop.problem
                self.skip(f"{fmt.game}/")
        if {fmt.game for fmt in played} == problems.keys():
            raise _ProblemFoundError(next(iter(problems.values())))
        return problems

    @staticmethod
    def _with_hint(problem: Problem, step: CheckStep, played: Sequence[Format]) -> Problem:
        """The problem of a format, with a hint if the bot claims other games as well."""
        if len({fmt.game for fmt in played}) > 1:
            title = registry.game(step.name.partition("/")[0]).title
            step.text = (
                f"{problem.summary} If the bot is not for {title}, remove that game from formats "
                "in cardroom.toml."
            )
        return replace(problem, summary=step.text)

    def skip(self, start: str) -> None:
        """Mark waiting steps whose names begin with `start` as skipped."""
        for step in self.report.steps:
            if step.status == "waiting" and step.name.startswith(start):
                step.status = "skipped"
        self._report_steps()

    @contextmanager
    def _running(self, step: CheckStep) -> Iterator[None]:
        """Run a step: record its status and time, and report it."""
        step.status = "running"
        self._report_steps()
        began = monotonic()
        try:
            yield
        except _ProblemFoundError as stop:
            step.status = "failed"
            step.text = stop.problem.summary
            step.detail = stop.problem.detail
            raise
        else:
            step.status = "ok"
        finally:
            step.seconds = monotonic() - began
            self._report_steps()

    def _report_steps(self) -> None:
        if self.on_step is not None:
            self.on_step(self.report.steps)

    def _load(self, source: Package | str | Path | bytes, filename: str | None) -> Package:
        if isinstance(source, Package):
            return source
        try:
            return Package.load(source, filename)
        except PackageError as error:
            raise _ProblemFoundError(Problem(str(error), error.detail)) from None

    def _start_alone(self, package: Package, fmt: Format) -> str:
        """Start the bot alone, without a match."""
        if missing := libraries.missing(package.manifest.needs):
            raise _ProblemFoundError(_missing_libraries(missing))
        process = self.sandbox.open(package.program(), name="check")
        try:
            live_seat = LiveSeat(0, SeatedBot(package.name, package), process, Clock(self.clock))
            line = protocol.start_line(
                format_text=str(fmt),
                seat=0,
                sides=fmt.sides,
                players=[package.name] * fmt.seats,
                clock=self.bot_clock.as_json(),
                rng=seat_rng("check", 0),
            )
            live_seat.send_start(line)
            fault = live_seat.await_ready(Stopwatch())
            if fault is None:
                return f"Ready after {live_seat.start_ns / 1e6:.0f} ms."
            self._add_to_log(f"start, {fmt}", process.stderr())
            last_line = last_log_line(process.stderr())
            raise _ProblemFoundError(
                explain(
                    fault, None, last_line, [shlex.join(["cardroom", "check", self.bot_argument])]
                )
            )
        finally:
            process.close()

    def _play_format(self, package: Package, fmt: Format, first: int, seconds: float) -> str:
        """Play the matches of one format: against `house:random` on each side, and against itself.

        `first`: the match to begin with. It differs by format, so that a slow bot, whose later
        matches are not played, still plays on all sides.
        """
        if seconds <= 0 and self.match_count:
            self.unplayed_formats += 1
            return "Not played: the check ran out of time."
        bot = SeatedBot(package.name, package)
        opponent = SeatedBot(names.RANDOM, house.find(names.RANDOM))
        short_format = _with_few_deals(fmt)
        reserved_seconds, first_report, finished_matches = (
            self.seconds_left - seconds,
            len(self.seat_reports),
            0,
        )
        count = len(fmt.sides) + 1
        for number in range(count):
            match_seconds = self.seconds_left - reserved_seconds
            if number and match_seconds <= 0:
                break
            side = (first + number) % count
            players = [
                bot if side in {fmt.side(seat), count - 1} else opponent
                for seat in range(fmt.seats)
            ]
            finished_matches += self._play_match(
                short_format, players, bot, match_seconds / (count - number)
            )
        reports = self.seat_reports[first_report:]
        moves = sum(report.moves for report in reports)
        slowest = max(report.slowest_ms for report in reports)
        played = (
            f"{count} matches"
            if finished_matches == count
            else f"{finished_matches} of {count} matches to the end"
        )
        return f"{played}, {moves} moves by the bot, slowest {slowest:.0f} ms."

    def _play_match(
        self, fmt: Format, players: list[SeatedBot], bot: SeatedBot, seconds: float
    ) -> bool:
        """Play a match for at most `seconds` of the bots' time; returns whether it finished."""
        self.match_count += 1
        seed = f"check-{self.match_count}"
        outcome = play_match(
            fmt,
            seed,
            players,
            sandbox=self.sandbox,
            clock=self.clock,
            bot_clock=self.bot_clock,
            seconds=seconds,
            fault_policy="forfeit",
            on_poll=self.on_poll,
        )
        self.seconds_left -= outcome.seconds
        for seat, (player, report) in enumerate(zip(players, outcome.seats, strict=True)):
            if player is bot:
                self.seat_reports.append(report)
                self._add_to_log(f"{fmt}, seat {seat}, seed {seed}", report.stderr)
        self._raise_fault(outcome, players, bot)
        self.stopped_matches += outcome.record.result is None
        return outcome.record.result is not None

    def _raise_fault(self, outcome: MatchOutcome, players: list[SeatedBot], bot: SeatedBot) -> None:
        for fault in sorted(outcome.faults, key=lambda fault: fault.move):
            if players[fault.seat] is not bot:
                raise RefereeError(f"{players[fault.seat].name} failed: {fault.detail}")
            names = [self.bot_argument if player is bot else player.name for player in players]
            last_line = last_log_line(outcome.seats[fault.seat].stderr)
            commands = commands_for(outcome.record, names, self.bot_clock)
            raise _ProblemFoundError(explain(fault, outcome.record, last_line, commands))

    def _usage_text(self) -> tuple[str, str]:
        """(text, detail) on the bot's usage in all matches, compared with its limits."""
        memory = max(report.peak_memory_kib for report in self.seat_reports)
        slowest = max(report.slowest_ms for report in self.seat_reports)
        moves = sum(report.moves for report in self.seat_reports)
        cpu = sum(report.cpu_ms for report in self.seat_reports)
        text = (
            f"Slowest move {slowest:.0f} of {self.clock.move_ms} ms, "
            f"memory {size_text(memory * 1024)} of {self.limits.memory_mib} MiB."
        )
        detail = f"{self.match_count} matches, {moves} moves, {cpu / 1000:.1f} s of processor time."
        detail += f" The rules ran {compiled.kind()}."
        if self.stopped_matches:
            detail += (
                " The check has limited time, so it stopped "
                f"{self.stopped_matches} matches before their end."
            )
        if slowest > self.bot_clock.move_ms:
            detail += (
                f" The start line allowed {self.bot_clock.move_ms} ms a move: "
                "a bot that thinks longer loses on time in matches with a short clock."
            )
        return text, detail

    def _add_to_log(self, heading: str, stderr: bytes) -> None:
        """Add a seat's stderr to the log, and remove the oldest text of a long log."""
        text = escape(stderr.decode("utf-8", "replace")).strip()
        if text:
            self.report.log = f"{self.report.log}== {heading}\n{text}\n"[-MAX_LOG:]


def _missing_libraries(names: Sequence[str]) -> Problem:
    return Problem(
        f"The bot needs {join_words(names)}, which this machine does not offer to bots.",
        f"At home, run: pip install {' '.join(names)}\nOn a site, the staff choose the libraries.",
    )


def _ready_text(games: Sequence[str], problems: Mapping[str, Problem]) -> str:
    """A sentence on the games for which the bot is ready, and on the first problem in others."""
    if not problems:
        return "The bot is ready to play."
    ready_titles, problem_titles = (
        join_words([registry.game(name).title for name in names], "and")
        for names in (games, problems)
    )
    reason = next(iter(problems.values())).summary
    return (
        f"The bot is ready to play {ready_titles}. Its manifest names no formats, and it had a "
        f"problem in {problem_titles}, so it does not play those: {reason}"
    )


def _with_few_deals(fmt: Format) -> Format:
    """The format with few deals, if it has that option."""
    if "deals" not in fmt.options:
        return fmt
    return Format(fmt.game, fmt.variant, fmt.table, {**fmt.options, "deals": DEALS})


def _selected_formats(package: Package, selection: list[Format] | None) -> list[Format]:
    claimed = package.manifest.claimed()
    if selection is None:
        return claimed
    selected = [fmt for fmt in claimed if fmt in selection]
    if not selected:
        claims = ", ".join(package.manifest.formats)
        raise PackageError(f"The bot claims {claims}, but none of the requested formats.")
    return selected


def _package_text(package: Package, claimed: int, played: int) -> str:
    """The text of the first step; `claimed`: number of claimed formats to cover."""
    files = len(package.files)
    text = (
        f"{package.name}: {_counted(files, 'file')}, {size_text(package.unpacked_size)}, "
        f"{_counted(claimed, 'format')} to play"
    )
    if played == claimed:
        return f"{text}."
    return f"{text}; this check plays {played} of them."


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
