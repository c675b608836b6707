"""Plays a hostile program against a good one, and judges from outside what became of it."""

from __future__ import annotations

import os
import re
import secrets
import signal
import socket
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

from bots.check.check import check_bot
from bots.limits import PackageError
from bots.package.package import Package
from bots.referee import live_seat
from bots.referee.clock import ClockSettings
from bots.referee.outcome import MatchOutcome, SeatedBot, SeatReport
from bots.referee.protocol import MAX_RECEIVED
from bots.referee.referee import play_match
from bots.sandbox import Limits, Sandbox, pick_cpu, pin
from engine import Format
from engine.record import MAX_NOTE
from tests.hostile.collection import Hostile
from tests.hostile.leftovers import left_behind, traces
from tests.hostile.packing import SERVICE, pack, zipped

FORMAT: Final = Format.parse("cassino/standard/1v1?deals=1")
PARTNERS: Final = Format.parse("cassino/standard/2v2?deals=5&target=0")
CLOCK: Final = ClockSettings(move_ms=500, bank_ms=0)
PATIENT: Final = ClockSettings(move_ms=20_000, bank_ms=0)
"""For trials without a wall: what a program can do there counts, not how soon."""
LIMITS: Final = Limits(memory_mib=96, threads=8, disk_mib=4, cpu_s=10)
NODE_LIMITS: Final = Limits()
LOG_BYTES: Final = LIMITS.stderr_bytes
START_MS: Final = 2_000
WARM: Final = 2
SENDER: Final = 0
RECEIVER: Final = 2
"""Their seats, where two hostile ones play at once."""
FREE_MS: Final = 60
"""Of 360 in which its opponent thinks: until it is found to compute, and the kernel's rounding."""
CHECK_S: Final = 2.0
"""What a check's matches may take."""
HANG_S: Final = 120
"""After that the platform hangs, and the program has won."""

