"""The table in the docstring of each game equals its declarations and behaviour."""

from __future__ import annotations

import sys
from random import Random
from statistics import median

import pytest

from engine import Format, Match, registry
from engine.declarations import TABLES, Declaration

MATCHES = 5
PROSE = {"Hidden", "Chance"}
"""Rows in words; only their presence is checked."""


def formats(game: Declaration) -> list[Format]:
    """All formats with default options."""
    return [Format(game.name, v.name, table) for v in game.variants for table in v.tables]


def span(numbers: set[int]) -> str:
    """``2 to 4``, or the only number."""
    lowest, highest = min(numbers), max(numbers)
    return str(lowest) if lowest == highest else f"{lowest} to {highest}"


def moves(fmt: Format) -> int:
    """The median length of random matches."""
    lengths = []
    for number in range(MATCHES):
        match, rng = Match(fmt, seed=f"length {number}"), Random(number)
        while match.turn is not None:
            match.play(rng.choice(match.legal_moves()))
        lengths.append(len(match.moves))
    return int(median(lengths))


def properties(game: Declaration) -> dict[str, str]:
    """The rows of a game's table, except for those in words."""
    game_formats = formats(game)
    length = moves(game_formats[0])
    return {
        "Seats": span({TABLES[table].seats for table in game.tables}),
        "Table forms": ", ".join(game.tables),
        "Variants": ", ".join(variant.name for variant in game.variants),
        "Formats": f"{len(game_formats)}, with {len(game.options)} options",
        "Cards": span({len(fmt.spec.pack(fmt)) for fmt in game_formats}),
        "Length": f"{length} moves per match (median of random play at {game_formats[0]})",
        "Version": str(game.version),
    }


def documented(game: Declaration) -> str:
    """The docstring of the game's package."""
    return sys.modules[type(game).__module__].__doc__ or ""


@pytest.mark.parametrize("name", registry.BUILT_IN)
def test_the_table_of_a_game_is_correct(name: str) -> None:
    game = registry.game(name)
    _, rows, _ = documented(game).split("\n\n", 2)
    table = {head: value.strip() for head, _, value in (r.partition(":") for r in rows.split("\n"))}
    assert {head: value for head, value in table.items() if head not in PROSE} == properties(game)
    assert all(table[head] for head in PROSE)


@pytest.mark.parametrize("name", registry.BUILT_IN)
def test_the_docstring_of_a_game_has_its_history(name: str) -> None:
    game = registry.game(name)
    _, _, history = documented(game).partition("Versions of the rules:\n\n")
    text = " ".join(history.split())
    entries = [f"- {change.version} ({change.date}): {change.changes}" for change in game.history]
    assert text == " ".join(entries)
    assert game.history[-1].version == game.version
