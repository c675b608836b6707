"""`cardroom new`: a bot that plays, to begin with."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from bots.cli.common import AsJson, UsageError, guarded, out, show_json
from bots.manifest import MAX_NAME
from engine import all_formats


class Language(StrEnum):
    """The languages there is a template for."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    C = "c"


_NEXT = {
    Language.PYTHON: (),
    Language.JAVASCRIPT: (),
    Language.C: ("make -C {folder}",),
}


@guarded
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The bot's name; makes a folder.")],
    *,
    language: Annotated[Language, typer.Option(help="What to write it in.")] = Language.PYTHON,
    game: Annotated[str | None, typer.Option(help="The game it plays; default: all.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a folder with a small bot that plays."""
    pattern = _pattern(game)
    folder = Path(_slug(name))
    if folder.exists():
        raise UsageError(f"{folder} exists already; choose another name.")
    template = files("bots") / "templates" / language.value
    written = []
    try:
        folder.mkdir()
        for entry in sorted(template.iterdir(), key=lambda entry: entry.name):
            if not entry.is_file():
                continue
            text = entry.read_text("utf-8").replace("@NAME@", json.dumps(name, ensure_ascii=False))
            target = folder / entry.name
            target.write_text(text.replace("@FORMATS@", json.dumps([pattern])), encoding="utf-8")
            written.append(str(target))
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}.") from None
    example = next(str(fmt) for fmt in all_formats() if game in {None, fmt.game})
    steps = [step.format(folder=folder) for step in _NEXT[language]]
    steps += [f"cardroom play {example} {folder} house:random", f"cardroom check {folder}"]
    if as_json:
        show_json({"folder": str(folder), "files": written, "next": steps})
        return
    out.print(f"{folder} is ready. Next:", markup=False)
    for step in steps:
        out.print(f"  {step}", markup=False)


def _pattern(game: str | None) -> str:
    if game is None:
        return "*/*/*"
    known = list(dict.fromkeys(fmt.game for fmt in all_formats()))
    if game not in known:
        raise UsageError(f"No game is called {game[:60]!r}. Cardroom has {', '.join(known)}.")
    return f"{game}/*/*"


def _slug(name: str) -> str:
    """The folder for a bot's name: lower case, with - for what no file name should have."""
    slug = re.sub(r"[^\w]+", "-", name.casefold()).strip("-_")
    if not slug or len(name) > MAX_NAME or not name.isprintable():
        raise UsageError(f"A bot's name has letters and at most {MAX_NAME} characters.")
    return slug
