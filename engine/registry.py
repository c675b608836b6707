"""The games of this installation: built-in games, and games of other packages.

A package provides a game by the entry point group ``cardroom.games`` (name = "module:ATTRIBUTE",
where the attribute is an `engine.game.Game`). Built-in games need no installed metadata. A game is
imported on first use.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from engine.declarations import Declaration

GROUP = "cardroom.games"
BUILT_IN = ("cassino", "canasta", "spoon-eye", "zwicker", "paks")


@cache
def game(name: str) -> Declaration:
    """The game called `name`; ValueError lists the existing games."""
    if name in BUILT_IN:
        module = import_module("engine.games." + name.replace("-", "_"))
        built_in: Declaration = module.GAME
        return built_in
    entry = _foreign_entries().get(name)
    if entry is None:
        names = ", ".join([*BUILT_IN, *sorted(_foreign_entries())])
        raise ValueError(f"No game is called {name or 'nothing'}. Cardroom has {names}.")
    foreign: Declaration = entry.load()
    if foreign.name != name:
        raise ValueError(f"The game {name} calls itself {foreign.name}; the names must be equal.")
    return foreign


def games() -> list[Declaration]:
    """All games: the built-in ones in a fixed order, then the others by name."""
    all_games = [game(name) for name in BUILT_IN]
    for name in sorted(_foreign_entries()):
        try:
            all_games.append(game(name))
        except Exception as error:  # noqa: BLE001 - a foreign package; other games must still work
            from warnings import warn

            warn(f"The game {name} cannot be used: {error}", RuntimeWarning, stacklevel=2)
    return all_games


def distribution(name: str) -> str:
    """Name and version of the package that provides a game; empty for a built-in one."""
    entry = _foreign_entries().get(name)
    return f"{entry.dist.name} {entry.dist.version}" if entry and entry.dist else ""


def entry_points(group: str) -> list[EntryPoint]:
    """The entry points of installed packages; importlib.metadata is imported only here."""
    from importlib.metadata import entry_points as installed

    return list(installed(group=group))


@cache
def _foreign_entries() -> dict[str, EntryPoint]:
    entries = {entry.name: entry for entry in entry_points(group=GROUP)}
    return {name: entry for name, entry in entries.items() if name not in BUILT_IN}
