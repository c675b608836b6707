"""Good bots with the real sandbox and referee; `tests/hostile` plays hostile ones."""

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
    with Sandbox(LIMITS) as sandbox:
        yield sandbox


def play_against_good(sandbox: Sandbox, source: str) -> MatchOutcome:
    """Play a match of the bot on seat 0 against a good one."""
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


def test_the_end_of_a_chatty_bots_log_is_kept(sandbox: Sandbox) -> None:
    outcome = play_against_good(
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
    outcome = play_against_good(
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


def test_a_match_is_repeatable(sandbox: Sandbox) -> None:
    source = (
        "import random\n"
        "class Bot:\n"
        "    def start(self, info): self.random = random.Random(info['rng'])\n"
        "    def choose(self, view, legal): return self.random.choice(legal)\n"
    )
    first, second = play_against_good(sandbox, source), play_against_good(sandbox, source)
    assert first.record.moves == second.record.moves
    assert first.record.moves != [Match(FORMAT, seed="s").legal_moves()[0]] * 48


REPEATER = """#!/usr/bin/env python3
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        os.write(1, b'{"type":"ready"}\\n\\n')
    if message["type"] == "move":
        answer = json.dumps({"move": message["legal"][0], %s}).encode() + b"\\n"
        os.write(1, answer * (2 if message["n"] >= 6 else 1))  # at once, so that both wait together
"""


@pytest.mark.parametrize("echo", ['"note": ""', '"n": message["n"]'])
def test_a_repeated_line_is_a_fault_at_the_next_question(sandbox: Sandbox, echo: str) -> None:
    double = Program({"bot.py": (REPEATER % echo).encode()}, ("python3", "bot.py"))
    players = [SeatedBot("double", double), SeatedBot("good", Program({"bot.py": GOOD.encode()}))]
    outcome = play_match(FORMAT, "s", players, sandbox=sandbox, clock=CLOCK)
    (fault,) = outcome.faults
    assert (fault.seat, fault.kind, fault.move) == (0, "extra", 8)
    assert fault.detail.startswith('One line too many after question 6: \'{"move": ')
    outcome.record.verify()


INCOMPLETE = """#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print('{"type":"ready"}', flush=True)
    if message["type"] == "move":
        print(json.dumps({"move": message["legal"][0]}), %s)
"""


@pytest.mark.parametrize(
    ("how", "text", "received"),
    [
        ("flush=False", "it must flush after each line", ""),
        ("end='', flush=True", "without a newline", '{"move": '),
    ],
)
def test_an_incomplete_answer_is_explained(
    sandbox: Sandbox, how: str, text: str, received: str
) -> None:
    program = Program({"bot.py": (INCOMPLETE % how).encode()}, ("python3", "bot.py"))
    players = [SeatedBot("held", program), SeatedBot("good", Program({"bot.py": GOOD.encode()}))]
    outcome = play_match(FORMAT, "s", players, sandbox=sandbox, clock=CLOCK)
    (fault,) = outcome.faults
    assert (fault.kind, fault.move) == ("time", 0)
    assert text in fault.detail
    assert fault.received.startswith(received)
