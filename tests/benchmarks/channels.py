"""Measures the capacity of hidden channels between two seats of one match, in bits.

    python -m tests.benchmarks.channels

Two sandboxed bots on one core take turns, as in a match. In its turn, the sender gets random bits
and leaves a trace; in its own turn, the reader measures. A threshold is fitted to the first half of
the rounds, and the errors in the second half give the capacity (of a binary symmetric channel). In
the control the sender ignores its bits. Other programs on the core cause noise, so start it with
`nice -n -19` on a busy machine.

In some channels the reader starts after the sender has ended, as in a later match. No filter of
system calls closes these channels, because they use time, caches and counters of the kernel.
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
from time import perf_counter, sleep

from bots.sandbox import BotProcess, Limits, Program, Sandbox, SeatError, pick_cpu, pin, unpin

START = b'{"type":"start","protocol":1,"rng":"seed"}'
BOT = """#!/usr/bin/env python3
import json, os, sys, threading, time
from time import perf_counter_ns as now
{body}
def choose(view, legal):
    command, bits, tag = legal
    if command == "send":
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

# `pipe()` returns the inode number of a new pipe; the kernel has one counter for all processes.
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
    figures = []
    for index in range(count):
        path = f"{FOLDER}/{tag}-{index}"
        start = now()
        os.access(path, 0)
        figures.append(now() - start)
    return figures
"""
FOLDER = Path(__file__).parent
LINES, TIMERS, MAPPINGS, FREED, LOCKS, SEEDS = (
    (FOLDER / f"{name}.c").read_text()
    for name in ("lines", "timers", "mappings", "freed", "locks", "seeds")
)


@dataclass(frozen=True, slots=True)
class CovertChannel:
    """A channel: `send(bits, tag)`, and `read(count, tag)`, which returns a figure for each bit.

    bits: the number of bits in one turn. command: whether the bot is a program of its own, not a
    Python bot. later: whether the reader starts after the sender has ended. c: whether the body is
    a C program, with `channel.h`. together: whether both compute at once, as in two matches.
    other_core: whether the sender has another core than the reader.
    """

    name: str
    bits: int
    body: str
    command: bool = False
    later: bool = False
    c: bool = False
    together: bool = False
    other_core: bool = False


CHANNELS = (
    CovertChannel(
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
    CovertChannel(
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
    duration = now() - start
    for _ in range(20):
        mine.count(1)
    return [duration]
""",
    ),
    CovertChannel("names: absent files that were looked up", 500, NAMES),
    CovertChannel("names, in a later match", 500, NAMES, later=True),
    CovertChannel("lines: of file pages that both map, in the caches", 200, LINES, c=True),
    CovertChannel("lines, in a later match", 200, LINES, later=True, c=True),
    CovertChannel("timers: interrupts in the other's turn", 56, TIMERS, c=True),
    CovertChannel("mappings: of files that both can map", 100, MAPPINGS, c=True),
    CovertChannel("freed: memory, in a later match", 1, FREED, later=True, c=True),
    CovertChannel(
        "core: that two matches use at the same time",
        100,
        """
SLOT = 5_000_000
def slots(count):
    start = (now() // 50_000_000 + 1) * 50_000_000
    while now() < start:
        pass
    return [start + (index + 1) * SLOT for index in range(count)]
def send(bits, tag):
    for bit, end in zip(bits, slots(len(bits))):
        while bit and now() < end:
            pass
        time.sleep(max(0, end - now()) / 1e9)
def read(count, tag):
    figures = []
    for end in slots(count):
        steps = 0
        while now() < end:
            steps += 1
        figures.append(steps)
    return figures
""",
        together=True,
    ),
    CovertChannel(
        "locks: of the kernel, in two matches on two cores",
        100,
        LOCKS,
        c=True,
        together=True,
        other_core=True,
    ),
    CovertChannel(
        "seeds: random numbers, in two matches on two cores",
        1000,
        SEEDS,
        c=True,
        together=True,
        other_core=True,
    ),
    CovertChannel(
        "pipes: their numbers (programs, not Python bots)",
        8,
        PIPES
        + """
def send(bits, tag):
    for _ in range(4 * int("".join("01"[bit] for bit in bits), 2)):
        pipe_or_last()
def pipe_or_last():  # a program may create only a few
    try:
        return pipe()
    except OSError:
        return last
def read(count, tag):
    global last
    before, last = last, pipe_or_last()
    passed = ((last - before) % 1024) // 4
    return [passed >> place & 1 for place in reversed(range(count))]
""",
        command=True,
    ),
    CovertChannel(
        "pipes, in a later match: the number of its input",
        4,
        PIPES
        + """
def send(bits, tag):
    value = int("".join("01"[bit] for bit in bits), 2)
    try:
        while (pipe() >> 10) % 16 != value:
            pass
    except OSError:  # a program may create only a few
        return
def read(count, tag):
    value = (os.fstat(0).st_ino >> 10) % 16
    return [value >> place & 1 for place in reversed(range(count))]
""",
        command=True,
        later=True,
    ),
    CovertChannel(
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
    CovertChannel(
        "tempo: how long the other thought, 2 ms or not",
        1,
        """
last_time = 0
def send(bits, tag):
    time.sleep(0.002 * bits[0])
def read(count, tag):
    global last_time
    before, last_time = last_time, now()
    return [last_time - before]
""",
    ),
)


