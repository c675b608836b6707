"""Bots inside this process make the same records and faults as in a process of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bots.package.package import Package
from bots.referee import house
from bots.referee.clock import ClockSettings
from bots.referee.in_process import InProcessSandbox, InProcessSeat
from bots.referee.live_seat import LiveSeat
from bots.referee.outcome import MatchOutcome, SeatedBot
from bots.referee.referee import play_match
from bots.sandbox import Limits, Sandbox, SandboxUnavailable
from engine import Format

FORMAT = Format.parse("cassino/standard/1v1?deals=1")
LIMITS = Limits(line_bytes=2_000)
FIRST = "def choose(view, legal):\n    return legal[0]\n"
BOTS = {
    "a good bot": FIRST,
    "a note": "def choose(view, legal):\n    return {'move': legal[0], 'note': 'ö' * 9}\n",
    "an exception": "def choose(view, legal):\n    return legal[len(view)]\n",
    "an exception at its start": "import nothing_such\n",
    "a syntax error later": "def choose(view, legal):\n    return eval('1 +')\n",
    "sys.exit": "import sys\ndef choose(view, legal):\n    sys.exit(3)\n",
    "sys.exit with a text": "import sys\ndef choose(view, legal):\n    sys.exit('enough')\n",
    "no choose": "x = 1\n",
    "a class without choose": "class Bot:\n    pass\n",
    "no move": "def choose(view, legal):\n    return None\n",
    "an illegal move": "def choose(view, legal):\n    print('hm')\n    return 'no'\n",
    "a long answer": "def choose(view, legal):\n    return 'x' * 5000\n",
    "an exception in event": "class Bot:\n    def event(self, event):\n        1 / 0\n"
    "    def choose(self, view, legal):\n        return legal[0]\n",
    "a loop": "def choose(view, legal):\n    while True:\n        pass\n",
    "sleep": "import time\ndef choose(view, legal):\n    time.sleep(60)\n",
    "the shared random": "import random\ndef choose(view, legal):\n"
    "    return random.choice(legal)\n",
    "a late random": "def choose(view, legal):\n    from random import choice\n"
    "    return choice(legal)\n",
    "its state": "n = 0\ndef choose(view, legal):\n    global n\n    n += 1\n"
    "    return legal[n % len(legal)]\n",
    "a view that it changes": "def choose(view, legal):\n    view.clear()\n"
    "    return legal.pop()\n",
}
"""Bots by what they do."""
MODULES = {
    "bot.py": b"import helper\ndef choose(view, legal):\n    import late\n"
    b"    return late.pick(legal, helper.step())\n",
    "helper.py": b"import random\nn = 0\ndef step():\n    global n\n    n += random.randrange(3)\n"
    b"    return n\n",
    "late/__init__.py": b"place = int(open('place.txt').read())\n"
    b"def pick(legal, n):\n    return legal[(n + place) % len(legal)]\n",
    "place.txt": b"1",
}


@pytest.fixture
def inside() -> Iterator[InProcessSandbox]:
    with InProcessSandbox(LIMITS) as sandbox:
        yield sandbox


def played(
    bots: list[Package], sandbox: Any, seat_type: Any, seed: str = "a"
) -> tuple[dict[str, Any], MatchOutcome]:
    players = [SeatedBot(f"bot {number}", bot) for number, bot in enumerate(bots)]
    clock = ClockSettings(300, 0)
    outcome = play_match(FORMAT, seed, players, sandbox=sandbox, clock=clock, seat_type=seat_type)
    record = outcome.record.to_json()
    del record["clock_ms"]
    return record, outcome


def compared(bots: list[Package], inside: InProcessSandbox) -> Any:
    """The outcome inside this process, after the record was compared with one of processes."""
    record, outcome = played(bots, inside, InProcessSeat)
    with Sandbox(LIMITS, trusted=True) as sandbox:
        other, outside = played(bots, sandbox, LiveSeat)
    assert record == other
    for seat, twin in zip(outcome.seats, outside.seats, strict=True):
        assert seat.moves == twin.moves
        # Line numbers and names are the same; paths are not.
        assert _shape(seat.stderr) == _shape(twin.stderr)
    return outcome


def _shape(log: bytes) -> list[str]:
    lines = log.decode().splitlines()
    return [line.partition(", line ")[2] if "File " in line else line for line in lines]


@pytest.mark.parametrize("source", BOTS.values(), ids=BOTS)
def test_records_and_faults_are_those_of_a_process(source: str, inside: InProcessSandbox) -> None:
    bot = Package.from_files({"bot.py": source.encode()}, "bot")
    compared([bot, bot], inside)


def test_seats_share_no_module(inside: InProcessSandbox) -> None:
    bot = Package.from_files(MODULES, "bot")
    other = Package.from_files({**MODULES, "place.txt": b"0"}, "other")
    outcome = compared([bot, other], inside)
    assert not outcome.faults
    again, _ = played([bot, other], inside, InProcessSeat)
    first, _ = played([bot, other], inside, InProcessSeat)
    assert again == first  # nothing is left of the match before


def test_house_bots_play_the_same(inside: InProcessSandbox) -> None:
    outcome = compared([house.load("greedy"), house.load("cassino")], inside)
    assert not outcome.faults


def test_programs_are_refused(inside: InProcessSandbox, tmp_path: Path) -> None:
    files = {"run": b"#!/bin/sh\n", "cardroom.toml": b'command = ["./run"]\n'}
    with pytest.raises(SandboxUnavailable, match="Only Python bots"):
        inside.open(Package.from_files(files, "bot").program(), name="seat0")