GOOD: Final = b"def choose(view, legal):\n    return legal[0]\n"
# Thinks for as long as a thief of its time would need to get anything.
THINKER: Final = b"""
import time

def choose(view, legal):
    end = time.process_time() + 0.015
    while time.process_time() < end:
        pass
    return legal[0]
"""
_OTHER: Final = {"bot.sh": b"#!/bin/sh\n", "cardroom.toml": b'command = ["./bot.sh"]\n'}
_NUMPY: Final = {"bot.py": b"import numpy\n" + GOOD, "cardroom.toml": b'needs = ["numpy"]\n'}
GOT: Final = "GOT-THROUGH"
SEED: Final = "a-seed-of-hostile-matches"
# A program that ends by a mistake of its own has shown nothing.
_MISTAKE: Final = re.compile(
    r"^(?:BROKEN.*|(?:Name|Syntax|Attribute|Type|Import|ModuleNotFound|Indentation)Error\b.*)$",
    re.MULTILINE,
)
_BREAKS_PYTHON: Final = frozenset({"runner", "packages"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was seen of one program in one setting."""

    name: str
    seen: str
    """One of `collection.ENDINGS`, or "platform error"."""
    complaints: tuple[str, ...] = ()
    """Why it got through, or showed nothing; empty: it was stopped as it must be."""
    detail: str = ""
    """The sentence about its fault."""


class Hung(BaseException):
    """The platform did not come back."""


class Arena:
    """A worker's sandboxes, and matches in them."""

    def __init__(
        self,
        limits: Limits = LIMITS,
        *,
        clock: ClockSettings = CLOCK,
        logs: bool = False,
        warm: int = WARM,
    ) -> None:
        """logs: print what the programs wrote to theirs, on standard error.

        warm: how many sandboxes wait; with none, each is started by bubblewrap and not forked,
            except for bots that need numpy.
        """
        self.limits = limits
        self.clock = clock
        self.warm = warm
        self.logs = logs
        self._sandboxes: dict[tuple[Limits, bool], Sandbox] = {}
        self._tables: dict[tuple[Limits, bool], Sandbox] = {}
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(SERVICE)  # a service of the host's, for who can reach it
        self._listener.listen()
        self._cpu = pick_cpu(0)
        pin(self._cpu)  # as the site's workers do
        live_seat.START_MS = START_MS

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        self._start_again()

    def _start_again(self) -> list[str]:
        """Leave all sandboxes, as a worker that failed; complaints if that fails, too."""
        complaints = []
        for sandbox in (*self._sandboxes.values(), *self._tables.values()):
            try:
                sandbox.close()
            except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
                complaints.append(f"the sandbox does not close: {error!r}")
        self._sandboxes.clear()
        self._tables.clear()
        return complaints

    def judge(self, program: Hostile) -> Verdict:
        """Play the program and judge it."""
        limits = NODE_LIMITS if program.path.suffix == ".js" else self.limits
        key = limits, "numpy" in program.program
        sandbox = self._sandbox(self._sandboxes, *key)
        # The host of people's tables has one of its own.
        elsewhere = self._sandbox(self._tables, *key) if program.way == "table" else sandbox
        traces(elsewhere, self.warm)  # once that has filled its pool, too
        before = traces(sandbox, self.warm)
        try:
            with _patience():
                outcomes = _played(program, sandbox, elsewhere, self.clock)
        except PackageError as error:
            return _verdict(program, "refused", str(error), [])
        except (Exception, Hung) as error:  # noqa: BLE001 - whatever a worker would get
            said = f"{type(error).__name__}: {error}"
            return _verdict(program, "platform error", said, [said, *self._start_again()])
        if self.logs:
            _print_logs(outcomes)
        complaints = _complaints(program, outcomes)
        if left := left_behind(before, sandbox, self.warm):
            complaints.append(f"left behind: {left}")
        faults = [fault for one in outcomes for fault in one.faults]
        own = {
            number
            for one in outcomes
            for number, seat in enumerate(one.seats)
            if seat.name != "good"
        }
        fault = next((fault for fault in faults if fault.seat in own), None)
        if fault is None:
            return _verdict(program, "play on", "", complaints)
        return _verdict(program, fault.kind, fault.detail, complaints)

    def _sandbox(
        self, made: dict[tuple[Limits, bool], Sandbox], limits: Limits, with_numpy: bool
    ) -> Sandbox:
        key = limits, with_numpy
        if key not in made:
            made[key] = Sandbox(limits, warm=self.warm, cpu=self._cpu)
            # Whatever is made once, for the first Python bot and the first other program.
            other = zipped(_NUMPY if with_numpy else _OTHER)
            _match(made[key], [_good(GOOD), SeatedBot("other", other)], self.clock)
        return made[key]


def _played(
    program: Hostile, sandbox: Sandbox, elsewhere: Sandbox, clock: ClockSettings
) -> list[MatchOutcome]:
    """The program's matches: seat 0 is hostile, and seat 2 of four where two of it play at once.

    elsewhere: where the first of two plays that come one after the other.
    """

    tag = secrets.token_hex(8)

    def bad(role: str = "") -> SeatedBot:
        return SeatedBot("hostile", pack(program, sandbox.limits, role, tag))

    good = _good(THINKER if program.kind == "turns" else GOOD)
    if program.whispers:
        _cool()
    match program.kind:
        case "channels":
            return [_match(sandbox, [bad("sender"), good, bad("receiver"), good], clock)]
        case "between":
            sent = _sent(program, elsewhere, [bad("sender"), good], clock)
            seats = [bad("receiver"), good]  # in a group, what they hold is swapped
            order = seats[::-1] if program.way == "group" else seats
            return [sent, _match(sandbox, order, clock)]
    return [_match(sandbox, [bad(), good], clock)]


def _sent(
    program: Hostile, sandbox: Sandbox, players: list[SeatedBot], clock: ClockSettings
) -> MatchOutcome:
    """What the first of two plays that come one after the other."""
    if program.way == "check":
        return _checked(players[0], sandbox, clock)
    return _match(sandbox, players, clock)


def _checked(player: SeatedBot, sandbox: Sandbox, clock: ClockSettings) -> MatchOutcome:
    """Check a program as an upload is; its log, with a match beside it that tells nothing."""
    package = player.bot
    assert isinstance(package, Package)
    report = check_bot(
        package,
        sandbox=sandbox,
        patterns=[str(FORMAT).partition("?")[0]],
        clock=clock,
        limits=sandbox.limits,
        play_seconds=CHECK_S,
    )
    outcome = _match(sandbox, [_good(GOOD), _good(GOOD)], clock)
    seat = replace(outcome.seats[0], name=player.name, stderr=report.log.encode())
    return replace(outcome, seats=[seat, *outcome.seats[1:]])


def _cool() -> None:
    """Let no page of the files that bots share be in memory, so that one that is tells a bit."""
    home = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser()
    caches = [home / "cardroom", *Path("/var").glob("*/cardroom*")]
    for top in (*caches, *Path("/usr/lib").glob("python3*")):
        for path in top.rglob("*.*"):
            with suppress(OSError), path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _match(sandbox: Sandbox, players: Sequence[SeatedBot], clock: ClockSettings) -> MatchOutcome:
    fmt = FORMAT if len(players) == FORMAT.seats else PARTNERS
    return play_match(fmt, SEED, players, sandbox=sandbox, clock=clock)


def _good(source: bytes) -> SeatedBot:
    return SeatedBot("good", zipped({"bot.py": source}))


def _print_logs(outcomes: Sequence[MatchOutcome]) -> None:
    for outcome in outcomes:
        for number, seat in enumerate(outcome.seats):
            for line in seat.stderr.decode(errors="backslashreplace").splitlines():
                print(f"seat {number}: {line}", file=sys.stderr)


def _verdict(program: Hostile, seen: str, detail: str, complaints: list[str]) -> Verdict:
    if seen not in program.must:
        complaints = [f"{seen}, not {' or '.join(sorted(program.must))}", *complaints]
    if program.unsaid and program.unsaid in detail:
        complaints = [*complaints, f"the sentence says {program.unsaid!r}"]
    return Verdict(program.name, seen, tuple(complaints), detail)


def _complaints(program: Hostile, outcomes: Sequence[MatchOutcome]) -> list[str]:
    """What must hold whatever the program does."""
    complaints: list[str] = []
    for outcome in outcomes:
        complaints += _of_the_match(outcome)
        for seat in outcome.seats:
            if seat.name == "good":
                continue
            log = seat.stderr.decode(errors="replace")
            if len(seat.stderr) > LOG_BYTES:
                complaints.append(f"{GOT} {len(seat.stderr)} bytes of its log were kept")
            complaints += [line for line in log.splitlines() if line.startswith(GOT)][:3]
            if program.kind not in _BREAKS_PYTHON:
                complaints += [f"shows nothing: {line}" for line in _MISTAKE.findall(log)[:1]]
            never_ran = program.kind == "packages" and seat.fault and seat.fault.kind == "start"
            if "TRIED" not in log and not never_ran:
                complaints.append("shows nothing: it never got to its attack")
        if program.kind == "turns":
            complaints += _unpaid(outcome.seats[0])
        complaints += [note for note in outcome.record.notes.values() if GOT in note][:1]
    if program.whispers:
        complaints += _overheard(outcomes)
    return complaints


def _unpaid(seat: SeatReport) -> list[str]:
    """Whether between its first question and its last it computed more than its clock paid for."""
    said = [int(time) for time in re.findall(rb"^CPU (\d+)$", seat.stderr, re.MULTILINE)]
    if len(said) < 2:
        return ["shows nothing: it does not say what it computed"]
    if seat.fault is not None and seat.fault.kind == "time":
        said.pop()  # what it computed before the last question it paid with the match
    unpaid_ms = said[-1] - said[0] - seat.wall_ms
    if unpaid_ms <= FREE_MS:
        return []
    return [f"{GOT} {unpaid_ms:.0f} ms that its clock did not pay for"]


def _of_the_match(outcome: MatchOutcome) -> list[str]:
    """Whether the good one got its whole match, and the record is sound."""
    found = []
    record = outcome.record
    match = record.verify()
    asked = Counter[int]()
    replayed = record.start()
    for move in record.moves:
        asked[replayed.turn or 0] += 1
        replayed.play(move)
    if match.turn is not None or record.result is None:
        return ["the match has no end"]
    guilty = {match.format.side(fault.seat) for fault in outcome.faults}
    ranks = record.result["ranks"]
    if any(ranks[side] < max(ranks) for side in guilty):
        found.append("a side with a fault is not ranked last")
    for number, seat in enumerate(outcome.seats):
        if seat.name == "good" and seat.fault is not None:
            found.append(f"the good one has a fault: {seat.fault.kind}")
        if seat.fault is None and seat.moves != asked[number]:
            found.append(f"seat {number} made {seat.moves} of {asked[number]} moves")
    if not all(fault.detail for fault in outcome.faults):
        found.append("a fault without a sentence")
    if any(len(fault.received) > MAX_RECEIVED for fault in outcome.faults):
        found.append("a fault with too much of what was received")
    if any(len(note) > MAX_NOTE for note in record.notes.values()):
        found.append("a note longer than notes may be")
    return found


def _overheard(outcomes: Sequence[MatchOutcome]) -> list[str]:
    """Whether more of the sender's bits arrived than chance explains: five deviations."""
    logs = "\n".join(s.stderr.decode(errors="replace") for one in outcomes for s in one.seats)
    sent = "".join(re.findall(r"^SENT ([01]+)$", logs, re.MULTILINE))
    heard = "".join(re.findall(r"^HEARD ([01]+)$", logs, re.MULTILINE))
    if min(len(sent), len(heard)) < 48:
        return [f"shows nothing: {len(sent)} bits sent, {len(heard)} heard"]
    in_order = list(zip(sent, heard, strict=False))
    last_sent = _last_sent(outcomes[0], sent, heard) if len(outcomes) == 1 else in_order
    right, bits = max(
        (sum(one == other for one, other in pairs), len(pairs)) for pairs in (in_order, last_sent)
    )
    if right < bits / 2 + 2.5 * bits**0.5:
        return []
    return [f"{GOT} {right} of {bits} bits arrived"]


def _last_sent(outcome: MatchOutcome, sent: str, heard: str) -> list[tuple[str, str]]:
    """What was heard with what was sent last before it: who begins changes from deal to deal."""
    match = outcome.record.start()
    bits, ears = iter(sent), iter(heard)
    last, pairs = "", []
    for move in outcome.record.moves:
        if match.turn == SENDER:
            last = next(bits, "")
        elif match.turn == RECEIVER:
            pairs.append((last, next(ears, "")))
        match.play(move)
    return pairs


@contextmanager
def _patience() -> Iterator[None]:
    """Raise Hung rather than wait for ever. For the main thread."""

    def give_up(*_: object) -> None:
        raise Hung(f"nothing happened for {HANG_S} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(HANG_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
