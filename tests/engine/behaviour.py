"""What a game does, as a hash: lists, events, scores and results of matches played by chance.

`python -m tests.engine.behaviour` writes the hashes of today beside the versions (behaviour.json).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from engine import Format, Match, registry
from engine.declarations import Declaration

FILE = Path(__file__).with_name("behaviour.json")
MOVES = 2000
"""Of a format with default options: long enough for several deals of any variant."""
OTHER_MOVES = 250
"""Of a format with another option."""


def behaviour(game: Declaration) -> str:
    """Hash of what the game does in each of its formats, and with each value of its options."""
    found = sha256()
    for fmt in default_formats(game):
        _play(fmt, MOVES, found.update)
    for fmt in other_formats(game):
        _play(fmt, OTHER_MOVES, found.update)
    return found.hexdigest()[:32]


def default_formats(game: Declaration) -> list[Format]:
    """All of its formats with default options."""
    return [
        Format(game.name, variant.name, table)
        for variant in game.variants
        for table in variant.tables
    ]


def other_formats(game: Declaration) -> Iterator[Format]:
    """For each other value of an option (of a number: its ends) a format that has it."""
    formats = default_formats(game)
    for option in game.options:
        for value in option.values or (option.low, option.high):
            for fmt in formats:
                if not option.applies(fmt.variant, fmt.table) or fmt.options[option.name] == value:
                    continue
                try:
                    yield Format(game.name, fmt.variant, fmt.table, {option.name: value})
                except ValueError:  # does not go with another option's default
                    continue
                break


def _play(fmt: Format, most: int, tell: Callable[[bytes], None]) -> None:
    match, rng = Match(fmt, seed=f"behaviour {fmt}"), Random(str(fmt))
    seen: list[object] = [str(fmt), match.view(None)]
    while match.turn is not None and len(match.moves) < most:
        legal = match.legal_moves()
        seen.append(legal)
        match.play(rng.choice(legal))
    sheets = [_nameless(deal["sheet"]) for deal in match.deals]
    seen += [match.events(None), match.scores, match.result, sheets]
    tell(json.dumps(seen, sort_keys=True).encode())


def _nameless(sheet: dict[str, Any]) -> dict[str, Any]:
    """A score sheet without its lines' keys: they name lines to programs and change no play."""
    lines = [{key: part for key, part in line.items() if key != "key"} for line in sheet["lines"]]
    return {**sheet, "lines": lines}


def today(game: Declaration) -> dict[str, object]:
    """Version and hash of a game."""
    return {"version": game.version, "behaviour": behaviour(game)}


def kept() -> dict[str, dict[str, object]]:
    """Version and hash of each game as they were written down."""
    found: dict[str, dict[str, object]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def undeclared(game: Declaration, before: dict[str, object], now: dict[str, object]) -> str:
    """What to do where a game does something else than before by the same version; else empty."""
    if now == before or now["version"] != before["version"]:
        return ""
    return (
        f"{game.title} plays otherwise than version {before['version']} did. If that is not meant, "
        f"mend it. If it is: give {type(game).__name__}.version in its package the next number, "
        f"add a Change to its history and a line to the History of docs/rules/{game.document}, "
        "then run `python -m tests.engine.behaviour` and commit the file that it writes. "
        "Tournaments that run are then finished by the version they began with."
    )


def write() -> None:
    """Write the hashes of today down; not where a version has two."""
    before, games = kept(), [registry.game(name) for name in registry.BUILT_IN]
    now = {game.name: today(game) for game in games}
    for game in games:
        if words := undeclared(game, before.get(game.name, {"version": 0}), now[game.name]):
            sys.exit(words)
    FILE.write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
