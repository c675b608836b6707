"""The modules that a page's scripts import, so that browsers can load them in parallel."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from django.conf import settings

from engine import registry

_ROOT: Final = Path(__file__).parents[1] / "static"
_IMPORT: Final = re.compile(r"""^(?:import|export)\b[^'"]*\bfrom '(\.{1,2}/[^']+)'""", re.MULTILINE)


def modules_of(*entries: str) -> tuple[str, ...]:
    """All modules that these static files import, directly or not, in the order of imports.

    Dynamic imports (`import()`) and the entry modules are not included.
    """
    return (_imports_of if settings.DEBUG else _cached_imports_of)(entries)


def _imports_of(entries: tuple[str, ...]) -> tuple[str, ...]:
    modules: dict[str, None] = {}
    for entry in entries:
        _collect_imports(_ROOT / entry, modules)
    return tuple(name for name in modules if name not in entries)


def renderer_of(game: str) -> str:
    """The module that draws a game's table, which `games.js` imports when it knows the game."""
    module = game if game in registry.BUILT_IN else "plain"
    return f"cardroom/board/games/{module}.js"


_cached_imports_of = cache(_imports_of)


def _collect_imports(path: Path, modules: dict[str, None]) -> None:
    for imported in _IMPORT.findall(path.read_text(encoding="utf-8")):
        other = (path.parent / imported).resolve()
        name = other.relative_to(_ROOT).as_posix()
        if name not in modules:
            modules[name] = None
            _collect_imports(other, modules)
