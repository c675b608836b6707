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
"""Moves in a format with default options: several deals of any variant."""
OTHER_MOVES = 250
"""Moves in a format with another option."""


def behaviour(game: Declaration) -> str:
    """Hash of the game's behaviour in each format and with each value of its options."""
    digest = sha256()
    for fmt in default_formats(game):
        _play(fmt, MOVES, digest.update)
    for fmt in other_formats(game):
        _play(fmt, OTHER_MOVES, digest.update)
    return digest.hexdigest()[:32]


def default_formats(game: Declaration) -> list[Format]:
    """All formats of a game with default options."""
    return [
        Format(game.name, variant.name, table)
        for variant in game.variants
        for table in variant.tables
    ]


def other_formats(game: Declaration) -> Iterator[Format]:
    """A format for each non-default value of an option; for numbers, the lowest and highest."""
    formats = default_formats(game)
    for option in game.options:
        for value in option.values or (option.low, option.high):
            for fmt in formats:
                if not option.applies(fmt.variant, fmt.table) or fmt.options[option.name] == value:
                    continue
                try:
                    yield Format(game.name, fmt.variant, fmt.table, {option.name: value})
                except ValueError:  # conflicts with another option's default
                    continue
                break


def _play(fmt: Format, max_moves: int, update: Callable[[bytes], None]) -> None:
    match, rng = Match(fmt, seed=f"behaviour {fmt}"), Random(str(fmt))
    outputs: list[object] = [str(fmt), match.view(None)]
    while match.turn is not None and len(match.moves) < max_moves:
        legal = match.legal_moves()
        outputs.append(legal)
        match.play(rng.choice(legal))
    sheets = [_nameless(deal["sheet"]) for deal in match.deals]
    outputs += [match.events(None), match.scores, match.result, sheets]
    update(json.dumps(outputs, sort_keys=True).encode())


def _nameless(sheet: dict[str, Any]) -> dict[str, Any]:
    """A score sheet without its lines' keys: they name lines to programs and change no play."""
    lines = [{key: part for key, part in line.items() if key != "key"} for line in sheet["lines"]]
    return {**sheet, "lines": lines}


def current_behaviour(game: Declaration) -> dict[str, object]:
    """Version and hash of a game."""
    return {"version": game.version, "behaviour": behaviour(game)}


def stored_behaviour() -> dict[str, dict[str, object]]:
    """The stored version and hash of each game."""
    stored: dict[str, dict[str, object]] = json.loads(FILE.read_text(encoding="utf-8"))
    return stored


def undeclared(game: Declaration, before: dict[str, object], now: dict[str, object]) -> str:
    """Instructions if a game's behaviour changed without a new version, otherwise empty."""
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
    """Store the current hashes, unless behaviour changed without a new version."""
    stored, games = stored_behaviour(), [registry.game(name) for name in registry.BUILT_IN]
    now = {game.name: current_behaviour(game) for game in games}
    for game in games:
        if message := undeclared(game, stored.get(game.name, {"version": 0}), now[game.name]):
            sys.exit(message)
    FILE.write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
