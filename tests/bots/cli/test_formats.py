"""Play and verify each format that `cardroom formats` lists on the command line.

Small size: the last table form of each variant. Full size (CARDROOM_FULL=1): every format.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from engine import Format, all_formats

from .conftest import Run

pytestmark = pytest.mark.slow
FULL = os.environ.get("CARDROOM_FULL") == "1"
LAST = {(fmt.game, fmt.variant): fmt for fmt in all_formats()}
PLAYED = [str(fmt) for fmt in (all_formats() if FULL else LAST.values())]


def test_the_list_equals_the_engines_formats(run: Run) -> None:
    formats = [line["format"] for line in run("formats", "--json").json]
    assert formats == [str(fmt) for fmt in all_formats()]
    assert set(PLAYED) <= set(formats)


@pytest.mark.parametrize("text", PLAYED)
def test_matches_with_a_bot_for_each_seat_or_side_verify(run: Run, text: str) -> None:
    fmt = Format.parse(text)
    sides = [("house:random", "house:greedy")[side % 2] for side in range(len(fmt.sides))]
    for bots in (["house:random"] * fmt.seats, sides):
        ran = run("play", text, *bots, "--seed", "pass", "--record", "r.json", sandboxed=True)
        assert ran.status == 0, ran.out + ran.err
        record = json.loads(Path("r.json").read_text())
        assert record["format"] == text
        assert not record["faults"]
        names = {player["name"].split(" #")[0] for player in record["players"]}
        assert names == set(bots)
        ran = run("verify", "r.json")
        assert ran.status == 0, ran.out
        assert f"agrees ({len(record['moves'])} moves" in ran.out
