"""Plays a hostile program against a good bot, and judges it from outside."""

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
from tests.hostile.collection import HostileProgram
from tests.hostile.leftovers import leftovers, traces
from tests.hostile.packing import SERVICE, pack, zip_package

FORMAT: Final = Format.parse("cassino/standard/1v1?deals=1")
PARTNERS: Final = Format.parse("cassino/standard/2v2?deals=5&target=0")
CLOCK: Final = ClockSettings(move_ms=500, bank_ms=0)
SLOW_CLOCK: Final = ClockSettings(move_ms=20_000, bank_ms=0)
"""For matches without a wall, in which a program's speed does not matter."""
LIMITS: Final = Limits(memory_mib=96, threads=8, disk_mib=4, cpu_s=10)
NODE_LIMITS: Final = Limits()
LOG_BYTES: Final = LIMITS.stderr_bytes
START_MS: Final = 2_000
WARM: Final = 2
SENDER: Final = 0
RECEIVER: Final = 2
"""The seats of two hostile programs in one match."""
TOLERATED_MS: Final = 60
"""Unpaid time that a program may get while its opponent thinks for 360 ms: before the referee
notices it, and by the kernel's rounding."""
CHECK_S: Final = 2.0
"""The time of a check's matches."""
MAX_MATCH_S: Final = 120
"""After this time the platform hangs, and the program has got through."""

