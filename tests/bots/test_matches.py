"""Good bots through the real sandbox and referee; `tests/hostile` plays the others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bots.referee.clock import ClockSettings
from bots.referee.outcome import MatchOutcome, SeatedBot
from bots.referee.referee import play_match
from bots.sandbox import Limits, Program, Sandbox, detect
from engine import Format, Match

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(detect().level == "none", reason="no sandbox can be had here"),
]

FORMAT = Format.parse("cassino/standard/1v1?deals=1")
LIMITS = Limits(memory_mib=96, cpu_s=20)
CLOCK = ClockSettings(move_ms=300, bank_ms=0)
GOOD = "def choose(view, legal):\n    return legal[0]\n"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS) as opened:
        yield opened


def played(sandbox: Sandbox, source: str) -> MatchOutcome:
    """One match of the bot on seat 0 against another good one."""
    players = [
        SeatedBot("tried", Program({"bot.py": source.encode()})),
        SeatedBot("good", Program({"bot.py": GOOD.encode()})),
    ]
    outcome = play_match(FORMAT, "s", players, sandbox=sandbox, clock=CLOCK)
    outcome.record.verify()
    assert outcome.seats[1].fault is None
    assert outcome.seats[1].moves == 24
    assert len(outcome.record.moves) == 48
    return outcome


def test_a_chatty_bot_plays_on_and_the_end_of_its_log_is_kept(sandbox: Sandbox) -> None:
    outcome = played(
        sandbox,
        "import sys\n"
        "def choose(view, legal):\n"
        "    print('x' * 100_000)\n"
        "    sys.stderr.write('last words\\n')\n"
        "    sys.stderr.flush()\n"
        "    return legal[0]\n",
    )
    assert outcome.faults == []
    log = outcome.seats[0].stderr
    assert len(log) <= LIMITS.stderr_bytes
    assert log.endswith(b"last words\n")


def test_a_search_bot_may_use_the_engine(sandbox: Sandbox) -> None:
    outcome = played(
        sandbox,
        "import random\n"
        "from engine import Match\n"
        "def choose(view, legal):\n"
        "    match = Match.from_view(view, random.Random(1))\n"
        "    assert match.legal_moves() == legal\n"
        "    return legal[-1]\n",
    )
    assert outcome.faults == []
    assert outcome.seats[0].moves == 24


def test_the_same_match_played_again_is_the_same(sandbox: Sandbox) -> None:
    source = (
        "import random\n"
        "class Bot:\n"
        "    def start(self, info): self.random = random.Random(info['rng'])\n"
        "    def choose(self, view, legal): return self.random.choice(legal)\n"
    )
    first, again = played(sandbox, source), played(sandbox, source)
    assert first.record.moves == again.record.moves
    assert first.record.moves != [Match(FORMAT, seed="s").legal_moves()[0]] * 48


TWICE = """#!/usr/bin/env python3
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        os.write(1, b'{"type":"ready"}\\n\\n')
    if message["type"] == "move":
        answer = json.dumps({"move": message["legal"][0], %s}).encode() + b"\\n"
        os.write(1, answer)
        if message["n"] >= 6:
            os.write(1, answer)
"""


@pytest.mark.parametrize("echo", ['"note": ""', '"n": message["n"]'])
def test_a_line_written_twice_is_found_at_the_next_question(sandbox: Sandbox, echo: str) -> None:
    double = Program({"bot.py": (TWICE % echo).encode()}, ("python3", "bot.py"))
    players = [SeatedBot("double", double), SeatedBot("good", Program({"bot.py": GOOD.encode()}))]
    outcome = play_match(FORMAT, "s", players, sandbox=sandbox, clock=CLOCK)
    (fault,) = outcome.faults
    assert (fault.seat, fault.kind, fault.move) == (0, "extra", 8)
    assert fault.detail.startswith('A line too many after question 6: \'{"move": ')
    outcome.record.verify()


HELD_BACK = """#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print('{"type":"ready"}', flush=True)
    if message["type"] == "move":
        print(json.dumps({"move": message["legal"][0]}), %s)
"""


@pytest.mark.parametrize(
    ("how", "words", "received"),
    [
        ("flush=False", "it must flush after each line", ""),
        ("end='', flush=True", "without a line end", '{"move": '),
    ],
)
def test_an_answer_that_never_comes_whole_is_explained(
    sandbox: Sandbox, how: str, words: str, received: str
) -> None:
    held = Program({"bot.py": (HELD_BACK % how).encode()}, ("python3", "bot.py"))
    players = [SeatedBot("held", held), SeatedBot("good", Program({"bot.py": GOOD.encode()}))]
    outcome = play_match(FORMAT, "s", players, sandbox=sandbox, clock=CLOCK)
    (fault,) = outcome.faults
    assert (fault.kind, fault.move) == ("time", 0)
    assert words in fault.detail
    assert fault.received.startswith(received)
