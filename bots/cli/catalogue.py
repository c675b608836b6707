"""`cardroom formats` and `cardroom rules`: list the formats, and show rules of games."""

from __future__ import annotations

import re
from typing import Annotated, Any

import typer
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table

from bots.cli.cards import coloured
from bots.cli.common import (
    AsJson,
    PlainTable,
    UsageError,
    complete_game,
    guarded,
    out,
    show_json,
)
from bots.sheets.rule_sheets import LANGUAGES, PICTURES, reference, rule_sheet
from engine import all_formats
from engine.formats import games

_PICTURES = re.compile(rf"^```{PICTURES}\n(.*?)^```$", re.MULTILINE | re.DOTALL)

GameName = Annotated[
    str, typer.Argument(help="A game, such as cassino.", autocompletion=complete_game)
]


@guarded
def formats(
    game: Annotated[
        str | None, typer.Argument(help="Only this game.", autocompletion=complete_game)
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """List every format: game/variant/table."""
    if game is not None:
        _game_info(game)
    chosen = [fmt for fmt in all_formats() if game in {None, fmt.game}]
    if as_json:
        show_json(
            [
                {
                    "format": str(fmt),
                    "game": fmt.game,
                    "variant": fmt.variant,
                    "table": fmt.table,
                    "seats": fmt.seats,
                    "sides": [list(side) for side in fmt.sides],
                    "options": dict(fmt.options),
                }
                for fmt in chosen
            ]
        )
        return
    table = PlainTable("format", "players", "sides")
    for fmt in chosen:
        sides = " : ".join("+".join(map(str, side)) for side in fmt.sides)
        table.add_row(str(fmt), str(fmt.seats), sides)
    out.print(table)


@guarded
def rules(
    game: GameName,
    *,
    language: Annotated[str, typer.Option(help="Language of the sheet: en or ja.")] = "en",
    for_bots: Annotated[
        bool,
        typer.Option(
            "--for-bots", help="Show the reference instead: cards, moves, keys of a bot's view."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the rules of a game, or the reference for bot authors."""
    game_info = _game_info(game)
    if for_bots:
        _show_reference(game_info, as_json=as_json)
        return
    if language not in LANGUAGES:
        names = ", ".join(LANGUAGES)
        raise UsageError(f"There are no sheets in {language[:20]!r}. The languages are {names}.")
    text = rule_sheet(game, language)
    if text is None and language != "en":
        raise UsageError(f"{game_info['title']} has no rule sheet in {LANGUAGES[language]} yet.")
    if as_json:
        show_json({**game_info, "sheet": text or ""})
        return
    _print_sheet(text or f"# {game_info['title']}\n\n{game_info['summary']}")
    out.print()
    out.print(_options_table(game_info))


def _show_reference(game_info: dict[str, Any], *, as_json: bool) -> None:
    text = reference(game_info["name"])
    if text is None:
        raise UsageError(f"{game_info['title']} has no rules document.")
    if as_json:
        show_json({**game_info, "reference": text})
    else:
        out.print(Markdown(text), soft_wrap=False)


def _print_sheet(text: str) -> None:
    """Print Markdown, with suit symbols in blocks of cards."""
    for number, part in enumerate(_PICTURES.split(text)):
        if number % 2:
            out.print(Padding(coloured(part.strip()), (1, 4, 0, 4)))
        else:
            out.print(Markdown(part), soft_wrap=False)  # otherwise lists are cut off at the edge


def _game_info(game: str) -> dict[str, Any]:
    by_name = {game_info["name"]: game_info for game_info in games()}
    if game not in by_name:
        raise UsageError(f"No game is called {game[:60]!r}. Cardroom has {', '.join(by_name)}.")
    return by_name[game]


def _options_table(game_info: dict[str, Any]) -> Table:
    table = Table("option", "values", "default", "meaning", "clause", title="Options")
    for option in game_info["options"]:
        if option["values"] is None:
            values = f"{option['low']} to {option['high']}"
        else:
            values = ", ".join(_value_text(value) for value in option["values"])
        default = _value_text(option["default"])
        table.add_row(option["name"], values, default, option["meaning"], option["clause"])
    return table


def _value_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
