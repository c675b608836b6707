"""What two seats of one match can still tell each other, in bits, beside a control.

    python -m tests.benchmarks.channels

Two sandboxed bots on one core take turns, as the referee lets them. In its turn one of them is
given random bits and leaves a trace; in its own turn the other measures. A threshold is fitted to
the first half of the rounds; the errors in the second half tell how much comes through (capacity of
a binary symmetric channel). In the control the sender ignores its bits. Other work on the core is
noise: on a busy machine start it by `nice -n -19`.

For some ways the second bot comes only when the first one has left, as in a later match.

No filter of system calls closes these: they are made of time, caches and the kernel's own counters.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from bots.sandbox import BotProcess, Limits, Program, Sandbox, SeatError, pick_cpu, pin, unpin

START = b'{"type":"start","protocol":1,"rng":"seed"}'
BOT = """#!/usr/bin/env python3
import json, os, sys, threading, time
from time import perf_counter_ns as now
{body}
def choose(view, legal):
    what, bits, tag = legal
    if what == "send":
        send([bit == "1" for bit in bits], tag)
        return "sent"
    return json.dumps(read(len(bits), tag))

def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            print('{{"type":"ready"}}', flush=True)
        elif message["type"] == "move":
            print(json.dumps({{"move": choose({{}}, message["legal"])}}), flush=True)

if __name__ == "__main__":
    main()
"""

# `pipe()`: the number of a new pipe, of those that the kernel counts for everybody.
PIPES = """
last = 0
def pipe():
    ends = os.pipe()
    number = os.fstat(ends[0]).st_ino
    for end in ends:
        os.close(end)
    return number
"""


NAMES = """
import engine
FOLDER = os.path.dirname(engine.__file__)
def send(bits, tag):
    for index, bit in enumerate(bits):
        if bit:
            os.access(f"{FOLDER}/{tag}-{index}", 0)
def read(count, tag):
    found = []
    for index in range(count):
        path = f"{FOLDER}/{tag}-{index}"
        start = now()
        os.access(path, 0)
        found.append(now() - start)
    return found
"""
LINES = (Path(__file__).parent / "lines.c").read_text()


@dataclass(frozen=True, slots=True)
class Way:
    """A way to pass bits: `send(bits, tag)` and `read(count, tag)`, which gives a figure for each.

    bits: in one turn. command: whether the bot is a program of its own, not a Python bot. later:
    whether the reader is started when the sender has ended. c: whether the body is a C program.
    """

    name: str
    bits: int
    body: str
    command: bool = False
    later: bool = False
    c: bool = False


WAYS = (
    Way(
        "core: the other computes on in my turn",
        1,
        """
busy = False
def spin():
    while True:
        if not busy:
            time.sleep(0.0005)
def send(bits, tag):
    global busy
    if threading.active_count() == 1:
        threading.Thread(target=spin, daemon=True).start()
    busy = bits[0]
def read(count, tag):
    until, steps = now() + 8_000_000, 0
    while now() < until:
        steps += 1
    return [steps]
""",
    ),
    Way(
        "cache: what the other's turn left of my data",
        1,
        """
import array
mine, large = bytearray(384 << 10), bytearray(24 << 20)
def send(bits, tag):
    if bits[0]:
        large.count(1)
def read(count, tag):
    start = now()
    mine.count(1)
    took = now() - start
    for _ in range(20):
        mine.count(1)
    return [took]
""",
    ),
    Way("names: absent files that somebody asked for", 500, NAMES),
    Way("names, in a later match", 500, NAMES, later=True),
    Way("lines: of file pages that both map, in the caches", 200, LINES, c=True),
    Way("lines, in a later match", 200, LINES, later=True, c=True),
    Way(
        "pipes: their numbers (programs, not Python bots)",
        8,
        PIPES
        + """
def send(bits, tag):
    for _ in range(4 * int("".join("01"[bit] for bit in bits), 2)):
        some_pipe()
def some_pipe():  # a program may make a few
    try:
        return pipe()
    except OSError:
        return last
def read(count, tag):
    global last
    before, last = last, some_pipe()
    passed = ((last - before) % 1024) // 4
    return [passed >> place & 1 for place in reversed(range(count))]
""",
        command=True,
    ),
    Way(
        "pipes, in a later match: the number of its input",
        4,
        PIPES
        + """
def send(bits, tag):
    value = int("".join("01"[bit] for bit in bits), 2)
    try:
        while (pipe() >> 10) % 16 != value:
            pass
    except OSError:  # a program may make a few
        return
def read(count, tag):
    value = (os.fstat(0).st_ino >> 10) % 16
    return [value >> place & 1 for place in reversed(range(count))]
