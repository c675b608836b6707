"""`cardroom rerun`: a bot in a seat of a record, and what its other moves are worth."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from bots.cli.analyse import Playouts, cost_of
from bots.cli.common import FAILED, AsJson, BankMs, MoveMs, Trusted, guarded, out, show_json
from bots.cli.rehearse import Asked, rehearsed, show_broken
from bots.cli.sources import read_one
from bots.referee.clock import ClockSettings
from bots.referee.rehearsal import Answer, Broken
from cardroom_base.core.safe_text import one_line
from engine import Record
from engine.search.analysis import PLAYOUTS, Decision, judge, questions


@guarded
def rerun(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A record's file or address.")],
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A path, or house:NAME.")],
    *,
    seat: Annotated[int, typer.Option(help="The seat of the record, from 0, that it takes.")],
    playouts: Playouts = PLAYOUTS,
    trusted: Trusted = False,
    move_ms: MoveMs = 1_000,
    bank_ms: BankMs = 20_000,
    as_json: AsJson = False,
) -> None:
    """Put every decision of a seat to your bot, and say what each other move is worth.

    It gets what the seat got, so that the other bots are not needed; then the match goes on as it
    was played. Where it plays differently the expert judges both moves. Exit status 1: the record
    does not verify, or the bot broke down.
    """
    record = read_one(source, "rerun")
    record.verify()
    asked = Asked(bot, seat, ClockSettings(move_ms, bank_ms), trusted)
    _, player, answers, broken = rehearsed(record, asked)
    pairs = _judged(record, answers, playouts)
    if as_json:
        show_json(_as_json(seat, answers, pairs, broken))
    else:
        _show(player.name, seat, answers, pairs)
        if broken is not None:
            show_broken(broken)
    if broken or not all(answer.legal for answer in answers):
        raise typer.Exit(FAILED)


def _judged(
    record: Record, answers: list[Answer], playouts: int
) -> dict[int, tuple[Decision, Decision]]:
    """By move, where the bot parts: the move of the record judged, and the bot's."""
    others = {answer.number: answer for answer in answers if answer.parts and answer.legal}
    found = {}
    for question in questions(record):
        if question.n in others:
            move = others[question.n].move
            legal = list(dict.fromkeys([*question.legal, move]))
            own = question._replace(played=move, legal=legal)
            found[question.n] = judge(question, playouts), judge(own, playouts)
    return found


def _show(
    name: str, seat: int, answers: list[Answer], pairs: dict[int, tuple[Decision, Decision]]
) -> None:
    for answer in answers:
        if not answer.parts:
            continue
        note = f"  “{answer.note}”" if answer.note else ""
        wrong = "" if answer.legal else " (illegal)"
        words = f"{answer.number:>4}  {answer.played}  {name} plays {answer.move}{wrong}{note}"
        out.print(one_line(words))
        if answer.number in pairs:
            for decision in pairs[answer.number]:
                out.print(one_line(f"        {decision.played}: {_worth(decision)}"))
    alike = sum(not answer.parts for answer in answers)
    other = len(answers) - alike
    out.print(f"Seat {seat}: {len(answers)} decisions, {alike} the same, {other} different.")
    if pairs:
        lost = [sum(pair[which].cost for pair in pairs.values()) for which in (0, 1)]
        words = (
            f"the record lost {lost[0]:z.1f} points to the expert, {one_line(name)} {lost[1]:z.1f}."
        )
        out.print(f"Where they part, {words}".replace(" -", " −"))


def _worth(decision: Decision) -> str:
    if decision.played == decision.best:
        return "as the expert"
    return f"{cost_of(decision.as_json())}; the expert {decision.best}"


def _as_json(
    seat: int,
    answers: list[Answer],
    pairs: dict[int, tuple[Decision, Decision]],
    broken: Broken | None,
) -> dict[str, Any]:
    told = []
    for answer in answers:
        pair = pairs.get(answer.number)
        judged = None if pair is None else {"record": pair[0].as_json(), "bot": pair[1].as_json()}
        told.append(asdict(answer) | {"expert": judged})
    fault = None if broken is None else broken.fault.as_json("forfeit")
    return {"seat": seat, "decisions": told, "fault": fault}
