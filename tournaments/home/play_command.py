"""`cardroom play`: matches at home, with the site's referee and sandbox."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

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
    check_libraries,
    guarded,
    match_conditions,
    opened_sandbox,
    out,
    parse_format,
    progress_bar,
    show_json,
    warn_unclaimed,
    write_record,
)
from bots.cli.results import (
    outcome_as_json,
    show_continuation,
    show_match,
    show_matches,
    totals_as_json,
    totals_of,
)
from bots.cli.sources import (
    check_seed_option,
    is_utf8,
    read_one,
    record_errors_named,
    split_move_number,
)
from bots.referee import house
from bots.referee.clock import ClockSettings
from bots.referee.continuation import play_on
from bots.referee.outcome import MatchOutcome, Progress, SeatedBot
from bots.referee.parallel import MatchPool, SeatedMatch
from bots.sandbox import Limits, cores
from engine import Format
from engine.english import count_of
from engine.record import MAX_RNG
from tournaments.deal_groups import match_points
from tournaments.home.elo_lead import EloLead, Hypotheses, first_side_score
from tournaments.home.pace import Pace
from tournaments.home.playing import recorded_outcome
from tournaments.home.resuming import report_stop, resume_explained
from tournaments.ratings.sprt import Scores

MAX_MATCHES: Final = 100_000


@guarded
def play(
    format_text: FormatText,
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BOT...",
            help="A path or house:NAME for each side or each seat, or one for all.",
        ),
    ] = None,
    *,
    start: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FILE#move-N",
            help="Continue from the position after N moves of a record; omit the format.",
        ),
    ] = None,
    deals: Annotated[
        int | None, typer.Option(min=1, help="The maximum number of deals in a match.")
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MAX_MATCHES,
            help="Number of matches; default: 1. Each shuffle is repeated with the sides swapped. "
            "With --sprt: the maximum.",
        ),
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1",
            help="Play until a sequential test decides whether the first bot is ahead of the "
            "second by ELO0 or by ELO1 points, such as 0,20, like a site's trial.",
        ),
    ] = None,
    seed: Annotated[str | None, typer.Option(help="Any text; determines the shuffles.")] = None,
    rng: Annotated[
        str | None, typer.Option(help="Seeds the bots' random numbers; default: the seed.")
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Write the record to this file. Several records: NAME.json becomes NAME-1.json, "
            "NAME-2.json, …; a folder gets 1.json, 2.json, ….",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Play only the matches without a record from an earlier run with this --seed.",
        ),
    ] = False,
    jobs: Jobs = None,
    in_process: InProcess = False,
    trusted: Trusted = False,
    env: Variables = None,
    move_ms: MoveMs = 1_000,
    bank_ms: BankMs = 20_000,
    as_json: AsJson = False,
    totals: Annotated[
        bool, typer.Option("--totals", help="With --json: one object with totals and matches.")
    ] = False,
) -> None:
    """Play matches between bots and show the results. Ctrl-C shows the results so far.

    Exit status 1: a bot committed a fault; 2: stopped by Ctrl-C.
    """
    clock = ClockSettings(move_ms, bank_ms)
    hypotheses = None if sprt is None else _parse_hypotheses(sprt)
    max_matches = matches or (MAX_MATCHES if hypotheses else 1)
    check_seed_option(seed)
    _check_rng(rng, max_matches)
    if start is not None:
        if deals is not None or seed is not None or max_matches > 1 or in_process:
            raise UsageError(
                "--from plays a single match with the record's format and cards; leave out "
                "--deals, --seed, --matches, --sprt and --inprocess."
            )
        _continue_from(
            start, [format_text, *(bots or [])], clock, rng, record, trusted, env, as_json=as_json
        )
        return
    if not bots:
        raise UsageError("Name the bots: one for each side, one for each seat, or one for all.")
    if resume and (record is None or seed is None):
        raise UsageError("--resume needs the --record and the --seed of the run that stopped.")
    fmt = _with_deals(parse_format(format_text), deals)
    players = house.load_players(bots)
    seed = seed or secrets.token_hex(6)
    seated_matches = seatings(fmt, len(players), seed, max_matches, rng)
    check_seed_option(seated_matches[-1].seed)
    warn_unclaimed(fmt, players)
    lead = _initial_lead(fmt, len(players), max_matches, hypotheses)
    run = _Run(fmt, players, seed, seated_matches, lead, record)
    conditions = match_conditions(
        fmt, players, clock, trusted=trusted, in_process=in_process, variables=env
    )
    count = min(jobs or cores(), len(seated_matches))
    try:
        with (
            resume_explained(seed, lambda: record is not None and bool(run.finished)),
            MatchPool(conditions, count) as pool,
            _bar(quiet=as_json) as bar,
        ):
            run.play(pool, bar, resume=resume)
    except KeyboardInterrupt:  # the pool has ended its processes without waiting for their matches
        run.stop()
    if run.stopped:
        report_stop(
            f"{len(run.outcomes)} of {_planned_text(run)}",
            seed,
            any_finished=bool(run.outcomes),
            recorded=record is not None,
            as_json=as_json,
        )
    if as_json:
        show_json(_as_json(run, totals=totals))
    else:
        if len(seated_matches) == 1:
            show_match(fmt, run.outcomes)
        else:
            show_matches(fmt, seed, run.outcomes)
        if run.lead is not None:
            out.print(_lead_text(players[0].name, players[1].name, run.lead))
    raise typer.Exit(USAGE if run.stopped else FAILED if _has_faults(run.outcomes) else 0)


def _continue_from(
    start: str,
    bots: Sequence[str],
    clock: ClockSettings,
    rng: str | None,
    record_path: Path | None,
    trusted: bool,  # noqa: FBT001 - as the option has it
    env: Sequence[str] | None,
    *,
    as_json: bool,
) -> None:
    """Continue a record's match from one of its positions, and show both results (`--from`)."""
    source, number = split_move_number(start)
    if number is None:
        raise UsageError(f"Add the number of a move: {source}#move-60.")
    record = read_one(source, "play --from")
    with record_errors_named(source):
        match = record.after(number)
    if number > len(record.moves) or match.turn is None:
        raise UsageError(f"{source} has no decision after {number} moves.")
    players = house.load_players(bots)
    check_libraries(players)
    warn_unclaimed(match.format, players)
    [seating] = seatings(match.format, len(players), record.seed, 1)
    seated_bots = [players[number] for number in seating.seats]
    with opened_sandbox(Limits(), trusted=trusted, variables=env) as sandbox:
        outcome = play_on(match, seated_bots, rng or record.rng or record.seed, sandbox, clock)
    if record_path is not None:
        write_record(record_path, outcome)
    show_continuation(record, outcome, number, as_json=as_json)
    raise typer.Exit(FAILED if outcome.faults else 0)