# Only the values of the bits differ from the real sender's turn.
IGNORE_BITS = """
def send(bits, tag, send=send):
    send([False] * len(bits), tag)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="only channels whose name contains one of these")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--pause", type=float, default=0, help="seconds before a later match")
    arguments = parser.parse_args()
    cpu = pick_cpu(0)
    pin(cpu)
    try:
        with (
            Sandbox(Limits(), warm=2, cpu=cpu) as sandbox,
            Sandbox(Limits(), cpu=pick_cpu(1)) as other_sandbox,
        ):
            sandboxes = {"reader": sandbox}
            for channel in CHANNELS:
                words = arguments.words
                if words and not any(word in channel.name for word in words):
                    continue
                sandboxes["sender"] = other_sandbox if channel.other_core else sandbox
                for control in (False, True):
                    result = measure(
                        sandboxes, channel, arguments.rounds, control=control, pause=arguments.pause
                    )
                    print(f"{'control' if control else channel.name:50} {result}", flush=True)
    finally:
        unpin()


def measure(
    sandboxes: dict[str, Sandbox],
    channel: CovertChannel,
    rounds: int,
    *,
    control: bool,
    pause: float = 0,
) -> str:
    """Send random bits for some rounds; return the capacity as text."""
    bot = program(channel, control=control)
    seats = {}
    pairs: list[tuple[float, bool]] = []
    start = perf_counter()
    for _ in range(rounds):
        for name in ("sender", "reader"):
            if name not in seats and not (channel.later and name == "reader"):
                seats[name] = open_seat(sandboxes[name], bot, name)
        bits, tag = [random.random() < 0.5 for _ in range(channel.bits)], os.urandom(4).hex()
        seats["sender"].send(question("pass" if control and channel.c else "send", bits, tag))
        if channel.together:
            seats["reader"].send(question("read", bits, tag))
        with suppress(SeatError):
            answer(seats["sender"])
        if channel.later:
            seats.pop("sender").close()
            sleep(pause)
            seats["reader"] = open_seat(sandboxes["reader"], bot, "reader")
        if not channel.together:
            seats["reader"].send(question("read", bits, tag))
        figures = json.loads(answer(seats["reader"]))
        pairs += zip(figures, bits, strict=True)
        if channel.later:
            seats.pop("reader").close()
    seconds = perf_counter() - start
    for seat in seats.values():
        seat.close(0.0)
    bits_per_turn = capacity(pairs) * channel.bits
    return f"{bits_per_turn:7.2f} bits a turn, {bits_per_turn * rounds / seconds:9.1f} bits/s"


def program(channel: CovertChannel, *, control: bool) -> Program:
    """The bot of a channel; in the control its sender ignores the bits."""
    if channel.c:
        with TemporaryDirectory() as folder:
            target = Path(folder, "bot")
            subprocess.run(
                ["cc", "-O1", "-static", "-w", f"-I{FOLDER}", "-x", "c", "-", "-o", str(target)],
                input=channel.body.encode(),
                check=True,
            )
            return Program({"bot": target.read_bytes()}, ("./bot",))
    source = BOT.format(body=channel.body + IGNORE_BITS * control).encode()
    return Program({"bot": source}, ("./bot",)) if channel.command else Program({"bot.py": source})


def open_seat(sandbox: Sandbox, bot: Program, name: str) -> BotProcess:
    """Start a bot and wait until it is ready."""
    seat = sandbox.open(bot, name=name)
    seat.send(START)
    seat.receive(10.0)
    return seat


def question(command: str, bits: list[bool], tag: str) -> bytes:
    legal = [command, "".join("01"[bit] for bit in bits), tag]
    return json.dumps({"type": "move", "view": {}, "legal": legal, "events": []}).encode()


def answer(seat: BotProcess) -> str:
    return str(json.loads(seat.receive(30.0))["move"])


def capacity(pairs: list[tuple[float, bool]]) -> float:
    """The capacity per sent bit, from the errors in the second half."""
    half = len(pairs) // 2
    training, test = pairs[:half], pairs[half:]
    levels = sorted({figure for figure, _ in training})
    candidates = levels[:: max(1, len(levels) // 200)]
    best = max(candidates, key=lambda level: abs(errors(training, level) - 0.5))
    rate = errors(test, best)
    if (rate < 0.5) != (errors(training, best) < 0.5) or rate == 0.5:
        return 0.0
    if rate in (0.0, 1.0):
        return 1.0
    return 1 + rate * log2(rate) + (1 - rate) * log2(1 - rate)


def errors(pairs: list[tuple[float, bool]], level: float) -> float:
    return sum((figure >= level) != bit for figure, bit in pairs) / len(pairs)


if __name__ == "__main__":
    main()
