"""`cardroom ask`: put one position to a bot, as a test case of it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from bots.cli.analyse import Playouts, cost_of
from bots.cli.common import FAILED, AsJson, Trusted, UsageError, guarded, opened_sandbox, out
from bots.cli.common import show_json as print_json
from bots.cli.rehearse import show_broken
from bots.limits import MIB
from bots.referee import house
from bots.referee.rehearsal import Answer, Broken, Case, ask_case, case_of
from bots.sandbox import Limits
from cardroom_base.core.safe_text import one_line
from engine.json_text import JSONError, parse_json
from engine.search.analysis import PLAYOUTS, Decision, Question, after, judge

MAX_CASE = 8 * MIB
"""Bytes of a case: its events are those of a whole match."""


@guarded
def ask(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A path, or house:NAME.")],
    source: Annotated[
        Path, typer.Argument(metavar="CASE", help="A file that `cardroom position` printed.")
    ],
    *,
    playouts: Playouts = PLAYOUTS,
    expert: Annotated[
        bool, typer.Option(help="Whether to say what the expert would play, too.")
    ] = True,
    trusted: Trusted = False,
    as_json: AsJson = False,
) -> None:
    """Put a position to your bot, and to the expert, who says what the answer is worth.

    The bot gets the start line and the question that the case holds, with all events, so that no
    other bot is needed. Exit status 1: it broke down, or its answer is not legal.
    """
    case = _read(source)
    (player,) = house.load_players([bot])
    answer: Answer | None = None
    broken: Broken | None = None
    with opened_sandbox(Limits(), trusted=trusted) as sandbox:
        try:
            answer = ask_case(case, player, sandbox=sandbox)
        except Broken as failed:
            broken = failed
    judged = _judged(case, answer, playouts) if expert else None
    if as_json:
        print_json(_as_json(case, answer, broken, judged))
    else:
        _show(player.name, case, answer, judged)
        if broken is not None:
            show_broken(broken)
    if answer is None or not answer.legal:
        raise typer.Exit(FAILED)


def _read(source: Path) -> Case:
    """The case in a file; UsageError if it is none."""
    try:
        with source.open("rb") as file:
            return case_of(parse_json(file.read(MAX_CASE + 1), MAX_CASE))
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error.strerror}.") from None
    except (JSONError, ValueError) as error:
        raise UsageError(f"{source} is no case of `cardroom position`: {error}") from None


def _judged(case: Case, answer: Answer | None, playouts: int) -> Decision | None:
    """What the expert says of the answer; None where there is no legal one."""
    if answer is None or not answer.legal:
        return None
    question = Question(
        n=answer.number,
        deal=case.question["view"].get("deal", 0),
        seat=case.start["seat"],
        played=answer.move,
        view=case.question["view"],
        legal=list(dict.fromkeys([*case.question["legal"], answer.move])),
        seen=case.question["events"],
    )
    return judge(question, playouts)


def _as_json(
    case: Case, answer: Answer | None, broken: Broken | None, judged: Decision | None
) -> dict[str, Any]:
    return {
        "played": case.played,
        "move": answer.move if answer else None,
        "legal": bool(answer and answer.legal),
        "note": answer.note if answer else "",
        "fault": None if broken is None else broken.fault.as_json("forfeit"),
        "expert": None if judged is None else judged.as_json(),
    }


def _show(name: str, case: Case, answer: Answer | None, judged: Decision | None) -> None:
    out.print(one_line(f"Move {case.question['n']} of a match of {case.start['format']}"))
    if answer is not None:
        wrong = "" if answer.legal else " (illegal)"
        note = f"  “{answer.note}”" if answer.note else ""
        out.print(one_line(f"{name} plays {answer.move}{wrong}{_words(case, answer.move)}{note}"))
    if case.played:
        out.print(one_line(f"In the match: {case.played}{_words(case, case.played)}"))
    if judged is None:
        return
    same = judged.best == judged.played
    worth = "the same" if same else f"{judged.best}{_words(case, judged.best)}"
    out.print(one_line(f"The expert: {worth}"))
    if not same and answer is not None:
        out.print(f"Beside it {answer.move} has {cost_of(judged.as_json())}.")


def _words(case: Case, move: str) -> str:
    """The sentence for a move, in brackets; nothing where the view cannot tell."""
    with suppress(ValueError):
        return f" ({after(case.guess(), move)})"
    return ""