def _check_rng(rng: str | None, matches: int) -> None:
    """UsageError for a text that a record cannot contain."""
    if rng is None:
        return
    if not is_utf8(rng):
        raise UsageError("--rng must be text in UTF-8.")
    if matches > 1 or len(rng) > MAX_RNG:
        raise UsageError(f"--rng is for a single match and has at most {MAX_RNG} characters.")


def _has_faults(outcomes: Sequence[MatchOutcome]) -> bool:
    return any(outcome.faults for outcome in outcomes)


def _as_json(run: _Run, *, totals: bool) -> Any:
    matches = [outcome_as_json(outcome) for outcome in run.outcomes]
    if not totals:
        return matches
    rows = totals_of(outcome.record for outcome in run.outcomes)
    summary = {
        "format": str(run.fmt),
        "seed": run.seed,
        "totals": totals_as_json(rows),
        "matches": matches,
    }
    return summary | ({"lead": run.lead.as_json()} if run.lead is not None else {})


def _parse_hypotheses(text: str) -> Hypotheses:
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        raise UsageError(f"--sprt takes two numbers, such as 0,20; not {text}.") from None
    if not -1_000 <= elo0 < elo1 <= 1_000:
        raise UsageError("--sprt takes a smaller and a larger number, from -1000 to 1000.")
    return Hypotheses(elo0, elo1)


