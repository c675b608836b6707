"""`cardroom analyse`: judge every move of a match with the expert's search."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Annotated, Any, Final

import typer
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from bots.cli.common import AsJson, PlainTable, UsageError, guarded, out, progress_bar, show_json
from bots.cli.sources import check_seed_option, read_one, record_errors_named
from bots.limits import MAX_NAME
from cardroom_base.core.safe_text import one_line
from cardroom_base.core.worker_pool import WorkerPool
from engine import Format, Record
from engine.search.analysis import (
    MOST_DECISIONS,
    PLAYOUTS,
    Judgement,
    Question,
    judge,
    questions,
)
from engine.search.findings import hindsight_sentence, luck_sentences, summarize

Z95: Final = 1.96
"""Half the width of a 95 % interval, in standard errors."""
_QUEUED_PER_JOB: Final = 4
"""Decisions queued for each process: enough to keep it busy without using much memory."""

Playouts = Annotated[
    int,
    typer.Option(min=2, max=1_000_000, help="Playouts per decision; more give better judgements."),
]


@guarded
def analyse(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A record's file or address.")],
    *,
    playouts: Playouts = PLAYOUTS,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Number of processes.")] = 1,
    seed: Annotated[str, typer.Option(help="Any text; seeds the playouts.")] = "",
    moves: Annotated[
        bool, typer.Option("--moves", help="List every decision, not only the costliest.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the costliest moves of a match, and better ones.

    At each decision the expert knows only what the seat knew. The same playouts and seed give the
    same answer, with any number of jobs. Exit status 1: the record does not verify.
    """
    check_seed_option(seed)
    record = read_one(source, "analyse")
    with record_errors_named(source):
        record.verify()
    findings = summarize(
        record, _judge_all(record, playouts, seed, jobs, quiet=as_json), playouts, seed, whole=True
    )
    if as_json:
        show_json(findings)
    else:
        _show(record, findings, list_all=moves)


def _judge_all(
    record: Record, playouts: int, seed: str, jobs: int, *, quiet: bool
) -> list[Judgement]:
    """Judge all decisions of the record, in order; standard error shows the progress."""
    decisions: list[Judgement] = []
    columns = (TextColumn("move {task.completed} of {task.total}"), BarColumn())
    with progress_bar(*columns, TimeRemainingColumn(), quiet=quiet) as bar:
        task = bar.add_task("", total=len(record.moves))
        judge_question = partial(judge, playouts=playouts, seed=seed)
        for decision in judgements(questions(record), judge_question, jobs):
            if len(decisions) >= MOST_DECISIONS:
                raise UsageError(
                    f"The record has more than {MOST_DECISIONS:,} decisions, which is the limit."
                )
            decisions.append(decision)
            bar.update(task, completed=decision.n + 1)
    return decisions


def judgements(
    remaining: Iterator[Question], judge_question: partial[Judgement], jobs: int
) -> Iterator[Judgement]:
    """The judgements of the questions, in their order, by `jobs` processes."""
    if jobs == 1:
        yield from map(judge_question, remaining)
        return
    with WorkerPool(jobs) as pool:
        waiting = [
            pool.submit(judge_question, question)
            for question in islice(remaining, jobs * _QUEUED_PER_JOB)
        ]
        while waiting:
            yield waiting.pop(0).result()
            waiting += [pool.submit(judge_question, question) for question in islice(remaining, 1)]


def _show(record: Record, findings: dict[str, Any], *, list_all: bool) -> None:
    names = [one_line(str(player.get("name", "?")), MAX_NAME) for player in record.players]
    number, playouts = len(findings["decisions"]), findings["playouts"]
    out.print(f"{record.format}, {number} decisions, {playouts:,} playouts each.")
    out.print()
    out.print(_accuracies(names, findings))
    sides = Format.parse(record.format).sides
    side_names = [" and ".join(dict.fromkeys(names[seat] for seat in side)) for side in sides]
    for sentence in luck_sentences(findings, side_names):
        out.print(f"  {sentence}")
    if findings["turning"]:
        out.print("\nTurning points", style="bold")
    for turn in findings["turning"]:
        side_name = side_names[turn["side"]]
        change = f"from {_percent(turn['before'])} to {_percent(turn['after'])}"
        first_move, last_move = turn["from"], turn["to"] - 1
        span = (
            f"moves {first_move} to {last_move}" if last_move > first_move else f"move {first_move}"
        )
        out.print(f"  {side_name}: chance of winning {change}, {span}.")
    if findings["costliest"]:
        out.print("\nThe costliest moves", style="bold")
    for decision in findings["costliest"]:
        name, sentence = names[decision["seat"]], decision["words"]
        out.print(f"  {decision['n']:>4}  {name}: {sentence} {cost_of(decision)}")
        if decision["better"]:
            out.print(f"        The expert: {decision['better']}")
        out.print(f"        {hindsight_sentence(decision)}")
    if list_all:
        _list(names, findings)


def _accuracies(names: list[str], findings: dict[str, Any]) -> Table:
    table = PlainTable("seat", "bot", "decisions", "accuracy", "points lost", "slips", "mistakes")
    for seat in findings["seats"]:
        accuracy = "–" if seat["accuracy"] is None else f"{seat['accuracy']:.0f} %"
        lost = f"{seat['cost']:.1f} ±{Z95 * seat['error']:.1f}"
        counts = (seat["decisions"], accuracy, lost, seat["slips"], seat["mistakes"])
        table.add_row(str(seat["seat"]), Text(names[seat["seat"]]), *map(str, counts))
    return table


def _list(names: list[str], findings: dict[str, Any]) -> None:
    out.print("\nAll decisions", style="bold")
    for decision in findings["decisions"]:
        agrees = decision["best"] == decision["played"]
        better = "" if agrees else f"  expert {decision['best']}, {cost_of(decision)}"
        kind = f"  {decision['kind']}" if decision["kind"] else ""
        out.print(
            f"  {decision['n']:>4}  {names[decision['seat']]}  {decision['played']}{better}{kind}"
        )


def cost_of(decision: dict[str, Any]) -> str:
    """The cost of a move: points, with their 95 % interval, and chance of winning."""
    points, margin = -decision["cost"], Z95 * decision["error"]
    chance = f"{-decision['win_cost'] * 100:+z.0f} %".replace("-", "−")
    return f"{points:+z.1f} points ±{margin:.1f}, {chance} to win".replace("-", "−")


def _percent(chance: float) -> str:
    return f"{chance * 100:.0f} %"
