"""`cardroom measure`: rate a language model against the expert's levels."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from threading import Event
from typing import Annotated, Any, Final

import typer
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn

from bots.cli.analyse import Playouts, judgements
from bots.cli.common import (
    USAGE,
    AsJson,
    FormatText,
    UsageError,
    err,
    guarded,
    parse_format,
    progress_bar,
    show_json,
)
from bots.cli.sources import check_seed_option, is_utf8
from bots.sandbox import cores
from cardroom_base.core.safe_text import one_line
from engine.json_text import JSONError, parse_json
from engine.record import MAX_NAME
from engine.search.analysis import PLAYOUTS, Judgement, Question, judge, questions
from tournaments.measure import prompts
from tournaments.measure.endpoint import Endpoint, address, is_private, key_from
from tournaments.measure.house_moves import open_mover
from tournaments.measure.journal import Folder
from tournaments.measure.report import Cost, print_report
from tournaments.measure.report import as_json as report_as_json
from tournaments.measure.run import Goal, MeasurementProgress, Run

KEY: Final = "OPENAI_API_KEY"
_MAX_PARAMETERS: Final = 10_000
_RESERVED: Final = {"model", "messages", "stream", "n"}


@guarded
def measure(
    format_text: FormatText,
    *,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="The model, as the endpoint names it.")
    ],
    endpoint: Annotated[
        str,
        typer.Option(metavar="URL", help="An OpenAI-compatible API, such as https://host/v1."),
    ],
    records: Annotated[
        Path,
        typer.Option(metavar="DIR", help="Write records, prompts and replies here."),
    ],
    key_env: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help=f"The environment variable with the API key; default: {KEY}."
        ),
    ] = None,
    within: Annotated[
        float,
        typer.Option(
            min=10, max=1_000, help="Stop when the 95 % interval is ± this many Elo points."
        ),
    ] = 100,
    calls: Annotated[
        int | None, typer.Option(min=1, help="The maximum number of requests.")
    ] = None,
    tokens: Annotated[
        int | None, typer.Option(min=1, help="The approximate maximum number of tokens.")
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            metavar="NAME=JSON",
            help="An additional field of each request, such as temperature=0 or max_tokens=2000.",
        ),
    ] = None,
    seed: Annotated[
        str | None, typer.Option(help="Any text; determines the shuffles; default: random.")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue the measurement in DIR; repeats no request."),
    ] = False,
    jobs: Annotated[
        int,
        typer.Option(min=1, max=256, help="Number of simultaneous matches, with one request each."),
    ] = 4,
    timeout: Annotated[
        float, typer.Option(min=1, max=3_600, help="Seconds to wait for a reply.")
    ] = 120,
    attempts: Annotated[
        int, typer.Option(min=1, max=100, help="Requests to send for a reply before giving up.")
    ] = 8,
    cost: Annotated[
        bool, typer.Option("--cost", help="Have the expert judge the model's moves at the end.")
    ] = False,
    playouts: Playouts = PLAYOUTS,
    as_json: AsJson = False,
) -> None:
    """Rate a language model by matches against the expert's levels.

    Both sides play the same cards. The model gets the rules, what its seat knows, and its legal
    moves with sentences. It replies with a number or a move; after two invalid replies the first
    legal move is played, and the report counts it. The next level is the one whose result is most
    informative. Ctrl-C stops after the running requests.

    The key is read from the environment only. Exit status 2: stopped by Ctrl-C or by the endpoint.
    """
    fmt = parse_format(format_text)
    check_seed_option(seed)
    if not model or len(model) > MAX_NAME or not is_utf8(model):
        raise UsageError(f"--model is a name of at most {MAX_NAME} characters.")
    url, folder = address(endpoint), Folder(records)
    key = key_from(key_env or KEY, required=key_env is not None)
    if key and not is_private(url):
        err.print("The key is sent without encryption, because --endpoint is http.", style="yellow")
    settings: dict[str, Any] = {
        "cardroom_measurement": 1,
        "prompts": prompts.VERSION,
        "format": str(fmt),
        "model": model,
        # A query may contain a secret.
        "endpoint": url.partition("?")[0],
        "parameters": _parameters(parameters or []),
        "seed": seed or secrets.token_hex(6),
        "system": prompts.system_prompt(fmt),
    }
    if resume:
        settings = _settings_to_resume(folder, settings, seed)
    else:
        folder.begin(settings)
    client = Endpoint(
        url, model, key, settings["parameters"], timeout, attempts, Event(), warn=_warn
    )
    goal = Goal(within, calls, tokens)
    processes = min(jobs, cores())
    try:
        with open_mover(processes) as house_moves:
            run = Run(fmt, settings["seed"], client, goal, folder, house_moves)
            with _bar(quiet=as_json) as bar:
                task = bar.add_task("", total=None)
                run.play(
                    jobs,
                    lambda progress: bar.update(task, description=_progress_text(progress)),
                    lambda: err.print(
                        "Stopping when the running requests are answered; Ctrl-C again stops now.",
                        style="yellow",
                    ),
                )
    except BrokenProcessPool:
        raise UsageError("A process that computed the expert's moves died.") from None
    except OSError as error:
        raise UsageError(
            f"{records} cannot be written: {error.strerror}. --resume continues the measurement."
        ) from None
    finally:
        client.close()
    if run.failure:
        err.print(run.failure, style="red")
    judgements = _judge_all(run, playouts, processes, quiet=as_json) if cost else []
    report = report_as_json(run, settings, Cost.of(judgements))
    show_json(report) if as_json else print_report(report)
    if run.stop in {"interrupted", "endpoint"}:
        raise typer.Exit(USAGE)


def _warn(reason: str) -> None:
    err.print(one_line(f"A request failed and will be repeated: {reason}"), style="yellow")


def _settings_to_resume(
    folder: Folder, settings: dict[str, Any], seed: str | None
) -> dict[str, Any]:
    """The settings with the stored seed; UsageError if another measurement stored its settings.

    Only the endpoint may differ; the new one is stored.
    """
    earlier = folder.settings()
    wanted_settings = settings | {"seed": seed or earlier.get("seed")}
    for name, value in wanted_settings.items():
        if name != "endpoint" and earlier.get(name) != value:
            earlier_text = one_line(str(earlier.get(name)), 80)
            raise UsageError(
                f"{folder.path} has a measurement with another {name}: {earlier_text}. --resume "
                "needs the same command."
            )
    if wanted_settings != earlier:
        folder.store(wanted_settings)
    return wanted_settings


def _parameters(texts: list[str]) -> dict[str, Any]:
    """The fields of a request that --param sets; a value that is not JSON is text."""
    parameters: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or name in _RESERVED:
            raise UsageError(
                f"--param takes NAME=JSON, not {text[:80]}; and not {_comma_separated(_RESERVED)}."
            )
        try:
            parameters[name] = parse_json(value, _MAX_PARAMETERS)
        except JSONError:
            parameters[name] = value[:_MAX_PARAMETERS]
    return parameters


def _comma_separated(names: set[str]) -> str:
    return ", ".join(sorted(names))


def _progress_text(progress: MeasurementProgress) -> str:
    rating = progress.estimate
    text = (
        f"{progress.groups} deal groups, {progress.moves:,} moves, {progress.calls:,} requests, "
        f"{progress.tokens:,} tokens"
    )
    if progress.groups:
        text += f", rating {rating.rating:.0f} ±{rating.margin:.0f}, next level {rating.next_level}"
    return text


def _bar(*, quiet: bool) -> Any:
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    return progress_bar(*columns, quiet=quiet)


def _judge_all(run: Run, playouts: int, processes: int, *, quiet: bool) -> list[Judgement]:
    """The expert's judgements of the model's decisions in finished matches."""
    decisions = list(_questions(run))
    judge_decision = partial(judge, playouts=playouts)
    columns = (TextColumn("judging move {task.completed} of {task.total}"), BarColumn())
    results = []
    with progress_bar(*columns, quiet=quiet) as bar:
        task = bar.add_task("", total=len(decisions))
        for judgement in judgements(iter(decisions), judge_decision, processes):
            results.append(judgement)
            bar.advance(task)
    return results


def _questions(run: Run) -> Iterator[Question]:
    for name, record in sorted(run.records.items()):
        seats = run.model_seats(name)
        yield from (question for question in questions(record) if question.seat in seats)