def _initial_lead(
    fmt: Format, entries: int, matches: int, hypotheses: Hypotheses | None
) -> EloLead | None:
    """The lead before the first match; None unless two bots meet in groups of two matches."""
    sides = [len(side) for side in fmt.sides]
    if len(sides) == 2 and entries == 2 and matches > 1:
        return EloLead(Scores(), hypotheses)
    if hypotheses is not None:
        raise UsageError("--sprt compares two bots in a format of two sides.")
    return None


def _planned_text(run: _Run) -> str:
    count = len(run.matches)
    return f"at most {count:,} matches" if run.has_test else count_of(count, "match", "matches")


def _lead_text(first: str, second: str, lead: EloLead) -> str:
    """The lead for people."""
    words = f"{first} against {second}, {count_of(lead.scores.groups, 'deal group')}: {lead}."
    match lead.verdict:
        case "better":
            return f"{words}\n{first} is better."
        case "not better":
            return f"{words}\n{first} is not better."
    return f"{words}\nThe test is undecided." if lead.hypotheses else words


@dataclass(slots=True)
class _Run:
    """The matches to play and their outcomes so far, in order."""

    fmt: Format
    players: Sequence[SeatedBot]
    seed: str
    matches: Sequence[SeatedMatch]
    lead: EloLead | None
    record: Path | None
    outcomes: list[MatchOutcome] = field(default_factory=list)
    early_outcomes: dict[int, MatchOutcome] = field(default_factory=dict)
    """Outcomes of matches that ended before some match with a smaller number."""
    finished: int = 0
    """Number of matches with an outcome, early ones included."""
    points: dict[int, float] = field(default_factory=dict)
    """The points of each bot, by its number."""
    stopped: bool = False
    """Whether Ctrl-C stopped the run."""
    stored: set[int] = field(default_factory=set)
    """The numbers of the matches with a record of an earlier run."""

    def play(self, pool: MatchPool, bar: Bar, *, resume: bool) -> None:
        """Play until the last match or the test's decision.

        Each record is written at the match's end.
        """
        status = _StatusLine(bar, bar.add_task("", total=None), self)
        for match, outcome in self._outcomes(pool, status, resume=resume):
            if not self.has_test:
                self._write(match.number, outcome)
            self.finished += 1
            self.early_outcomes[match.number] = outcome
            while (number := len(self.outcomes)) in self.early_outcomes:
                self._add_outcome(self.early_outcomes.pop(number))
                if self.lead is not None and self.lead.verdict is not None:
                    return
            status.show()

    def stop(self) -> None:
        """Count the outcomes so far, after Ctrl-C."""
        if not self.has_test:  # a test counts matches in their order
            self.outcomes += [self.early_outcomes[number] for number in sorted(self.early_outcomes)]
        is_decided = self.lead is not None and self.lead.verdict is not None
        self.stopped = len(self.outcomes) < len(self.matches) and not is_decided

    def _outcomes(
        self, pool: MatchPool, status: _StatusLine, *, resume: bool
    ) -> Iterator[tuple[SeatedMatch, MatchOutcome]]:
        """The recorded outcomes, then the new ones."""
        waiting = []
        for match in self.matches:
            outcome = self._recorded_outcome(match) if resume else None
            if outcome is not None:
                self.stored.add(match.number)
                yield match, outcome
            else:
                waiting.append(match)
        status.begin(len(waiting))
        yield from pool.play(waiting, status.show_match)

    def _recorded_outcome(self, match: SeatedMatch) -> MatchOutcome | None:
        if self.record is None:
            return None
        seated_bots = [self.players[number] for number in match.seats]
        return recorded_outcome(
            self._path(self.record, match.number), self.fmt, match.seed, seated_bots
        )

    def _add_outcome(self, outcome: MatchOutcome) -> None:
        """Add the outcome of the next match in order."""
        seats = self.matches[len(self.outcomes)].seats
        for side, points in zip(self.fmt.sides, match_points(_ranks(outcome)), strict=True):
            for bot in {seats[seat] for seat in side}:
                self.points[bot] = self.points.get(bot, 0.0) + points
        self.outcomes.append(outcome)
        number = len(self.outcomes)
        if self.has_test:
            self._write(number - 1, outcome)
        if self.lead is not None and number % 2 == 0:
            first, second = (_ranks(outcome) for outcome in self.outcomes[-2:])
            score = first_side_score([(first[0], first[1]), (second[1], second[0])])
            self.lead = self.lead.with_score(score)

    @property
    def has_test(self) -> bool:
        """Whether a sequential test ends the run."""
        return self.lead is not None and self.lead.hypotheses is not None

    def _write(self, number: int, outcome: MatchOutcome) -> None:
        if self.record is not None and number not in self.stored:
            write_record(self._path(self.record, number), outcome.record)

    def _path(self, record: Path, number: int) -> Path:
        if len(self.matches) == 1 and not record.is_dir():
            return record
        if record.suffix and not record.is_dir():
            return record.with_stem(f"{record.stem}-{number + 1}")
        return record / f"{number + 1}.json"