""",
        command=True,
        later=True,
    ),
    Way(
        "figures: numbers of devices and files, in a later match",
        1,
        """
def send(bits, tag):
    if bits[0]:
        os._exit(0)
def read(count, tag):
    return [os.stat("/tmp").st_dev * 1000 + os.stat("/tmp/bot/bot.py").st_ino]
""",
        later=True,
    ),
    Way(
        "tempo: how long the other thought, 2 ms or not",
        1,
        """
asked = 0
def send(bits, tag):
    time.sleep(0.002 * bits[0])
def read(count, tag):
    global asked
    before, asked = asked, now()
    return [asked - before]
""",
    ),
)


# The sender's turn is the same but for what it does with the bits.
IGNORING = """
def send(bits, tag, send=send):
    send([False] * len(bits), tag)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="only ways with one of these in their names")
    parser.add_argument("--rounds", type=int, default=200)
    chosen = parser.parse_args()
    cpu = pick_cpu(0)
    pin(cpu)
    try:
        with Sandbox(Limits(), warm=2, cpu=cpu) as sandbox:
            for way in WAYS:
                if chosen.words and not any(word in way.name for word in chosen.words):
                    continue
                for control in (False, True):
                    measured = measure(sandbox, way, chosen.rounds, control=control)
                    print(f"{'control' if control else way.name:50} {measured}", flush=True)
    finally:
        unpin()


def measure(sandbox: Sandbox, way: Way, rounds: int, *, control: bool) -> str:
    """Pass random bits for some rounds; how much came through."""
    what = program(way, control=control)
    seats = {}
    pairs: list[tuple[float, bool]] = []
    start = perf_counter()
    for _ in range(rounds):
        for name in ("sender", "reader"):
            if name not in seats and not (way.later and name == "reader"):
                seats[name] = seated(sandbox, what, name)
        bits, tag = [random.random() < 0.5 for _ in range(way.bits)], os.urandom(4).hex()
        with suppress(SeatError):
            ask(seats["sender"], "pass" if control and way.c else "send", bits, tag)
        if way.later:
            seats.pop("sender").close()
            seats["reader"] = seated(sandbox, what, "reader")
        figures = json.loads(ask(seats["reader"], "read", bits, tag))
        pairs += zip(figures, bits, strict=True)
        if way.later:
            seats.pop("reader").close()
    spent = perf_counter() - start
    for seat in seats.values():
        seat.close(0.0)
    passed = capacity(pairs) * way.bits
    return f"{passed:7.2f} bits a turn, {passed * rounds / spent:9.1f} bits/s"


def program(way: Way, *, control: bool) -> Program:
    """The bot of a way; as a control its sender ignores the bits."""
    if way.c:
        with TemporaryDirectory() as work:
            target = Path(work, "bot")
            subprocess.run(
                ["cc", "-O1", "-static", "-w", "-x", "c", "-", "-o", str(target)],
                input=way.body.encode(),
                check=True,
            )
            return Program({"bot": target.read_bytes()}, ("./bot",))
    source = BOT.format(body=way.body + IGNORING * control).encode()
    return Program({"bot": source}, ("./bot",)) if way.command else Program({"bot.py": source})


def seated(sandbox: Sandbox, what: Program, name: str) -> BotProcess:
    """A bot that is ready."""
    seat = sandbox.open(what, name=name)
    seat.send(START)
    seat.receive(10.0)
    return seat


def ask(seat: BotProcess, what: str, bits: list[bool], tag: str) -> str:
    legal = [what, "".join("01"[bit] for bit in bits), tag]
    seat.send(json.dumps({"type": "move", "view": {}, "legal": legal, "events": []}).encode())
    return str(json.loads(seat.receive(30.0))["move"])


def capacity(pairs: list[tuple[float, bool]]) -> float:
    """Bits that come through for each sent, by the errors in the second half."""
    half = len(pairs) // 2
    training, test = pairs[:half], pairs[half:]
    levels = sorted({figure for figure, _ in training})
    candidates = levels[:: max(1, len(levels) // 200)]
    best = max(candidates, key=lambda level: abs(errors(training, level) - 0.5))
    wrong = errors(test, best)
    if (wrong < 0.5) != (errors(training, best) < 0.5) or wrong == 0.5:
        return 0.0
    if wrong in (0.0, 1.0):
        return 1.0
    return 1 + wrong * log2(wrong) + (1 - wrong) * log2(1 - wrong)


def errors(pairs: list[tuple[float, bool]], level: float) -> float:
    return sum((figure >= level) != bit for figure, bit in pairs) / len(pairs)


if __name__ == "__main__":
    main()
