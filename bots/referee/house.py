"""Load house bots, which come with Cardroom and are written `house:NAME`.

Each is a package folder, `seeds/bots/NAME/`. A level of the expert is the expert's package with an
additional file that contains the level.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from bots.limits import PackageError, quoted
from bots.package.package import Package
from bots.referee.outcome import SeatedBot
from cardroom_base.core.names import HOUSE
from engine.search import LEVELS

PREFIX = HOUSE
LEVELED = "expert"
"""The house bot that has levels; each level is a house bot, too: `house:expert-1`."""


def names() -> list[str]:
    """All house bots, by name."""
    folder = files("seeds") / "bots"
    if not folder.is_dir():
        return []
    bots = [entry.name for entry in folder.iterdir() if (entry / "bot.py").is_file()]
    if LEVELED in bots:
        bots += [f"{LEVELED}-{level}" for level in LEVELS]
    return sorted(bots)


@cache
def load(name: str) -> Package:
    """The house bot with that name; PackageError with a hint if there is none."""
    bots = names()
    if name not in bots:
        close = difflib.get_close_matches(name, bots, 1)
        hint = f"Did you mean house:{close[0]}?" if close else f"There are {', '.join(bots)}."
        raise PackageError(f"No house bot is called {name[:60]!r}. {hint}")
    folder_name, _, level = (
        name.partition("-") if name.startswith(f"{LEVELED}-") else (name, "", "")
    )
    with as_file(files("seeds") / "bots" / folder_name) as folder:
        package = Package.load(folder)
    if not level:
        return package
    return Package.from_files(
        {**package.files, "level.txt": level.encode()}, f"{package.name} {level}"
    )


def find(bot: str | Path) -> Package:
    """The bot `house:NAME`, or the one at a path: a bot.py, a zip or a folder."""
    if isinstance(bot, str) and bot.startswith(PREFIX):
        return load(bot.removeprefix(PREFIX))
    return Package.load(bot)


def load_players(bots: Sequence[str]) -> list[SeatedBot]:
    """Bots (paths or `house:NAME`) as players; equal names get numbers.

    PackageError names the bot.
    """
    packages = [_find_named(bot) for bot in bots]
    labels = [
        bot if bot.startswith(PREFIX) else package.name
        for bot, package in zip(bots, packages, strict=True)
    ]
    totals, counts = Counter(labels), Counter[str]()
    players = []
    for name, package in zip(labels, packages, strict=True):
        counts[name] += 1
        unique = name if totals[name] == 1 else f"{name} #{counts[name]}"
        players.append(SeatedBot(unique, package))
    return players


def _find_named(bot: str) -> Package:
    """Like `find`; the message of a PackageError contains the bot as the user wrote it."""
    try:
        return find(bot)
    except PackageError as error:
        if bot.removeprefix(PREFIX) in str(error):
            raise
        raise PackageError(f"{quoted(bot)}: {error}", error.detail) from None
