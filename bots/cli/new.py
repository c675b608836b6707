"""`cardroom new`: write a small working bot to start from."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from bots.cli.common import AsJson, UsageError, complete_game, guarded, out, show_json
from bots.limits import MAX_NAME
from bots.schemas.documents import names, schema
from engine import Match, all_formats


class Language(StrEnum):
    """The languages that have a template."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    C = "c"


_BUILD_COMMANDS = {
    Language.PYTHON: (),
    Language.JAVASCRIPT: (),
    Language.C: ("make -C {folder}",),
}

_COMMENT = {"bot.py": "#", "bot.js": "//", "bot.c": "//"}
_LONGEST_VALUE = 60


@guarded
def new(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="The bot's name; the folder's name follows from it."),
    ],
    *,
    language: Annotated[
        str, typer.Option(metavar="|".join(Language), help="The programming language.")
    ] = Language.PYTHON,
    game: Annotated[
        str | None,
        typer.Option(help="The game it plays; default: all.", autocompletion=complete_game),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a folder with a small working bot."""
    chosen_language, pattern = _parse_language(language), _game_pattern(game)
    folder = Path(_slug(name))
    if folder.exists():
        raise UsageError(f"{folder} already exists; choose another name.")
    template = files("bots") / "templates" / chosen_language.value
    paths: list[str] = []
    try:
        folder.mkdir()
        for entry in sorted(template.iterdir(), key=lambda entry: entry.name):
            if not entry.is_file():
                continue
            text = entry.read_text("utf-8").replace("@NAME@", json.dumps(name, ensure_ascii=False))
            if game is not None and entry.name in _COMMENT:
                text += _view_comment(game, _COMMENT[entry.name])
            target = folder / entry.name
            paths.append(str(target))
            target.write_text(text.replace("@FORMATS@", json.dumps([pattern])), encoding="utf-8")
    except OSError as error:
        _remove(folder, paths)
        raise UsageError(f"{folder} cannot be written: {error.strerror}.") from None
    example = next(str(fmt) for fmt in all_formats() if game in {None, fmt.game})
    steps = [step.format(folder=folder) for step in _BUILD_COMMANDS[chosen_language]]
    steps += [f"cardroom play {example} {folder} house:random", f"cardroom check {folder}"]
    if as_json:
        show_json({"folder": str(folder), "files": paths, "next": steps})
        return
    out.print(f"{folder} is ready. Next:")
    for step in steps:
        out.print(f"  {step}")


def _remove(folder: Path, paths: list[str]) -> None:
    """Remove what has been written."""
    with suppress(OSError):
        for path in paths:
            Path(path).unlink(missing_ok=True)
        folder.rmdir()


def _view_comment(game: str, comment_sign: str) -> str:
    """Comment lines with a view at the start of the game's first format, and its legal moves."""
    fmt = next(fmt for fmt in all_formats() if fmt.game == game)
    match = Match(fmt, "example")
    assert match.turn is not None  # noqa: S101 - a new match has a seat to move
    lines = [
        f"A view of {fmt} at the first move.",
        f"`cardroom rules {game} --for-bots` explains every key and how moves are written.",
    ]
    view = f"{game}-view"
    key_schemas = schema(view)["properties"] if view in names() else {}
    for key, value in match.view(match.turn).items():
        meaning = f"  {key_schemas[key]['description']}" if key in key_schemas else ""
        lines.append(f"  {key}: {_shortened(value)}{meaning}")
    lines.append(f"Legal moves in this view: {_shortened(match.legal_moves())}")
    return "\n" + "".join(f"{comment_sign} {line}\n" for line in lines)


def _shortened(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + " …"


def _parse_language(text: str) -> Language:
    try:
        return Language(text)
    except ValueError:
        raise UsageError(
            f"There is no template for {text[:60]!r}, only for {', '.join(Language)}. A bot can be "
            "written in any language: see `command` and the protocol on the page for bots."
        ) from None


def _game_pattern(game: str | None) -> str:
    if game is None:
        return "*/*/*"
    games = list(dict.fromkeys(fmt.game for fmt in all_formats()))
    if game not in games:
        raise UsageError(f"No game is called {game[:60]!r}. Cardroom has {', '.join(games)}.")
    return f"{game}/*/*"


def _slug(name: str) -> str:
    """The name of a bot's folder: the bot's name in lower case, with - for spaces and symbols."""
    slug = re.sub(r"[^\w]+", "-", name.casefold()).strip("-_")
    if not slug or len(name) > MAX_NAME or not name.isprintable():
        raise UsageError(
            f"A bot's name must have a letter or a digit, and at most {MAX_NAME} characters."
        )
    return slug
