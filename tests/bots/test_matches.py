"""Good bots through the real sandbox and referee; `tests/hostile` plays the others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bots.clock import ClockSettings
from bots.outcome import MatchOutcome, Player
from bots.referee import play_match
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
        Player("tried", Program({"bot.py": source.encode()})),
        Player("good", Program({"bot.py": GOOD.encode()})),
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
