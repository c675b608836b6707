"""Conformance of every format (ZWI-1, ZWI-2), and of options that change what happens."""

import os
from typing import Any

import pytest

from engine import Format, Match, all_formats
from engine.testing import check_game

SEEDS = tuple(f"seed {n}" for n in range(20 if os.environ.get("CARDROOM_FULL") else 1))
FORMATS = [str(fmt) for fmt in all_formats() if fmt.game == "zwicker"]
OPTIONS = [
    "deals=1&joker_single=true",
    "deals=1&joker_table=joker",
    "deals=1&joker_table=never",
    "deals=1&joker_zwick=false",
    "deals=2&settle=differences&target=0&trail=forced",
    "settle=last-pays&target=20&tie=draw",
    "deals=1&joker_table=never&trail=forced",
]
ALL = [
    *FORMATS,
    *(f"zwicker/grupp/1v1?{options}" for options in OPTIONS),
    "zwicker/grupp/ffa5?deals=1&joker_table=joker",
    "zwicker/christiansen/ffa3?deals=1&trail=forced",
]
# section 1: cards, hand, table, turns a deal
NUMBERS = {
    **{f"grupp/{table}": (58, 4, 4, 54) for table in ("1v1", "ffa3", "ffa4")},
    **{f"grupp/ffa{seats}": (116, 4, 4, 112) for seats in (5, 6, 7, 8)},
    **{f"christiansen/{table}": (56, 8, 8, 48) for table in ("1v1", "ffa3")},
    "christiansen/ffa4": (56, 6, 8, 48),
}


@pytest.mark.parametrize("name", ALL)
def test_conformance(name: Any) -> None:
    assert check_game(name, seeds=SEEDS, every=29) > 0


def test_formats_equal_those_of_the_document() -> None:
    assert [f"zwicker/{name}" for name in NUMBERS] == FORMATS


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_section_1(name: Any) -> None:
    fmt = Format.parse(f"zwicker/{name}?deals=1")
    pack, hand, table, turns = NUMBERS[name]
    assert len(fmt.spec.pack(fmt)) == pack
    match = Match(fmt, seed="numbers")
    view = match.view(None)
    assert view["hand_sizes"] == [hand] * fmt.seats
    assert len(view["table"]) == table
    while match.turn is not None:
        match.play(match.legal_moves()[0])
    assert len(match.moves) == turns
