"""Editions of the games' rules. An edition consists of a version and a digest of the sources.

A game declares its version (`Game.version`) for people. The digest distinguishes programs whose
rules differ under the same version. Programs with equal editions play equally.
"""

from __future__ import annotations

import sys
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from engine import registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DIGITS = 16
"""Digits of the digest: enough to distinguish programs; there is no reason to forge one."""


def editions() -> dict[str, str]:
    """The editions of all installed games, by name."""
    return {game.name: edition(game.name) for game in registry.games()}


@cache
def edition(game: str) -> str:
    """Version and digest of a game's rules, such as ``1 3f2a91c04be87d56``; ValueError if there is
    no such game."""
    return f"{registry.game(game).version} {digest(game)}"


def version_of(edition: str) -> int:
    """The version in an edition; 0 if it has none, as in early records."""
    number = edition.partition(" ")[0]
    return int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0


@cache
def digest(game: str) -> str:
    """The digest of the sources that play `game`: the engine's modules and those of the game's
    package.

    Compiled modules have the same digest, because their sources lie next to them. If there are no
    sources, the digest covers all files of the package; if there are no files, the version of its
    distribution. The files are read on the first call, so later edits have no effect.
    """
    package = _package_of(type(registry.game(game)).__module__)
    game_files = list(_file_contents(package, deep=True)) or [
        (package, registry.distribution(game).encode())
    ]
    sha = sha256(game.encode())
    for name, content in (*_file_contents("engine", deep=False), *game_files):
        normal = content.replace(b"\r\n", b"\n")
        sha.update(b"\0%s\0%d\0%s" % (name.encode(), len(normal), normal))
    return sha.hexdigest()[:DIGITS]


def _package_of(module: str) -> str:
    """The package of a module's game: that of a built-in game, or the outermost foreign package."""
    parts = module.split(".")
    if parts[:2] == ["engine", "games"]:
        return ".".join(parts[:3])
    names = [".".join(parts[: depth + 1]) for depth in range(len(parts))]
    # Several distributions share a namespace package, which has no file.
    return next((name for name in names if _file_of(name)), module)


def _file_of(module: str) -> str:
    return getattr(sys.modules.get(module), "__file__", None) or ""


def _file_contents(module: str, *, deep: bool) -> Iterator[tuple[str, bytes]]:
    """Names and contents of a module's files, sorted by name; `deep` includes subfolders."""
    from pathlib import Path  # imported late: bots import the engine but need no paths

    file = Path(_file_of(module))
    stem = file.name.partition(".")[0]
    if stem == "__init__":
        sources = list(file.parent.rglob("*.py") if deep else file.parent.glob("*.py"))
        other_files: Iterator[Path] = file.parent.rglob("*")
    else:
        sources, other_files = [file.parent / f"{stem}.py"], iter([file])
    sources = [path for path in sources if path.is_file()]
    files = sources or [path for path in other_files if path.is_file() and path.suffix != ".pyc"]
    for path in sorted(files, key=lambda entry: _relative_name(entry, file.parent)):
        yield f"{module}/{_relative_name(path, file.parent)}", path.read_bytes()


def _relative_name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()
