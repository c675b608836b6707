"""Views and moves as numbers: in range, complete, and from the seat's own view alone."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from engine import Match
from engine.encoding import HashedEncoding, encoding_of, keep
from engine.encoding_protocol import Encoding
from engine.formats import all_formats
from engine.game import Format
from engine.registry import BUILT_IN
from tests.engine.highcard import HighCard

ROOT = Path(__file__).resolve().parents[2]
FORMATS = [fmt for fmt in all_formats() if fmt.game in BUILT_IN]
MOVES = 40
"""Moves of the match in which an encoding is tested."""


def decisions(fmt: Format, moves: int, seed: str = "encoding") -> Iterator[Match]:
    """The positions of a random match before each move and at the end."""
    match, rng = Match(fmt, seed=seed), Random(seed)
    for _ in range(moves):
        if match.turn is None:
            return
        yield match
        match.play(rng.choice(match.legal_moves()))


def rows_of(encoding: Encoding, numbers: list[float]) -> list[tuple[float, ...]]:
    width = len(encoding.move_names)
    return [tuple(numbers[index : index + width]) for index in range(0, len(numbers), width)]


@pytest.mark.parametrize("fmt", FORMATS, ids=str)
def test_numbers_are_complete_and_within_minus_one_and_one(fmt: Format) -> None:
    encoding = encoding_of(fmt)
    assert not isinstance(encoding, HashedEncoding), "each built-in game declares its own"
    assert encoding.version >= 1
    for names in (encoding.names, encoding.move_names):
        assert len(set(names)) == len(names)
    for match in decisions(fmt, MOVES):
        legal = match.legal_moves()
        for seat in range(fmt.seats):
            numbers = encoding.observe(match.view(seat))
            assert len(numbers) == len(encoding.names)
            assert all(-1 <= number <= 1 for number in numbers)
        rows = rows_of(encoding, encoding.describe(match.view(match.turn), legal).tolist())
        assert len(rows) == len(legal)
        assert len(set(rows)) == len(legal), "two legal moves have the same row"
        assert all(-1 <= number <= 1 for row in rows for number in row)


@pytest.mark.parametrize("fmt", FORMATS[::5], ids=str)
def test_equal_views_have_equal_encodings(fmt: Format) -> None:
    encoding, rng = encoding_of(fmt), Random(1)
    hidden = 0
    for match in decisions(fmt, MOVES):
        assert match.turn is not None
        view, legal = match.view(match.turn), match.legal_moves()
        guess = match.sample(match.turn, rng)
        assert guess.view(match.turn) == view
        hidden += guess.view(None)["hands"] != match.view(None)["hands"]
        # A bot gets both from JSON.
        decoded_view = json.loads(json.dumps(guess.view(match.turn)))
        copied_view = copy.deepcopy(view)
        assert encoding.observe(view) == encoding.observe(decoded_view)
        assert encoding.describe(view, legal) == encoding.describe(decoded_view, legal)
        assert view == copied_view, "encoding changed the view"
    assert hidden, "no guess differed from the match"


@pytest.mark.parametrize("fmt", FORMATS[::7], ids=str)
def test_the_hand_and_the_next_move_change_the_numbers(fmt: Format) -> None:
    encoding = encoding_of(fmt)
    encodings = set()
    for moves, match in enumerate(decisions(fmt, MOVES), 1):
        encodings.add((match.turn, tuple(encoding.observe(match.view(match.turn)))))
        assert len(encodings) == moves, f"{match.moves[-1]} changed no number"


def test_seats_are_numbered_from_the_viewers_seat() -> None:
    fmt = Format.parse("cassino/standard/2v2")
    encoding = encoding_of(fmt)
    match = Match(fmt, seed="seats")
    numbers = [encoding.observe(match.view(seat)) for seat in range(4)]
    acts, dealer = encoding.names.index("acts seat +0"), encoding.names.index("dealer seat +0")
    assert [list(row[acts : acts + 4]).index(1) for row in numbers] == [0, 3, 2, 1]
    assert [list(row[dealer : dealer + 4]).index(1) for row in numbers] == [3, 2, 1, 0]
    partners = encoding.names.index("own side seat +0")
    assert all(list(row[partners : partners + 4]) == [1, 0, 1, 0] for row in numbers)
    card = encoding.names.index(f"hand {match.view(2)['hand'][0]}")
    assert [row[card] for row in numbers] == [0, 0, 1, 0]


def test_a_game_without_an_encoding_gets_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    game = HighCard()
    monkeypatch.setattr("engine.registry.game", lambda name: game)
    fmt = Format("highcard", "plain", "1v1")
    encoding = encoding_of(fmt)
    assert isinstance(encoding, HashedEncoding)
    rows = []
    for match in decisions(fmt, 9):
        view, legal = match.view(match.turn), match.legal_moves()
        numbers = encoding.observe(view)
        assert len(numbers) == len(encoding.names)
        assert all(-1 <= number <= 1 for number in numbers)
        moves = rows_of(encoding, encoding.describe(view, legal).tolist())
        assert len(set(moves)) == len(legal)
        rows.append((match.turn, tuple(numbers)))
    assert len(set(rows)) == len(rows) == 9, "phase or cards laid changed no number"


def test_a_full_cache_is_emptied() -> None:
    cache: dict[int, int] = {}
    assert [keep(cache, number, -number) for number in range(2050)] == list(range(0, -2050, -1))
    assert cache == {2048: -2048, 2049: -2049}


def test_encodings_need_only_the_standard_library() -> None:
    program = (
        "from engine import Match\n"
        "from engine.encoding import encoding_of\n"
        "match = Match('cassino/standard/1v1', seed='1')\n"
        "encoding = encoding_of(match.format)\n"
        "print(len(encoding.observe(match.view(0))) == len(encoding.names))\n"
    )
    process = subprocess.run(
        [sys.executable, "-S", "-c", program],  # without installed packages, as in a sandbox
        env=os.environ | {"PYTHONPATH": os.fspath(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stdout == "True\n", process.stderr