GOOD_BOT: Final = b"def choose(view, legal):\n    return legal[0]\n"
# It thinks long enough for a program that steals its time.
THINKING_BOT: Final = b"""
import time

def choose(view, legal):
    end = time.process_time() + 0.015
    while time.process_time() < end:
        pass
    return legal[0]
"""
_COMMAND_BOT: Final = {"bot.sh": b"#!/bin/sh\n", "cardroom.toml": b'command = ["./bot.sh"]\n'}
_NUMPY_BOT: Final = {
    "bot.py": b"import numpy\n" + GOOD_BOT,
    "cardroom.toml": b'needs = ["numpy"]\n',
}
SUCCESS_MARK: Final = "GOT-THROUGH"
SEED: Final = "a-seed-of-hostile-matches"
# A program that ends because of its own mistake proves nothing.
_PROGRAM_ERROR: Final = re.compile(
    r"^(?:BROKEN.*|(?:Name|Syntax|Attribute|Type|Import|ModuleNotFound|Indentation)Error\b.*)$",
    re.MULTILINE,
)
_BREAKS_PYTHON: Final = frozenset({"runner", "packages"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one program in one setting."""

    name: str
    ending: str
    """One of `collection.ENDINGS`, or "platform error"."""
    complaints: tuple[str, ...] = ()
    """Reasons why it got through or proves nothing; empty if it was stopped."""
    detail: str = ""
    """The sentence about its fault."""


class PlatformHang(BaseException):
    """The platform did not finish a match in time."""


class Arena:
    """Plays matches in a worker's sandboxes."""

    def __init__(
        self,
        limits: Limits = LIMITS,
        *,
        clock: ClockSettings = CLOCK,
        logs: bool = False,
        warm: int = WARM,
    ) -> None:
        """logs: whether to print the programs' logs on standard error.

        warm: the number of waiting sandboxes; with 0, bubblewrap starts each sandbox instead of a
            fork, except for bots that need numpy.
        """
        self.limits = limits
        self.clock = clock
        self.warm = warm
        self.logs = logs
        self._sandboxes: dict[tuple[Limits, bool], Sandbox] = {}
        self._tables: dict[tuple[Limits, bool], Sandbox] = {}
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(SERVICE)  # a service of the host that programs try to reach
        self._listener.listen()
        self._cpu = pick_cpu(0)
        pin(self._cpu)  # like the site's workers
        live_seat.START_MS = START_MS

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        self._close_sandboxes()

    def _close_sandboxes(self) -> list[str]:
        """Close all sandboxes, as a failing worker does; return complaints if that fails."""
        complaints = []
        for sandbox in (*self._sandboxes.values(), *self._tables.values()):
            try:
                sandbox.close()
            except Exception as error:  # noqa: BLE001 - any error is a complaint
                complaints.append(f"the sandbox does not close: {error!r}")
        self._sandboxes.clear()
        self._tables.clear()
        return complaints

    def judge(self, program: HostileProgram) -> Verdict:
        """Play the program and judge it."""
        limits = NODE_LIMITS if program.path.suffix == ".js" else self.limits
        key = limits, "numpy" in program.program
        sandbox = self._sandbox(self._sandboxes, *key)
        # The host of people's tables has a separate sandbox.
        sender_sandbox = self._sandbox(self._tables, *key) if program.way == "table" else sandbox
        traces(sender_sandbox, self.warm)  # waits until its pool is full
        before = traces(sandbox, self.warm)
        try:
            with _time_limit():
                outcomes = _play(program, sandbox, sender_sandbox, self.clock)
        except PackageError as error:
            return _verdict(program, "refused", str(error), [])
        except (Exception, PlatformHang) as error:  # noqa: BLE001 - any error of the platform
            detail = f"{type(error).__name__}: {error}"
            return _verdict(program, "platform error", detail, [detail, *self._close_sandboxes()])
        if self.logs:
            _print_logs(outcomes)
        complaints = _complaints(program, outcomes)
        if remains := leftovers(before, sandbox, self.warm):
            complaints.append(f"left behind: {remains}")
        faults = [fault for outcome in outcomes for fault in outcome.faults]
        hostile_seats = {
            number
            for outcome in outcomes
            for number, seat in enumerate(outcome.seats)
            if seat.name != "good"
        }
        fault = next((fault for fault in faults if fault.seat in hostile_seats), None)
        if fault is None:
            return _verdict(program, "play on", "", complaints)
        return _verdict(program, fault.kind, fault.detail, complaints)

    def _sandbox(
        self, sandboxes: dict[tuple[Limits, bool], Sandbox], limits: Limits, with_numpy: bool
    ) -> Sandbox:
        key = limits, with_numpy
        if key not in sandboxes:
            sandboxes[key] = Sandbox(limits, warm=self.warm, cpu=self._cpu)
            # The first Python bot and the first other program create files that remain.
            other = zip_package(_NUMPY_BOT if with_numpy else _COMMAND_BOT)
            _match(sandboxes[key], [_good(GOOD_BOT), SeatedBot("other", other)], self.clock)
        return sandboxes[key]


def _play(
    program: HostileProgram, sandbox: Sandbox, sender_sandbox: Sandbox, clock: ClockSettings
) -> list[MatchOutcome]:
    """Play the program's matches.

    The program plays at seat 0, and also at seat 2 of four if a pair plays in one match.
    sender_sandbox: the sandbox of a sender that plays before its receiver.
    """

    tag = secrets.token_hex(8)

    def hostile(role: str = "") -> SeatedBot:
        return SeatedBot("hostile", pack(program, sandbox.limits, role, tag))

    good = _good(THINKING_BOT if program.kind == "turns" else GOOD_BOT)
    if program.is_pair:
        _drop_page_cache()
    match program.kind:
        case "channels":
            return [_match(sandbox, [hostile("sender"), good, hostile("receiver"), good], clock)]
        case "between":
            sender_outcome = _play_sender(program, sender_sandbox, [hostile("sender"), good], clock)
            seats = [hostile("receiver"), good]
            # The other match of a deal group swaps the hands.
            order = seats[::-1] if program.way == "group" else seats
            return [sender_outcome, _match(sandbox, order, clock)]
    return [_match(sandbox, [hostile(), good], clock)]


def _play_sender(
    program: HostileProgram, sandbox: Sandbox, players: list[SeatedBot], clock: ClockSettings
) -> MatchOutcome:
    """Play the match or the check of a sender."""
    if program.way == "check":
        return _check(players[0], sandbox, clock)
    return _match(sandbox, players, clock)


def _check(player: SeatedBot, sandbox: Sandbox, clock: ClockSettings) -> MatchOutcome:
    """Check a program like an upload; return the outcome of a good match with the check's log."""
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
    outcome = _match(sandbox, [_good(GOOD_BOT), _good(GOOD_BOT)], clock)
    seat = replace(outcome.seats[0], name=player.name, stderr=report.log.encode())
    return replace(outcome, seats=[seat, *outcome.seats[1:]])


def _drop_page_cache() -> None:
    """Evict the pages of shared files from memory, so that a loaded page transmits a bit."""
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
    return SeatedBot("good", zip_package({"bot.py": source}))


def _print_logs(outcomes: Sequence[MatchOutcome]) -> None:
    for outcome in outcomes:
        for number, seat in enumerate(outcome.seats):
            for line in seat.stderr.decode(errors="backslashreplace").splitlines():
                print(f"seat {number}: {line}", file=sys.stderr)


def _verdict(program: HostileProgram, ending: str, detail: str, complaints: list[str]) -> Verdict:
    if ending not in program.must:
        complaints = [f"{ending}, not {' or '.join(sorted(program.must))}", *complaints]
    if program.forbidden_text and program.forbidden_text in detail:
        complaints = [*complaints, f"the sentence contains {program.forbidden_text!r}"]
    return Verdict(program.name, ending, tuple(complaints), detail)


def _complaints(program: HostileProgram, outcomes: Sequence[MatchOutcome]) -> list[str]:
    """Violations of the rules that hold for all programs."""
    complaints: list[str] = []
    for outcome in outcomes:
        complaints += _match_complaints(outcome)
        for seat in outcome.seats:
            if seat.name == "good":
                continue
            log = seat.stderr.decode(errors="replace")
            if len(seat.stderr) > LOG_BYTES:
                complaints.append(f"{SUCCESS_MARK} {len(seat.stderr)} bytes of its log were kept")
            complaints += [line for line in log.splitlines() if line.startswith(SUCCESS_MARK)][:3]
            if program.kind not in _BREAKS_PYTHON:
                complaints += [
                    f"proves nothing: {line}" for line in _PROGRAM_ERROR.findall(log)[:1]
                ]
            never_ran = program.kind == "packages" and seat.fault and seat.fault.kind == "start"
            if "TRIED" not in log and not never_ran:
                complaints.append("proves nothing: it never began its attack")
        if program.kind == "turns":
            complaints += _unpaid_time(outcome.seats[0])
        complaints += [note for note in outcome.record.notes.values() if SUCCESS_MARK in note][:1]
    if program.is_pair:
        complaints += _transmission_complaints(outcomes)
    return complaints


def _unpaid_time(seat: SeatReport) -> list[str]:
    """Complains if it computed more between its first and last question than its clock paid for."""
    times = [int(time) for time in re.findall(rb"^CPU (\d+)$", seat.stderr, re.MULTILINE)]
    if len(times) < 2:
        return ["proves nothing: it does not log its processor time"]
    if seat.fault is not None and seat.fault.kind == "time":
        times.pop()  # its fault pays for the time before the last question
    unpaid_ms = times[-1] - times[0] - seat.wall_ms
    if unpaid_ms <= TOLERATED_MS:
        return []
    return [f"{SUCCESS_MARK} {unpaid_ms:.0f} ms that its clock did not pay for"]


def _match_complaints(outcome: MatchOutcome) -> list[str]:
    """Complains if the good bot did not get its whole match, or the record is invalid."""
    complaints = []
    record = outcome.record
    match = record.verify()
    questions = Counter[int]()
    replayed = record.start()
    for move in record.moves:
        questions[replayed.turn or 0] += 1
        replayed.play(move)
    if match.turn is not None or record.result is None:
        return ["the match has no end"]
    sides_with_fault = {match.format.side(fault.seat) for fault in outcome.faults}
    ranks = record.result["ranks"]
    if any(ranks[side] < max(ranks) for side in sides_with_fault):
        complaints.append("a side with a fault is not ranked last")
    for number, seat in enumerate(outcome.seats):
        if seat.name == "good" and seat.fault is not None:
            complaints.append(f"the good bot has a fault: {seat.fault.kind}")
        if seat.fault is None and seat.moves != questions[number]:
            complaints.append(f"seat {number} made {seat.moves} of {questions[number]} moves")
    if not all(fault.detail and fault.detail.isprintable() for fault in outcome.faults):
        complaints.append("a fault has no printable sentence")
    if any(len(fault.received) > MAX_RECEIVED for fault in outcome.faults):
        complaints.append("a fault shows too many received bytes")
    if any(len(note) > MAX_NOTE for note in record.notes.values()):
        complaints.append("a note is too long")
    return complaints


def _transmission_complaints(outcomes: Sequence[MatchOutcome]) -> list[str]:
    """Complains if more bits arrived than chance explains, by five standard deviations."""
    logs = "\n".join(
        seat.stderr.decode(errors="replace") for outcome in outcomes for seat in outcome.seats
    )
    sent_bits = "".join(re.findall(r"^SENT ([01]+)$", logs, re.MULTILINE))
    received_bits = "".join(re.findall(r"^HEARD ([01]+)$", logs, re.MULTILINE))
    if min(len(sent_bits), len(received_bits)) < 48:
        return [f"proves nothing: {len(sent_bits)} bits sent, {len(received_bits)} received"]
    in_order = list(zip(sent_bits, received_bits, strict=False))
    by_turn = (
        _pair_by_turn(outcomes[0], sent_bits, received_bits) if len(outcomes) == 1 else in_order
    )
    correct, total = max(
        (sum(sent == received for sent, received in pairs), len(pairs))
        for pairs in (in_order, by_turn)
    )
    if correct < total / 2 + 2.5 * total**0.5:
        return []
    return [f"{SUCCESS_MARK} {correct} of {total} bits arrived"]


def _pair_by_turn(
    outcome: MatchOutcome, sent_bits: str, received_bits: str
) -> list[tuple[str, str]]:
    """Pairs of a received bit and the last bit sent before it: deals start at different seats."""
    match = outcome.record.start()
    sent, received = iter(sent_bits), iter(received_bits)
    last, pairs = "", []
    for move in outcome.record.moves:
        if match.turn == SENDER:
            last = next(sent, "")
        elif match.turn == RECEIVER:
            pairs.append((last, next(received, "")))
        match.play(move)
    return pairs


@contextmanager
def _time_limit() -> Iterator[None]:
    """Raise PlatformHang after MAX_MATCH_S. Works in the main thread only."""

    def raise_hang(*_: object) -> None:
        raise PlatformHang(f"the match did not end within {MAX_MATCH_S} s")

    old_handler = signal.signal(signal.SIGALRM, raise_hang)
    signal.alarm(MAX_MATCH_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old_handler)
