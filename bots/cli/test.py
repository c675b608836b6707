"""`cardroom test`: ask a bot about a record or a position, and have the expert judge its moves."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from typing import Annotated, Any

import typer

from bots.cli.analyse import Playouts, cost_of
from bots.cli.common import (
    FAILED,
    AsJson,
    BankMs,
    MoveMs,
    Trusted,
    UsageError,
    Variables,
    check_libraries,
    guarded,
    opened_sandbox,
    out,
    show_json,
    warn_unclaimed,
)
from bots.cli.position import AtMove, check_move
from bots.cli.results import LOG_LINES
from bots.cli.sources import (
    json_values_in,
    only_item,
    open_source,
    record_errors_named,
    record_of,
    split_move_number,
)
from bots.referee import house
from bots.referee.clock import ClockSettings
from bots.referee.protocol import printable
from bots.referee.rehearsal import (
    BotFaultError,
    Case,
    RehearsedMove,
    ask_case,
    parse_case,
    position,
    rehearse,
)
from bots.sandbox import Limits
from cardroom_base.core.json_shapes import ShapeError
from cardroom_base.core.safe_text import one_line
from engine import Record
from engine.search.analysis import PLAYOUTS, Judgement, Question, judge, move_sentence, questions


@guarded
def test(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A path, or house:NAME.")],
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE[#move-N]",
            help="A record's file or address, or a position that `replay --json` printed.",
        ),
    ],
    *,
    seat: Annotated[
        int | None, typer.Option(help="The seat of the record that the bot takes, from 0.")
    ] = None,
    move: AtMove = None,
    expert: Annotated[bool, typer.Option(help="Have the expert judge the moves.")] = True,
    playouts: Playouts = PLAYOUTS,
    trusted: Trusted = False,
    env: Variables = None,
    move_ms: MoveMs = 1_000,
    bank_ms: BankMs = 20_000,
    as_json: AsJson = False,
) -> None:
    """Show what your bot would play in a recorded match.

    The expert judges its moves. At a position the bot is asked once. With --seat it is asked at
    every decision of that seat; after each answer the match continues with the recorded move, and
    the expert judges both moves if they differ. The bot gets the same questions as the seat, so the
    other bots are not needed. `play --from` continues a match from a position. Exit status 1: the
    record does not verify, the bot committed a fault, or one of its moves is illegal.
    """
    clock = ClockSettings(move_ms, bank_ms)
    subject = _read_subject(source, move, clock)
    bot_seat = _seat_of(subject, seat)
    (player,) = house.load_players([bot])
    check_libraries([player])
    with opened_sandbox(Limits(), trusted=trusted, variables=env) as sandbox:
        if isinstance(subject, Case):
            moves = ask_case(subject, player, sandbox=sandbox)
        else:
            warn_unclaimed(subject.start().format, [player])
            moves = rehearse(subject, bot_seat, player, sandbox=sandbox, clock=clock)
        answers, fault_error = _collect_answers(moves)
    judgements = _judge_answers(subject, answers, playouts) if expert else {}
    if as_json:
        show_json(_as_json(bot_seat, answers, judgements, fault_error))
    else:
        _show(player.name, subject, bot_seat, answers, judgements)
        if fault_error is not None:
            _show_fault(fault_error)
    if fault_error or not all(answer.legal for answer in answers):
        raise typer.Exit(FAILED)


def _read_subject(source: str, move: int | None, clock: ClockSettings) -> Record | Case:
    """The content of a file: a record, the position at one of its moves, or a single position."""
    path, move_in_source = split_move_number(source)
    move = move_in_source if move is None else move
    with open_source(path) as file:
        value = only_item(path, json_values_in(path, file), "test")
    if isinstance(value, dict) and "question" in value:
        try:
            return parse_case(value)
        except ShapeError as error:
            raise UsageError(f"{path} is not a position of `cardroom replay`: {error}") from None
    with record_errors_named(path):
        record = record_of(value)
    if move is not None:
        check_move(path, record, move)
    with record_errors_named(path):
        record.verify()
    return record if move is None else parse_case(position(record, move, clock))


def _seat_of(subject: Record | Case, seat: int | None) -> int:
    if isinstance(subject, Case):
        to_move: int = subject.start["seat"]
        if seat not in (None, to_move):
            raise UsageError(f"In this position seat {to_move} must move, not seat {seat}.")
        return to_move
    if seat is None or not 0 <= seat < len(subject.players):
        raise UsageError(
            f"Choose the bot's seat, --seat 0 to {len(subject.players) - 1}, or a single move, "
            "--move N."
        )
    return seat


def _collect_answers(
    moves: Iterable[RehearsedMove],
) -> tuple[list[RehearsedMove], BotFaultError | None]:
    answers: list[RehearsedMove] = []
    try:
        for answer in moves:
            answers.append(answer)  # noqa: PERF402 - keeps the answers before a fault
    except BotFaultError as error:
        return answers, error
    return answers, None


def _judge_answers(
    subject: Record | Case, answers: Iterable[RehearsedMove], playouts: int
) -> dict[int, list[Judgement]]:
    """The judgements of the record's move and of the bot's move, by the number of the decision.

    In a record, only decisions in which the moves differ are judged.
    """
    is_single = isinstance(subject, Case)
    moves = {
        answer.number: answer.move
        for answer in answers
        if answer.legal and (is_single or answer.differs)
    }
    judgements = {}
    try:
        for question in [_question(subject)] if isinstance(subject, Case) else questions(subject):
            if question.n in moves:
                both_moves = dict.fromkeys([question.played, moves[question.n]])
                legal = list(dict.fromkeys([*question.legal, moves[question.n]]))
                judgements[question.n] = [
                    judge(question._replace(played=move, legal=legal), playouts)
                    for move in both_moves
                    if move in legal
                ]
    except (LookupError, TypeError, ValueError) as error:
        if not is_single:
            raise
        raise UsageError(
            f"The expert cannot judge this position, because its view and events do not fit "
            f"({error}). Use --no-expert."
        ) from None
    return judgements


def _question(case: Case) -> Question:
    view, legal, events = (case.question[key] for key in ("view", "legal", "events"))
    position_key = case.question["n"], view.get("deal", 0), case.start["seat"]
    return Question(*position_key, case.played, view, legal, events)


def _as_json(
    seat: int,
    answers: list[RehearsedMove],
    judgements: dict[int, list[Judgement]],
    fault_error: BotFaultError | None,
) -> dict[str, Any]:
    """The output of `--json`; `expert`: judgements of the record's move and of another answer."""
    decisions = [
        asdict(answer)
        | {"expert": [judgement.as_json() for judgement in judgements.get(answer.number, ())]}
        for answer in answers
    ]
    fault = None if fault_error is None else fault_error.fault.as_json("forfeit")
    return {"seat": seat, "decisions": decisions, "fault": fault}


