"""Bots inside this process give the same records and faults as in processes."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
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
def in_process() -> Iterator[InProcessSandbox]:
    with InProcessSandbox(LIMITS) as sandbox:
        yield sandbox


def play(
    bots: list[Package], sandbox: Any, seat_type: Any, seed: str = "a"
) -> tuple[dict[str, Any], MatchOutcome]:
    players = [SeatedBot(f"bot {number}", bot) for number, bot in enumerate(bots)]
    clock = ClockSettings(300, 0)
    outcome = play_match(FORMAT, seed, players, sandbox=sandbox, clock=clock, seat_type=seat_type)
    record = outcome.record.to_json()
    del record["clock_ms"]
    return record, outcome


def compare_with_process(bots: list[Package], in_process: InProcessSandbox) -> Any:
    """The outcome inside this process; asserts that it equals the one with processes."""
    record, outcome = play(bots, in_process, InProcessSeat)
    with Sandbox(LIMITS, trusted=True) as sandbox:
        other, reference = play(bots, sandbox, LiveSeat)
    assert record == other
    for seat, twin in zip(outcome.seats, reference.seats, strict=True):
        assert seat.moves == twin.moves
        # Line numbers and names are the same; paths are not.
        assert _shape(seat.stderr) == _shape(twin.stderr)
    return outcome


def _shape(log: bytes) -> list[str]:
    lines = log.decode().splitlines()
    return [line.partition(", line ")[2] if "File " in line else line for line in lines]


@pytest.mark.parametrize("source", BOTS.values(), ids=BOTS)
def test_records_and_faults_equal_those_of_processes(
    source: str, in_process: InProcessSandbox
) -> None:
    bot = Package.from_files({"bot.py": source.encode()}, "bot")
    compare_with_process([bot, bot], in_process)


def test_seats_share_no_module(in_process: InProcessSandbox) -> None:
    bot = Package.from_files(MODULES, "bot")
    other = Package.from_files({**MODULES, "place.txt": b"0"}, "other")
    outcome = compare_with_process([bot, other], in_process)
    assert not outcome.faults
    second, _ = play([bot, other], in_process, InProcessSeat)
    first, _ = play([bot, other], in_process, InProcessSeat)
    assert second == first  # no state is left from the first match


def test_house_bots_play_the_same_in_both(in_process: InProcessSandbox) -> None:
    outcome = compare_with_process([house.load("greedy"), house.load("cassino")], in_process)
    assert not outcome.faults


def test_programs_are_refused(in_process: InProcessSandbox, tmp_path: Path) -> None:
    files = {"run": b"#!/bin/sh\n", "cardroom.toml": b'command = ["./run"]\n'}
    with pytest.raises(SandboxUnavailable, match="Only Python bots"):
        in_process.open(Package.from_files(files, "bot").program(), name="seat0")


@pytest.mark.parametrize("statement", ["import numpy", "from numpy.random import default_rng"])
def test_only_a_declared_library_can_be_imported(
    statement: str, in_process: InProcessSandbox
) -> None:
    pytest.importorskip("numpy")
    source = f"{statement}\n{FIRST}".encode()
    undeclared = Package.from_files({"bot.py": source}, "undeclared")
    declared = Package.from_files(
        {"bot.py": source, "cardroom.toml": b'needs = ["numpy"]'}, "declared"
    )
    for bots in ([declared, undeclared], [undeclared, declared]):
        _, outcome = play(bots, in_process, InProcessSeat)
        [fault] = outcome.faults
        assert fault.seat == bots.index(undeclared)
        assert b"No module named 'numpy'" in outcome.seats[fault.seat].stderr
        assert 'needs = ["numpy"]' in fault.detail


def test_packages_of_this_process_cannot_be_imported(in_process: InProcessSandbox) -> None:
    foreign = Package.from_files({"bot.py": f"import msgspec\n{FIRST}".encode()}, "foreign")
    own = b"import msgspec\ndef choose(view, legal):\n    return msgspec.pick(legal)\n"
    module = b"def pick(legal):\n    return legal[0]\n"
    own_module = Package.from_files({"bot.py": own, "msgspec.py": module}, "own")
    for bots in ([foreign, own_module], [own_module, foreign]):
        _, outcome = play(bots, in_process, InProcessSeat)
        assert [fault.seat for fault in outcome.faults] == [bots.index(foreign)]
        assert b"No module named 'msgspec'" in outcome.seats[bots.index(foreign)].stderr


def test_other_packages_of_the_machine_cannot_be_imported(
    in_process: InProcessSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "foreign.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert find_spec("foreign")
    source = b"def choose(view, legal):\n    import foreign\n    return legal[0]\n"
    bot = Package.from_files({"bot.py": source}, "bot")
    _, outcome = play([bot, house.load("greedy")], in_process, InProcessSeat)
    assert b"No module named 'foreign'" in outcome.seats[0].stderr
    own = Package.from_files({"bot.py": source, "foreign.py": b""}, "own")
    _, outcome = play([own, house.load("greedy")], in_process, InProcessSeat)
    assert not outcome.faults
