"""`cardroom replay`: step through a record with keys, or print it as a transcript."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from bots.cli import keys
from bots.cli.cards import coloured
from bots.cli.common import (
    AsJson,
    BankMs,
    MoveMs,
    Screen,
    UsageError,
    guarded,
    out,
    show_json,
)
from bots.cli.position import AtMove, check_move, facts_table, show_position, value_text
from bots.cli.sources import read_one, record_errors_named, split_move_number
from bots.limits import MAX_FRAMES, MAX_NAME
from bots.referee.clock import ClockSettings
from bots.referee.rehearsal import position
from cardroom_base.core.safe_text import one_line
from engine import Record

_JUMP = 10


@guarded
def replay(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE[#move-N]", help="A record's file or address, or a match page's."
        ),
    ],
    *,
    transcript: Annotated[
        bool, typer.Option("--transcript", help="Print all moves, even on a terminal.")
    ] = False,
    move: AtMove = None,
    seat: Annotated[
        int | None,
        typer.Option(help="The seat whose view is shown, from 0; default: the seat to move."),
    ] = None,
    pytest: Annotated[
        bool, typer.Option("--pytest", help="Print the position as a test for a bot.py.")
    ] = False,
    move_ms: MoveMs = 1_000,
    bank_ms: BankMs = 20_000,
    as_json: AsJson = False,
) -> None:
    """Watch a match, or look at one position. Arrow keys step, Home and End jump, q quits.

    With --move, print the view of the seat to move, its legal moves and the move it played; with
    --json, print its start line and its question with all events, which `test` reads. Exit status
    1: the record does not verify.
    """
    source, move_in_source = split_move_number(source)
    move = move_in_source if move is None else move
    if move is None and (pytest or seat is not None):
        raise UsageError(f"Choose a move: {source}#move-60, or --move 60.")
    record = read_one(source, "replay")
    if len(record.moves) > MAX_FRAMES:
        raise UsageError(
            f"{source} has {len(record.moves):,} moves; replay shows at most {MAX_FRAMES:,}."
        )
    if move is not None:
        check_move(source, record, move, seat)
    with record_errors_named(source):
        record.verify()
    if move is not None:
        data = position(record, move, ClockSettings(move_ms, bank_ms), seat)
        show_position(data, pytest=pytest, as_json=as_json)
        return
    frames = list(record.frames())
    if as_json:
        show_json(frames)
    elif transcript or not (out.is_terminal and sys.stdin.isatty()):
        _print_transcript(record, frames)
    else:
        _step_through(record, frames)


def _names(record: Record) -> list[str]:
    return [
        one_line(str(player.get("name", f"seat {seat}")), MAX_NAME)
        for seat, player in enumerate(record.players)
    ]


def _print_transcript(record: Record, frames: list[dict[str, Any]]) -> None:
    names = _names(record)
    out.print(f"{record.format}, seed {record.seed}")
    deal = None
    for frame in frames:
        if frame["deal"] != deal:
            deal = frame["deal"]
            scores = " : ".join(map(str, frame["view"]["scores"]))
            out.print(f"\nDeal {deal}, {scores}", style="bold")
        line = _headline(frame, names)
        if line.plain.strip():
            out.print(line)
    for fault in record.faults:
        out.print(_fault_text(fault, names), style="red")
    out.print()
    out.print(_result_text(record.result))


def _headline(frame: Mapping[str, Any], names: list[str]) -> Text:
    """One line with number, player, move, sentence and note."""
    line = Text()
    if frame["move"] is not None:
        line.append(f"{frame['n']:>4}  {names[frame['seat']]}  ")
        line.append(coloured(frame["move"], spelled=True))
    if frame["sentence"]:
        line.append("  ").append(coloured(frame["sentence"], spelled=not out.is_terminal))
    if frame["note"]:
        line.append(f"  “{one_line(frame['note'])}”", style="italic")
    return line


def _fault_text(fault: Mapping[str, Any], names: list[str]) -> str:
    name = names[fault["seat"]] if 0 <= fault["seat"] < len(names) else "?"
    place = f"move {fault.get('move', '?')}"
    quote = f" It sent '{fault['received']}'." if fault.get("received") else ""
    text = f"{name} failed at {place}: {fault.get('kind')}. {fault.get('detail', '')}{quote}"
    return one_line(text)


def _result_text(result: Mapping[str, Any] | None) -> str:
    if result is None:
        return "The match was not finished."
    scores = " : ".join(map(str, result["scores"]))
    ranks = ", ".join(map(str, result["ranks"]))
    return f"Result {scores}, ranks {ranks}, ended by {result['reason']}."


def _step_through(record: Record, frames: list[dict[str, Any]]) -> None:
    names = _names(record)
    last = len(frames) - 1
    index = 0
    console = Screen()
    with console.screen(hide_cursor=True) as screen, keys.raw():
        while True:
            screen.update(_frame_panel(record, frames[index], names, f"{index} of {last}"))
            key = keys.read()
            if key in {"q", "escape", ""}:
                return
            index = max(0, min(last, _next_index(key, index, last)))


def _next_index(key: str, index: int, last: int) -> int:
    steps = {"right": 1, " ": 1, "n": 1, "left": -1, "p": -1, "page-down": _JUMP, "page-up": -_JUMP}
    if key in {"home", "g"}:
        return 0
    if key in {"end", "G"}:
        return last
    return index + steps.get(key, 0)


def _frame_panel(
    record: Record, frame: Mapping[str, Any], names: list[str], progress: str
) -> RenderableType:
    view = frame["view"]
    hands = Table(box=None, show_header=False, pad_edge=False)
    for seat, cards in enumerate(view.get("hands", [])):
        mark = "▸" if view["to_act"] == seat else " "
        hands.add_row(Text(f"{mark} {seat} {names[seat]}"), coloured(value_text(cards)))
    scores = " : ".join(map(str, view["scores"]))
    head = f"{record.format}   deal {view['deal']}   score {scores}   frame {progress}"
    foot = "← → step   PgUp PgDn ten steps   Home End   q quit"
    parts: list[RenderableType] = [_headline(frame, names), Text(), hands, Text()]
    parts.append(facts_table(view))
    for fault in record.faults:
        if frame["n"] is not None and fault.get("move") == frame["n"]:
            parts += [Text(), Text(_fault_text(fault, names), style="red")]
    if view["to_act"] is None and record.result is not None:
        parts += [Text(), Text(_result_text(record.result), style="bold")]
    return Panel(Group(*parts), title=head, subtitle=foot, padding=(1, 2))