def _show(
    name: str,
    subject: Record | Case,
    seat: int,
    answers: list[RehearsedMove],
    judgements: dict[int, list[Judgement]],
) -> None:
    """Print each answer that differs from the record, or the answer at a single position, with the
    expert's judgements."""
    is_single = isinstance(subject, Case)
    for answer in answers:
        if not (is_single or answer.differs):
            continue
        played, move = (_move_text(subject, move) for move in (answer.played, answer.move))
        illegal_mark = "" if answer.legal else " (illegal)"
        note = f"  “{answer.note}”" if answer.note else ""
        out.print(
            one_line(f"{answer.number:>4}  {played}  {name} plays {move}{illegal_mark}{note}")
        )
        for judgement in judgements.get(answer.number, ()):
            out.print(one_line(f"        {judgement.played}: {_comparison(judgement)}"))
    if is_single:
        return
    different = sum(answer.differs for answer in answers)
    counts = (
        f"{len(answers)} decisions, {len(answers) - different} the same, {different} different."
    )
    out.print(f"Seat {seat}: {counts}")
    if judgements:
        record_cost = sum(pair[0].cost for pair in judgements.values())
        bot_cost = sum(pair[1].cost for pair in judgements.values())
        costs = f"the record lost {record_cost:z.1f} points to the expert, "
        costs += f"{one_line(name)} {bot_cost:z.1f}."
        out.print(f"Where they differ, {costs}".replace(" -", " −"))


def _move_text(subject: Record | Case, move: str) -> str:
    """A move, with a sentence about its effect if that is known."""
    sentence = ""
    if isinstance(subject, Case):
        with suppress(ValueError):
            sentence = move_sentence(subject.guess(), move)
    return f"{move} ({sentence})" if sentence else move


def _comparison(judgement: Judgement) -> str:
    if judgement.played == judgement.best:
        return "the expert's move"
    return f"{cost_of(judgement.as_json())}; the expert plays {judgement.best}"


def _show_fault(fault_error: BotFaultError) -> None:
    """Print a bot's fault and the end of its log."""
    out.print(one_line(f"The bot failed: {fault_error}"), style="red")
    log = printable(fault_error.log.decode("utf-8", "replace")).strip().splitlines()
    if log:
        out.print("The end of its log:", *log[-LOG_LINES:], sep="\n  ")
