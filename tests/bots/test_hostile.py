"""Hostile and broken bots through the real sandbox and referee: each gets the fault it earned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.clock import ClockSettings
from bots.explain import last_words
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


def played(sandbox: Sandbox, source: str, command: tuple[str, ...] | None = None) -> MatchOutcome:
    """One match of the bot on seat 0 against a good one."""
    files = {"bot.py": source.encode(), "bot.sh": source.encode()}
    players = [
        Player("bad", Program(files, command)),
        Player("good", Program({"bot.py": GOOD.encode()})),
    ]
    outcome = play_match(FORMAT, "s", players, sandbox=sandbox, clock=CLOCK)
    outcome.record.verify()
    assert outcome.seats[1].fault is None
    assert outcome.seats[1].moves == 24
    assert len(outcome.record.moves) == 48
    return outcome


FAULTS: dict[str, tuple[str, str, str]] = {
    "crashes at import": ("import nothing_like_this", "start", "No module named"),
    "raises at import": ("raise RuntimeError('oh')", "start", "RuntimeError: oh"),
    "syntax": ("def choose(:", "start", "SyntaxError"),
    "has nothing to call": ("x = 1", "start", "choose"),
    "exits at import": ("import os\nos._exit(3)", "start", ""),
    "raises": ("def choose(view, legal):\n    return legal[99]", "crash", "IndexError"),
    "exits": ("def choose(view, legal):\n    raise SystemExit", "crash", ""),
    "recurses": ("def choose(view, legal):\n    return choose(view, legal)", "crash", "Recursion"),
    "kills itself": (
        "import os\ndef choose(view, legal):\n    os.kill(os.getpid(), 9)",
        "crash",
        "",
    ),
    "answers nothing": ("def choose(view, legal):\n    while True: pass", "time", ""),
    "sleeps": ("import time\ndef choose(view, legal):\n    time.sleep(60)", "time", ""),
    "plays what is not legal": ("def choose(view, legal):\n    return 'XX'", "illegal", ""),
    "eats memory at import": ("x = bytearray(1 << 30)", "start", "MemoryError"),
    "eats memory": (
        "def choose(view, legal):\n    x = []\n    while True: x.append(bytearray(1 << 20))",
        "crash",
        "MemoryError",
    ),
    "writes past the runner": (
        "import os\n"
        "def choose(view, legal):\n"
        "    for fd in range(1, 64):\n"
        "        try: os.write(fd, b'hello\\n')\n"
        "        except OSError: pass\n"
        "    return legal[0]",
        "garbage",
        "hello",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_broken_bot_gets_its_fault_and_the_other_its_match(sandbox: Sandbox, name: str) -> None:
    source, kind, words = FAULTS[name]
    outcome = played(sandbox, source)
    (fault,) = outcome.faults
    assert fault.kind == kind
    assert fault.detail
    assert words in last_words(outcome.seats[0].stderr) + fault.received
    assert outcome.record.result is not None
    assert outcome.record.result["ranks"] == [2, 1]


def test_a_flood_of_answers_ends_in_a_fault(sandbox: Sandbox) -> None:
    outcome = played(
        sandbox,
        "import os\n"
        "def choose(view, legal):\n"
        "    while True:\n"
        "        for fd in range(1, 64):\n"
        "            try: os.write(fd, b'y' * 70000)\n"
        "            except OSError: pass\n",
    )
    (fault,) = outcome.faults
    assert fault.kind in {"garbage", "time"}
    assert len(fault.received) <= 200


# What a tamed bot tries each time before it plays well; DONE in its log means it got away with it.
TRIES: dict[str, str] = {
    "forks": "import os\nif os.fork() == 0: os._exit(0)",
    "starts a program": "import subprocess\nsubprocess.run(['/bin/true'], check=True)",
    "reaches the network": "import socket\nsocket.create_connection(('127.0.0.1', 80), 1)",
    "listens": "import socket\nsocket.socket().bind(('127.0.0.1', 0))",
    "asks for names": "import socket\nsocket.getaddrinfo('example.org', 80)",
    "reads passwords": "open('/etc/passwd').read()",
    "reads our sources": f"open({str(Path(__file__))!r}).read()",
    "lists homes": "import os\nassert os.listdir('/root') or os.listdir('/home')",
    "writes beside itself": "open('x', 'w').write('x')",
    "writes to /tmp": "open('/tmp/x', 'w').write('x')",
    "sees other processes": (
        "import os\nassert [p for p in os.listdir('/proc') if p.isdigit() and int(p) > 9]"
    ),
    "becomes root": "import os\nos.setuid(0)\nassert os.getuid() == 0",
    "raises its limits": (
        "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (9999, 9999))"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TRIES)
def test_a_bot_gets_nothing_that_is_not_its_own(sandbox: Sandbox, name: str) -> None:
    attempt = "\n".join(f"        {line}" for line in TRIES[name].split("\n"))
    outcome = played(
        sandbox,
        "def choose(view, legal):\n"
        "    try:\n"
        f"{attempt}\n"
        "        print('DONE', flush=True)\n"
        "    except Exception as error:\n"
        "        print('REFUSED', repr(error), flush=True)\n"
        "    return legal[0]\n",
    )
    assert b"DONE" not in outcome.seats[0].stderr
    assert b"REFUSED" in outcome.seats[0].stderr
    assert outcome.faults == []


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


def test_partners_share_nothing(sandbox: Sandbox) -> None:
    """Each of four copies leaves a mark wherever it can, and looks for the marks of others."""
    source = (
        "import os, builtins, tempfile\n"
        "class Bot:\n"
        "    def start(self, info):\n"
        "        self.seat = info['seat']\n"
        "    def choose(self, view, legal):\n"
        "        for folder in ['.', '/tmp', '/dev/shm', '/var/tmp', '/run']:\n"
        "            for seat in range(4):\n"
        "                path = os.path.join(folder, f'mark{seat}')\n"
        "                if seat != self.seat and os.path.exists(path):\n"
        "                    print('FOUND', path, flush=True)\n"
        "            try: open(os.path.join(folder, f'mark{self.seat}'), 'w').close()\n"
        "            except OSError: pass\n"
        "        return legal[0]\n"
    )
    player = Player("copy", Program({"bot.py": source.encode()}))
    fmt = Format.parse("cassino/standard/2v2?deals=1")
    outcome = play_match(fmt, "s", [player] * 4, sandbox=sandbox, clock=CLOCK)
    assert outcome.faults == []
    assert not any(b"FOUND" in seat.stderr for seat in outcome.seats)


def test_partners_of_two_authors_share_nothing(sandbox: Sandbox) -> None:
    """Two bots as partners: each has its own process, memory, randomness; no way to the other's."""
    source = (
        "import builtins, glob, os\n"
        "class Bot:\n"
        "    def start(self, info):\n"
        "        print('RNG', info['rng'], flush=True)\n"
        "    def choose(self, view, legal):\n"
        "        seen = getattr(builtins, 'seen', [])\n"
        "        builtins.seen = [*seen, view['seat']]\n"
        "        assert set(builtins.seen) == {view['seat']}, 'memory is shared'\n"
        "        for path in glob.glob('/proc/[0-9]*/cwd') + glob.glob('/dev/shm/*'):\n"
        "            if path.split('/')[2] == str(os.getpid()): continue\n"
        "            try: print('FOUND', path, os.listdir(path), flush=True)\n"
        "            except OSError: pass\n"
        "        return legal[0]\n"
    )
    team = [Player(name, Program({"bot.py": f"{source}# {name}\n".encode()})) for name in "ab"]
    fmt = Format.parse("cassino/standard/2v2?deals=1")
    seating = [team[0], team[0], team[1], team[1]]
    outcome = play_match(fmt, "s", seating, sandbox=sandbox, clock=CLOCK)
    assert outcome.faults == []
    assert not any(b"FOUND" in seat.stderr for seat in outcome.seats)
    assert len({seat.stderr.split(b"RNG ")[1].split()[0] for seat in outcome.seats}) == 4


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
