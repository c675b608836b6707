"""`cardroom position`: one decision of a record, as a bot is asked it, or as a test of a bot."""

from __future__ import annotations

import pprint
from typing import Annotated, Any

import typer

from bots.cli.common import BankMs, MoveMs, UsageError, guarded, out, show_json
from bots.cli.sources import read_one, split_place
from bots.referee.clock import ClockSettings
from bots.referee.rehearsal import position as position_of

_TEST = """\
\"\"\"Move {number} of a match of {format}. Run it with pytest beside bot.py.\"\"\"

import random

import bot

START = {start}

QUESTION = {question}

PLAYED = {played!r}


def decide():
    random.seed(START["rng"])
    if not hasattr(bot, "Bot"):
        return bot.choose(QUESTION["view"], QUESTION["legal"])
    player = bot.Bot()
    if hasattr(player, "clock"):
        player.clock = QUESTION["clock"]
    if hasattr(player, "start"):
        player.start(START)
    for event in QUESTION["events"] if hasattr(player, "event") else []:
        player.event(event)
    return player.choose(QUESTION["view"], QUESTION["legal"])


def test_move_{number}():
    answer = decide()
    move = answer["move"] if isinstance(answer, dict) else answer
    assert move in QUESTION["legal"] or QUESTION["truncated"]
    # Say what the bot should do here; in the match, its move was PLAYED.
    # assert move == ...
"""


@guarded
def position(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A record's file or address.")],
    number: Annotated[
        int | None,
        typer.Argument(
            metavar="[MOVE]",
            help="The move's number, as in `replay` and logs; or FILE ends with #move-60.",
        ),
    ] = None,
    *,
    test: Annotated[
        bool, typer.Option("--test", help="Print a pytest file for a bot.py instead of JSON.")
    ] = False,
    move_ms: MoveMs = 1_000,
    bank_ms: BankMs = 20_000,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON; this is the default.")
    ] = False,
) -> None:
    """Print what the seat to move knew: its start line, its question with all events, its move.

    Exit status 1: the record does not verify.
    """
    if test and as_json:
        raise UsageError("--test prints Python; leave out --json.")
    source, named = split_place(source)
    number = named if number is None else number
    if number is None:
        raise UsageError(f"Say which move: {source}#move-60, or the number behind it.")
    record = read_one(source, "position")
    if not 0 <= number < len(record.moves):
        raise UsageError(f"{source} has moves 0 to {len(record.moves) - 1}.")
    record.verify()
    found = position_of(record, number, ClockSettings(move_ms, bank_ms))
    if test:
        out.print(_as_test(number, found))
    else:
        show_json(found)


def _as_test(number: int, found: dict[str, Any]) -> str:
    """A file for pytest; the data as Python literals."""
    literals = {
        key: pprint.pformat(found[key], width=100, compact=True, sort_dicts=False)
        for key in ("start", "question")
    }
    text = found["start"]["format"]
    return _TEST.format(number=number, format=text, played=found["played"], **literals).rstrip()
