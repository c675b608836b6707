"""Show one decision of a record: the seat's view as text, as JSON, or as a pytest file."""

from __future__ import annotations

import pprint
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from bots.cli.cards import coloured
from bots.cli.common import UsageError, out, show_json
from bots.limits import MAX_NAME
from cardroom_base.core.safe_text import one_line
from engine import Record

AtMove = Annotated[
    int | None,
    typer.Option("--move", help="Number of the move, unless FILE ends with it, as in #move-60."),
]

_OMITTED_KEYS = frozenset(
    {"game", "format", "seat", "sides", "deal", "dealer", "turn", "to_act", "hand", "hands"}
    | {"hand_sizes", "stock_cards", "scores"}
)
"""Keys of a view that `facts_table` omits: shown elsewhere, or meaningless to people."""

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
    # Assert the move that the bot should make; in the match, the seat played PLAYED.
    # assert move == ...
"""


def check_move(source: str, record: Record, move: int, seat: int | None = None) -> None:
    """UsageError if the record has no such move, or no such seat."""
    if not 0 <= move < len(record.moves):
        raise UsageError(f"{source} has moves 0 to {len(record.moves) - 1}.")
    if seat is not None and not 0 <= seat < len(record.players):
        raise UsageError(f"{source} has seats 0 to {len(record.players) - 1}.")


def show_position(data: dict[str, Any], *, pytest: bool, as_json: bool) -> None:
    """Print the seat's view and legal moves as text, as a Python test, or as JSON."""
    view, legal = data["question"]["view"], data["question"]["legal"]
    if pytest and (as_json or not legal):
        raise UsageError(
            "--pytest prints a test for the seat to move; leave out --json and --seat."
        )
    if pytest:
        out.print(_as_test(data))
        return
    if as_json:
        show_json(data)
        return
    scores = " : ".join(map(str, view["scores"]))
    heading = f"{data['start']['format']}, deal {view['deal']}, {scores}, move"
    out.print(one_line(f"{heading} {data['question']['n']}"), style="bold")
    out.print(_hands(view, data["start"]["players"]), facts_table(view), sep="\n")
    for move in legal:
        mark = "▸" if move == data["played"] else " "
        out.print(Text(f"{mark} ").append(coloured(move, spelled=True)))


def _hands(view: dict[str, Any], names: list[str]) -> Table:
    """The seat's cards, and the number of cards of other seats."""
    hands = Table(box=None, show_header=False, pad_edge=False)
    for seat, size in enumerate(view["hand_sizes"]):
        mark = "▸" if view["to_act"] == seat else " "
        cards = value_text(view["hand"]) if seat == view["seat"] else f"{size} cards"
        hands.add_row(Text(f"{mark} {seat} {one_line(names[seat], MAX_NAME)}"), coloured(cards))
    return hands


def facts_table(view: dict[str, Any]) -> Table:
    """The facts of a view, except hands and scores."""
    facts = Table(box=None, show_header=False, pad_edge=False)
    for key, value in view.items():
        if key not in _OMITTED_KEYS:
            facts.add_row(key.replace("_", " "), coloured(value_text(value)))
    return facts


def value_text(value: object) -> str:
    """JSON data as short text."""
    if isinstance(value, list):
        joiner = "   " if any(isinstance(item, list | dict) for item in value) else " "
        return joiner.join(map(value_text, value)) or "–"
    if isinstance(value, dict):
        if "id" in value:
            return value_text(value["id"])
        return " ".join(f"{key} {value_text(item)}" for key, item in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else str(value)


def _as_test(data: dict[str, Any]) -> str:
    """The source of a pytest file, with the position as Python literals."""
    literals = {
        key: pprint.pformat(data[key], width=100, compact=True, sort_dicts=False)
        for key in ("start", "question")
    }
    fmt, number = data["start"]["format"], data["question"]["n"]
    return _TEST.format(number=number, format=fmt, played=data["played"], **literals).rstrip()
