"""`cardroom replay --bot`: put the decisions of a record's seat to a bot."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import typer

from bots.cli.common import FAILED, UsageError, opened_sandbox, out, show_json, warn_unclaimed
from bots.cli.results import LOG_LINES
from bots.referee import house
from bots.referee.clock import ClockSettings
from bots.referee.outcome import Player
from bots.referee.protocol import printable
from bots.referee.rehearsal import Answer, Broken, rehearse
from bots.sandbox import Limits
from cardroom_base.core.safe_text import one_line
from engine import Record


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for: which bot, in which seat, how."""

    bot: str
    seat: int | None
    clock: ClockSettings
    trusted: bool


def show_rehearsal(record: Record, asked: Asked, *, as_json: bool) -> None:
    """Show where the bot plays differently from the record; Exit 1 at a fault or illegal move."""
    seat, player, answers, broken = rehearsed(record, asked)
    if as_json:
        show_json(_as_json(seat, answers, broken))
    else:
        _show(seat, player, answers, broken)
    if broken or not all(answer.legal for answer in answers):
        raise typer.Exit(FAILED)


def rehearsed(record: Record, asked: Asked) -> tuple[int, Player, list[Answer], Broken | None]:
    """The seat, the bot that takes it, its answers, and its fault if it made one."""
    seat = asked.seat
    if seat is None or not 0 <= seat < len(record.players):
        last = len(record.players) - 1
        raise UsageError(f"Say which seat of the record the bot takes: --seat 0 to {last}.")
    (player,) = house.load_players([asked.bot])
    warn_unclaimed(record.start().format, [player])
    return seat, player, *_answers(record, seat, player, asked)


def _answers(
    record: Record, seat: int, player: Player, asked: Asked
) -> tuple[list[Answer], Broken | None]:
    answers: list[Answer] = []
    with opened_sandbox(Limits(), trusted=asked.trusted) as sandbox:
        try:
            for answer in rehearse(record, seat, player, sandbox=sandbox, clock=asked.clock):
                answers.append(answer)  # noqa: PERF402 - those before a fault are kept
        except Broken as broken:
            return answers, broken
    return answers, None


def _show(seat: int, player: Player, answers: list[Answer], broken: Broken | None) -> None:
    others = [answer for answer in answers if answer.parts]
    for answer in others:
        note = f"  “{one_line(answer.note)}”" if answer.note else ""
        wrong = "" if answer.legal else " (illegal)"
        words = f"{answer.number:>4}  {answer.played}  {player.name} plays {answer.move}{wrong}"
        out.print(one_line(words) + note)
    alike = len(answers) - len(others)
    out.print(f"Seat {seat}: {len(answers)} decisions, {alike} the same, {len(others)} different.")
    if broken is not None:
        show_broken(broken)


def show_broken(broken: Broken) -> None:
    """A bot's fault, and what it wrote last."""
    out.print(one_line(f"The bot failed: {broken}"), style="red")
    log = printable(broken.log.decode("utf-8", "replace")).strip().splitlines()
    if log:
        out.print("The end of its log:", *log[-LOG_LINES:], sep="\n  ")


def _as_json(seat: int, answers: list[Answer], broken: Broken | None) -> dict[str, Any]:
    fault = None if broken is None else broken.fault.as_json("forfeit")
    return {"seat": seat, "decisions": [asdict(answer) for answer in answers], "fault": fault}