def _ranks(outcome: MatchOutcome) -> Sequence[int]:
    ranks: Sequence[int] = (outcome.record.result or {})["ranks"]
    return ranks


@dataclass(slots=True)
class _StatusLine:
    """The progress line on the screen."""

    bar: Bar
    task: TaskID
    run: _Run
    pace: Pace = field(default_factory=Pace)
    recorded_matches: int = 0
    """Matches that already had records when play began."""

    def begin(self, waiting: int) -> None:
        """Set the number of matches to play."""
        self.pace = Pace()
        self.recorded_matches = len(self.run.matches) - waiting
        self.show()

    def show(self) -> None:
        """Show the progress of the run."""
        self.bar.update(self.task, description=self.text())

    def text(self) -> str:
        """Matches, points by bot, lead, speed and time left."""
        run = self.run
        done = len(run.outcomes)
        words = [f"{done} of {_planned_text(run)}"]
        if len(run.points) > 1:
            words.append(" : ".join(f"{run.points[bot]:g}" for bot in sorted(run.points)))
        if run.lead is not None:
            words.append(str(run.lead))
        self.pace.played = max(run.finished - self.recorded_matches, 0)
        remaining = len(run.matches) - run.finished
        words += self.pace.words(remaining)[: 1 if run.has_test else None]
        return ", ".join(words)

    def show_match(self, match: SeatedMatch, progress: Progress) -> None:
        """Show the progress of the run and of a match."""
        score = " : ".join(map(str, progress.scores))
        deals, moves = count_of(progress.deals, "deal"), count_of(progress.moves, "move")
        words = f"match {match.number + 1}: {deals}, {moves}, {score}"
        if len(self.run.matches) > 1:
            words = f"{self.text()}; {words}"
        self.bar.update(self.task, description=words)


def seatings(
    fmt: Format, entries: int, seed: str, matches: int, rng: str | None = None
) -> list[SeatedMatch]:
    """The seats of the bots in each match.

    With one entry for each side, or one for all, copies of a bot fill the seats of a side; with one
    for each seat, the bots sit in the given order. Each shuffle is played once for every rotation
    of the sides, so that luck cancels, unless the bots of a side would not fit another side. The
    seed is `seed`, or `seed-1`, `seed-2`, … for several shuffles.
    """
    sides = len(fmt.sides)
    if entries not in {1, sides, fmt.seats}:
        counts = f"{sides} (one per side)" + (
            f" or {fmt.seats} (one per seat)" if fmt.seats > sides else ""
        )
        raise UsageError(f"{fmt} needs {counts} bots, not {entries}.")
    teams = _by_side(fmt, entries)
    equal = len({len(side) for side in fmt.sides}) == 1
    rotations = sides if matches > 1 and (equal or entries == sides) else 1
    seated_matches = []
    for number in range(matches):
        shuffle, rotation = divmod(number, rotations)
        seats = [0] * fmt.seats
        for side, members in enumerate(fmt.sides):
            team = teams[(side + rotation) % sides]
            for number_in_side, seat in enumerate(members):
                seats[seat] = team[number_in_side % len(team)]
        match_seed = seed if matches <= rotations else f"{seed}-{shuffle + 1}"
        seated_matches.append(SeatedMatch(number, match_seed, tuple(seats), rng))
    return seated_matches


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
