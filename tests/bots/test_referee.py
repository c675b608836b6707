"""The referee with scripted seats: order of lines, clocks, faults, records."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.referee.clock import ClockSettings
from bots.referee.live_seat import START_MS
from bots.referee.outcome import MatchOutcome, Progress, RefereeError, SeatedBot
from bots.referee.referee import play_match
from bots.referee.turns import seat_rng
from bots.sandbox import Exit, LineTooLong, Program, SandboxUnavailable, SeatClosed, SeatTimeout
from engine import Format, Match, Record, RecordError

from .scripted import READY, Reply, ScriptedSandbox, ScriptedSeat, first_legal, players, until

TWO = "cassino/standard/1v1?deals=2"
PAIRS = "cassino/royal/2v2?deals=2"
THREE = "cassino/standard/ffa3?deals=1"


def play(text: str, *replies: Reply, **options: Any) -> tuple[MatchOutcome, ScriptedSandbox]:
    fmt = Format.parse(text)
    sandbox = ScriptedSandbox(replies or [first_legal] * fmt.seats)
    return play_match(fmt, "s", players(fmt.seats), sandbox=sandbox, **options), sandbox


def test_a_match_is_played_to_its_end_and_its_record_verifies() -> None:
    outcome, _ = play(TWO)
    assert outcome.record.verify().result == outcome.record.result
    assert len(outcome.record.moves) == 96
    assert len(outcome.record.clock_ms) == 96
    assert [seat.moves for seat in outcome.seats] == [48, 48]
    assert outcome.faults == []
    assert Record.from_json(outcome.record.dumps()) == outcome.record


def test_the_lines_of_a_match_come_in_the_order_of_the_contract() -> None:
    outcome, sandbox = play(TWO)
    for number, seat in enumerate(sandbox.seats):
        start, *later = seat.heard
        assert start == {
            "type": "start",
            "protocol": 1,
            "format": TWO,
            "seat": number,
            "sides": [[0], [1]],
            "players": ["bot 0", "bot 1"],
            "clock": {"move_ms": 1000, "bank_ms": 20000},
            "rng": seat_rng("s", number),
        }
        kinds = [message["type"] for message in later]
        assert kinds == ["move"] * 24 + ["deal"] + ["move"] * 24 + ["deal", "end"]
        sheets = [message for message in later if message["type"] == "deal"]
        assert [sheet["deal"] for sheet in sheets] == [0, 1]
        assert all("points" in sheet["sheet"] for sheet in sheets)
        assert later[-1]["result"] == outcome.record.result


def test_a_match_may_be_stopped_and_announce_another_clock() -> None:
    sandbox = ScriptedSandbox([first_legal, first_legal])
    outcome = play_match(
        Format.parse(TWO),
        "s",
        players(2),
        sandbox=sandbox,
        bot_clock=ClockSettings(7, 8),
        seconds=0,
    )
    assert outcome.record.result is None
    assert len(outcome.record.moves) == 1
    outcome.record.verify()
    for seat in sandbox.seats:
        assert seat.heard[0]["clock"] == {"move_ms": 7, "bank_ms": 8}
        assert seat.heard[-1]["type"] != "end"
    assert [seat.moves for seat in outcome.seats] == [1, 0]


def test_questions_show_the_engines_view_and_each_event_once() -> None:
    outcome, sandbox = play(PAIRS)
    for number, seat in enumerate(sandbox.seats):
        match = Match(Format.parse(PAIRS), seed="s")
        questions = {m["n"]: m for m in seat.heard if m["type"] == "move"}
        events: list[Any] = []
        for count, move in enumerate(outcome.record.moves):
            if count in questions:
                question = questions.pop(count)
                events += question["events"]
                assert question["view"] == match.view(number)
                assert question["legal"] == match.legal_moves()
                assert question["truncated"] is False
                assert question["clock"] == {"bank_ms": 20000}
                assert events == match.events(number)
            match.play(move)
        assert not questions


def test_each_seat_has_its_own_repeatable_randomness() -> None:
    assert len({seat_rng("s", seat) for seat in range(8)} | {seat_rng("t", 0)}) == 9
    assert seat_rng("s", 3) == seat_rng("s", 3)
    assert "s" * 5 not in seat_rng("sssss", 0)


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_seeds_of_seats_follow_from_the_secret_alone(seed: str, other: str, rng: str) -> None:
    """With a secret, seats get the same for all seeds; otherwise it depends on the seed."""
    seeds = [[seat.heard[0]["rng"] for seat in _started(text, rng).seats] for text in (seed, other)]
    assert seeds[0] == seeds[1] == [seat_rng(rng, 0), seat_rng(rng, 1)]
    assert [seat.heard[0]["rng"] for seat in _started(seed, None).seats] == [
        seat_rng(seed, 0),
        seat_rng(seed, 1),
    ]


def _started(seed: str, rng: str | None) -> ScriptedSandbox:
    sandbox = ScriptedSandbox([first_legal, first_legal])
    outcome = play_match(Format.parse(TWO), seed, players(2), sandbox=sandbox, rng=rng, seconds=0)
    assert outcome.record.rng == rng
    return sandbox


def test_notes_are_kept_by_move_number_and_cut() -> None:
    def noting(message: dict[str, Any]) -> bytes:
        if message["type"] == "start":
            return READY
        return json.dumps({"move": message["legal"][0], "note": "n" * 900}).encode()

    outcome, _ = play(THREE, noting, first_legal, first_legal)
    assert outcome.record.notes["0"] == "n" * 500
    assert set(map(int, outcome.record.notes)) == set(range(0, 48, 3))
    assert list(outcome.record.frames())[1]["note"] == "n" * 500


@pytest.mark.parametrize(
    ("note", "kept"),
    [
        ("two\r\nlines, 👨\u200d👩 \u200c", "two\nlines, 👨\u200d👩 \u200c"),
        ("\x1b[2J\x9b\x7f\x0b", "\N{REPLACEMENT CHARACTER}[2J" + "\N{REPLACEMENT CHARACTER}" * 3),
        ("\u202e\u2066\u200f\ufeff\u2028", "\N{REPLACEMENT CHARACTER}" * 5),
        ("\U000e0041", "\N{REPLACEMENT CHARACTER}"),
        ("a" + "\u0301" * 400, "a" + "\u0301" * 3 + "…"),
        ("ก" + "\u0e49" * 400 + "x", "ก" + "\u0e49" * 3 + "…x"),
    ],
)
def test_notes_cannot_deface_a_page(note: str, kept: str) -> None:
    def noting(message: dict[str, Any]) -> bytes:
        if message["type"] == "start":
            return READY
        return json.dumps({"move": message["legal"][0], "note": note}).encode()

    outcome, _ = play(TWO, noting, first_legal)
    assert outcome.record.notes["0"] == kept


CASES = [
    ("garbage", until(3, b"hello"), "hello"),
    ("garbage", until(3, b'{"move":7}'), '{"move":7}'),
    ("garbage", until(3, b"\xff\xfe\x1b[2J"), "��\\x1b[2J"),
    ("garbage", until(3, b"[" * 5000), "[" * 199 + "…"),
    ("garbage", until(3, LineTooLong(b"x" * 4096, 65536)), "x" * 199 + "…"),
    ("illegal", until(3, b'{"move":"2Cx2C"}'), '{"move":"2Cx2C"}'),
    ("illegal", until(3, b'{"move":"\\ud800"}'), '{"move":"\\ud800"}'),
    ("crash", until(3, SeatClosed("gone")), ""),
]


def test_a_sentence_shows_control_characters_of_files_as_escapes() -> None:
    """Faults are public, and PostgreSQL refuses NUL."""
    script = Program({"bot": b"#!/usr/bin/env python3 \0\x1b[2J"}, ("./bot",))
    sandbox = ScriptedSandbox([until(3, SeatClosed("gone")), first_legal])
    seats = [SeatedBot("odd", script), *players(2)[1:]]
    outcome = play_match(Format.parse(TWO), "s", seats, sandbox=sandbox)
    assert r"python3 \x00\x1b[2J" in outcome.faults[0].detail


@pytest.mark.parametrize(("kind", "reply", "received"), CASES)
def test_after_the_first_fault_the_platform_continues(
    kind: str, reply: Reply, received: str
) -> None:
    outcome, sandbox = play(PAIRS, first_legal, reply, first_legal, first_legal)
    (fault,) = outcome.faults
    assert (fault.kind, fault.seat, fault.move) == (kind, 1, 13)
    assert fault.received == received
    assert fault.detail
    assert outcome.seats[1].moves == 3
    assert sandbox.seats[1].closed
    record = Record.from_json(outcome.record.dumps())
    record.verify()
    assert record.faults == [
        {
            "seat": 1,
            "kind": kind,
            "move": 13,
            "received": received,
            "detail": fault.detail,
            "policy": "fallback",
        }
    ]
    assert record.result is not None
    assert record.result["ranks"] == [1, 2]
    assert len(record.moves) > 13


def test_an_illegal_move_is_explained_by_its_clause() -> None:
    outcome, _ = play(TWO, until(0, b'{"move":"zz"}'), first_legal)
    assert "'zz' is not legal" in outcome.faults[0].detail


def play_with_early_output(
    seat: int, when: int, data: bytes
) -> tuple[MatchOutcome, ScriptedSandbox]:
    """Play a match in which a seat writes `data` before its own question `when` (from 0)."""
    sandbox = ScriptedSandbox([first_legal, first_legal])
    live = sandbox.seats[seat]

    def mark(move: int) -> None:
        live.marks.append(move)
        if len(live.marks) == when + 1:
            live.unasked = data

    live.mark = mark  # type: ignore[method-assign]  # the seat is a fake to be bent
    return play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox), sandbox


@pytest.mark.parametrize(
    ("when", "data", "detail"),
    [
        (0, b"hello\n", "One line too many before the first question: 'hello'."),
        (2, b'{"move":"6C"}\n', 'One line too many after question 3: \'{"move":"6C"}\'.'),
        (2, b"half a li", "One line too many after question 3: 'half a li'."),
        (2, b"\n\r\na\n\nb\n", "2 lines too many after question 3: the first is 'a'."),
        (2, b"\x1b[2J\n", "One line too many after question 3: '\\x1b[2J'."),
    ],
)
def test_an_unrequested_line_is_a_fault(when: int, data: bytes, detail: str) -> None:
    outcome, sandbox = play_with_early_output(1, when, data)
    (fault,) = outcome.faults
    assert (fault.kind, fault.seat, fault.move) == ("extra", 1, 2 * when + 1)
    assert fault.detail.startswith(f"{detail} Write one line for each question")
    assert fault.received
    assert fault.received in detail
    questions = [message["n"] for message in sandbox.seats[1].heard if message["type"] == "move"]
    assert questions == [1, 3][:when], "no question follows the fault"
    outcome.record.verify()


def test_the_referee_waits_for_the_end_of_a_second_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise the line would arrive after the next question and count as its answer."""
    sandbox = ScriptedSandbox([first_legal, first_legal])
    states = [True, True, False]

    def runs(live: ScriptedSeat) -> bool:
        if live is not sandbox.seats[1] or not live.marks or not states:
            return False
        if not (running := states.pop(0)):
            live.unasked = b"late\n"
        return running

    monkeypatch.setattr(ScriptedSeat, "runs", runs)
    outcome = play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)
    (fault,) = outcome.faults
    assert (fault.kind, fault.seat, fault.received) == ("extra", 1, "late")
    assert not states


def test_empty_lines_are_ignored() -> None:
    def blank(message: dict[str, Any]) -> bytes:
        live = sandbox.seats[0]
        live.unasked = b"\r\n \n"
        live.pending += [*[b"", b"\r", b"  \t"] * 300, first_legal(message)]
        return b""

    sandbox = ScriptedSandbox([blank, first_legal])
    outcome = play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)
    assert outcome.faults == []
    assert outcome.seats[0].moves == 48


def test_a_flood_of_empty_lines_is_garbage() -> None:
    def flood(message: dict[str, Any]) -> bytes:
        if message["n"] < 7:
            return first_legal(message)
        sandbox.seats[1].pending.append(lambda: flood(message))
        return b""

    ready = until(0, b"")
    sandbox = ScriptedSandbox([first_legal, lambda m: flood(m) if "n" in m else ready(m)])
    outcome = play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)
    (fault,) = outcome.faults
    assert (fault.kind, fault.move) == ("garbage", 7)
    assert "1,000 empty lines" in fault.detail
    outcome.record.verify()


def numbered(offset: int) -> Reply:
    """A reply of first legal moves with question numbers, wrong by `offset` from the third on."""

    def reply(message: dict[str, Any]) -> bytes:
        if message["type"] == "start":
            return READY
        number = message["n"] + (offset if message["n"] >= 5 else 0)
        return json.dumps({"move": message["legal"][0], "n": number}).encode()

    return reply


def test_an_answer_with_a_number_must_have_its_questions_number() -> None:
    outcome, _ = play(TWO, first_legal, numbered(0))
    assert outcome.faults == []
    for offset in (-2, 2, 990):
        outcome, _ = play(TWO, first_legal, numbered(offset))
        (fault,) = outcome.faults
        assert (fault.kind, fault.seat, fault.move) == ("extra", 1, 5)
        assert f"answers question {5 + offset}, but question 5 was asked" in fault.detail
        assert f'"n": {5 + offset}' in fault.received


def test_a_repeated_answer_is_named_in_the_fault() -> None:
    sent_before: list[bytes] = []

    def again(message: dict[str, Any]) -> bytes:
        if message["type"] == "move" and sent_before:
            return sent_before[0]
        answer = first_legal(message)
        sent_before.extend([answer] if message["type"] == "move" else [])
        return answer

    outcome, _ = play(TWO, again, first_legal)
    (fault,) = outcome.faults
    assert (fault.kind, fault.move) == ("illegal", 2)
    assert fault.detail.endswith("The same line answered question 0; did the bot write it twice?")


@pytest.mark.parametrize(
    ("data", "received", "text"),
    [
        (b'{"move":"6C"}', '{"move":"6C"}', "sent 13 bytes without a newline: write one"),
        (b"\n6C", "6C", "sent 2 bytes without a newline"),
        (b'{"move":"6C"}\n', '{"move":"6C"}', "An answer came too late."),
        (b"\n\r\n", "", "The bot sent only empty lines."),
        (b"\x1b[2J", "\\x1b[2J", "4 bytes"),
        (b"", "", "it must flush after each line"),
    ],
)
@pytest.mark.parametrize("kind", ["start", "time"])
def test_a_late_bots_fault_describes_its_output(
    monkeypatch: pytest.MonkeyPatch, kind: str, data: bytes, received: str, text: str
) -> None:
    times = FakeClock(monkeypatch)
    sandbox = ScriptedSandbox([first_legal, first_legal])
    live = sandbox.seats[0]
    original = live.receive

    def receive(timeout_s: float) -> bytes:
        if kind == "time" and live.heard[-1]["type"] == "start":
            return original(timeout_s)
        times.now += int(timeout_s * 1e9)
        live.unasked = data
        raise SeatTimeout

    live.receive = receive  # type: ignore[method-assign]  # the seat is a fake to be bent
    program_bot = SeatedBot("C", Program({"bot": b""}, ("./bot",)))
    outcome = play_match(Format.parse(TWO), "s", [program_bot, *players(1)], sandbox=sandbox)
    (fault,) = outcome.faults
    assert (fault.kind, fault.received) == (kind, received)
    assert text in fault.detail
    assert fault.detail.startswith("No ")


@pytest.mark.parametrize("number", [0, 3])
def test_an_ended_bots_fault_describes_its_output(number: int) -> None:
    sandbox = ScriptedSandbox([first_legal, until(number, SeatClosed("gone"))])
    live = sandbox.seats[1]

    original = live.receive

    def receive(timeout_s: float) -> bytes:
        try:
            return original(timeout_s)
        except SeatClosed:
            live.unasked = b'{"mov'
            raise

    live.receive = receive  # type: ignore[method-assign]  # the seat is a fake to be bent
    outcome = play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)
    (fault,) = outcome.faults
    assert (fault.kind, fault.received) == ("crash", '{"mov')


def test_a_forfeit_ends_the_match_at_once_and_verifies() -> None:
    outcome, _ = play(THREE, first_legal, until(2, b"?"), first_legal, fault_policy="forfeit")
    assert len(outcome.record.moves) == 7
    assert outcome.record.result is not None
    assert outcome.record.result["reason"] == "forfeit"
    assert outcome.record.result["ranks"][1] == 3
    outcome.record.verify()
    outcome.record.result["ranks"] = [1, 1, 1]
    with pytest.raises(RecordError):
        outcome.record.verify()


def test_all_sides_with_faults_share_the_match() -> None:
    outcome, _ = play(TWO, until(1, b"?"), until(2, b"?"))
    assert [fault.kind for fault in outcome.faults] == ["garbage", "garbage"]
    assert outcome.record.result is not None
    assert outcome.record.result["ranks"] == [1, 1]
    outcome.record.verify()


@pytest.mark.parametrize("answer", [b"ready", b'{"type":"go"}', SeatClosed("gone")])
def test_a_bot_that_is_not_ready_has_a_start_fault(answer: bytes | Exception) -> None:
    outcome, sandbox = play(TWO, lambda message: answer, first_legal)
    (fault,) = outcome.faults
    assert (fault.kind, fault.seat, fault.move) == ("start", 0, 0)
    assert [message["type"] for message in sandbox.seats[0].heard] == ["start"]
    outcome.record.verify()


Receive = Callable[[float], bytes]


class FakeClock:
    """A fake clock for `bots.referee.clock` and for answers of seats."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0
        monkeypatch.setattr("bots.referee.clock.monotonic_ns", lambda: self.now)
        monkeypatch.setattr("bots.referee.turns.monotonic_ns", lambda: self.now)


def slow_down(
    sandbox: ScriptedSandbox, seat: int, times: FakeClock, *, ms: float, busy_ms: float
) -> None:
    """Let the seat take `ms` for each move, `busy_ms` of them waiting for a processor."""
    live = sandbox.seats[seat]
    original = live.receive
    spent = 0.0

    def receive(timeout_s: float) -> bytes:
        nonlocal spent
        if live.heard[-1]["type"] == "start":
            return original(timeout_s)
        step = min(timeout_s * 1000, ms - spent)
        spent += step
        times.now += int(step * 1e6)
        live.delay_ns += int(step * busy_ms / ms * 1e6)
        if spent < ms - 1e-6:
            raise SeatTimeout
        spent = 0.0
        return original(timeout_s)

    live.receive = receive  # type: ignore[method-assign]  # the seat is a fake to be bent


def test_time_beyond_the_free_time_comes_from_the_bank(monkeypatch: pytest.MonkeyPatch) -> None:
    times = FakeClock(monkeypatch)
    sandbox = ScriptedSandbox([first_legal, first_legal])
    slow_down(sandbox, 0, times, ms=150, busy_ms=0)
    fmt = Format.parse(TWO)
    outcome = play_match(
        fmt, "s", players(2), sandbox=sandbox, clock=ClockSettings(move_ms=100, bank_ms=520)
    )
    (fault,) = outcome.faults
    assert (fault.kind, fault.seat, fault.move) == ("time", 0, 20)
    assert outcome.record.clock_ms[0:20:2] == [150] * 10
    banks = [m["clock"]["bank_ms"] for m in sandbox.seats[0].heard if m["type"] == "move"]
    assert banks == [520 - 50 * turn for turn in range(11)]
    outcome.record.verify()


def test_waiting_for_a_processor_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    times = FakeClock(monkeypatch)
    sandbox = ScriptedSandbox([first_legal, first_legal])
    slow_down(sandbox, 0, times, ms=400, busy_ms=380)
    outcome = play_match(
        Format.parse(TWO), "s", players(2), sandbox=sandbox, clock=ClockSettings(100, 0)
    )
    assert outcome.faults == []
    assert all(ms < 100 for ms in outcome.record.clock_ms)


def test_a_machine_too_busy_to_judge_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    times = FakeClock(monkeypatch)
    sandbox = ScriptedSandbox([first_legal, first_legal])
    slow_down(sandbox, 1, times, ms=1e9, busy_ms=1e9)
    with pytest.raises(RefereeError, match="too busy"):
        play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)


def half_a_minute_late(times: FakeClock, original: Any, *arguments: Any) -> Any:
    times.now += 30_000_000_000
    return original(*arguments)


def test_a_stopped_referee_charges_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a minute passes in every wait, send and sample; each move costs at most its slice."""
    times = FakeClock(monkeypatch)
    sandbox = ScriptedSandbox([first_legal, first_legal])
    for live in sandbox.seats:
        for name in ("send", "receive", "take_output", "cpu_ns", "enforce_memory_limit"):
            setattr(live, name, partial(half_a_minute_late, times, getattr(live, name)))
    clock = ClockSettings(move_ms=100, bank_ms=7)
    outcome = play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox, clock=clock)
    assert outcome.faults == []
    assert set(outcome.record.clock_ms) == {0}
    banks = {m["clock"]["bank_ms"] for m in sandbox.seats[0].heard if m["type"] == "move"}
    assert banks == {7}


@pytest.mark.parametrize("kind", ["start", "move"])
def test_a_bot_stopped_by_the_machine_is_not_charged(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    times = FakeClock(monkeypatch)
    sandbox = ScriptedSandbox([first_legal, first_legal])
    live = sandbox.seats[1]
    left_ns = 25_000_000_000

    def receive(timeout_s: float, original: Receive = live.receive) -> bytes:
        nonlocal left_ns
        live.is_held = left_ns > 0 and live.heard[-1]["type"] == kind
        if not live.is_held:
            return original(timeout_s)
        times.now += int(timeout_s * 1e9)
        left_ns -= int(timeout_s * 1e9)
        raise SeatTimeout

    live.receive = receive  # type: ignore[method-assign]  # the seat is a fake to be bent
    clock = ClockSettings(move_ms=4, bank_ms=0)
    outcome = play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox, clock=clock)
    assert outcome.faults == []
    assert left_ns <= 0
    assert max(outcome.record.clock_ms) <= 4


def test_a_bot_stopped_for_ever_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    times = FakeClock(monkeypatch)
    sandbox = ScriptedSandbox([first_legal, first_legal])
    live = sandbox.seats[1]
    live.is_held = True

    def receive(timeout_s: float) -> bytes:
        times.now += int(timeout_s * 1e9)
        raise SeatTimeout

    live.receive = receive  # type: ignore[method-assign]  # the seat is a fake to be bent
    with pytest.raises(RefereeError, match="too busy"):
        play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)


def test_computing_during_a_pause_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds for any cause of the pause: the bot itself may have caused it."""
    times = FakeClock(monkeypatch)
    sandbox = ScriptedSandbox([first_legal, first_legal])
    live = sandbox.seats[0]

    def receive(timeout_s: float, original: Receive = live.receive) -> bytes:
        if live.heard[-1]["type"] == "move":
            times.now += 40_000_000_000
            live.cpu_ms += 30_000
        return original(timeout_s)

    live.receive = receive  # type: ignore[method-assign]  # the seat is a fake to be bent
    outcome = play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)
    (fault,) = outcome.faults
    assert (fault.seat, fault.kind, fault.move) == (0, "time", 0)


def test_waits_for_a_processor_at_the_start_are_not_charged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """This includes waits while the referee still waited for another seat."""
    times = FakeClock(monkeypatch)
    sandbox = ScriptedSandbox([first_legal, first_legal])
    first, second = sandbox.seats
    steps = 0

    def receive(timeout_s: float, original: Receive = first.receive) -> bytes:
        nonlocal steps
        if first.heard[-1]["type"] == "start" and steps < 600:
            steps += 1
            times.now += int(timeout_s * 1e9)
            for live in sandbox.seats:
                live.delay_ns += int(timeout_s * 0.95e9)
            raise SeatTimeout
        return original(timeout_s)

    def slowly(timeout_s: float, original: Receive = second.receive) -> bytes:
        if second.heard[-1]["type"] == "start" and times.now < 13_000_000_000:
            times.now += int(timeout_s * 1e9)
            raise SeatTimeout
        return original(timeout_s)

    first.receive = receive  # type: ignore[method-assign]  # the seat is a fake to be bent
    second.receive = slowly  # type: ignore[method-assign]  # the same
    outcome = play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)
    assert times.now > START_MS * 1_000_000
    assert outcome.faults == []


def test_the_slow_start_of_a_bot_costs_another_one_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one gets the rest of a large package only when the referee waits for it."""
    times = FakeClock(monkeypatch)
    sandbox = ScriptedSandbox([first_legal, first_legal])
    first, second = sandbox.seats
    steps = 0

    def never(timeout_s: float) -> bytes:
        times.now += int(timeout_s * 1e9)
        raise SeatTimeout

    def slowly(timeout_s: float, original: Receive = second.receive) -> bytes:
        nonlocal steps
        if second.heard[-1]["type"] == "start" and steps < 5:
            steps += 1
            times.now += int(timeout_s * 1e9)
            raise SeatTimeout
        return original(timeout_s)

    first.receive = never  # type: ignore[method-assign]  # the seat is a fake to be bent
    second.receive = slowly  # type: ignore[method-assign]  # the same
    outcome = play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)
    assert [(fault.seat, fault.kind) for fault in outcome.faults] == [(0, "start")]


def test_computing_while_another_bot_starts_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    times = FakeClock(monkeypatch)
    sandbox = ScriptedSandbox([first_legal, first_legal])
    first, second = sandbox.seats

    def slowly(timeout_s: float, original: Receive = first.receive) -> bytes:
        if times.now < 12_000_000_000:
            times.now += int(timeout_s * 1e9)
            first.delay_ns += int(timeout_s * 1e9)
            second.cpu_ms += timeout_s * 1e3
            raise SeatTimeout
        return original(timeout_s)

    def never(timeout_s: float) -> bytes:
        times.now += int(timeout_s * 1e9)
        raise SeatTimeout

    first.receive = slowly  # type: ignore[method-assign]  # the seat is a fake to be bent
    second.receive = never  # type: ignore[method-assign]  # the same
    began_s = times.now / 1e9
    outcome = play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)
    assert [(fault.seat, fault.kind) for fault in outcome.faults] == [(1, "start")]
    assert times.now / 1e9 - began_s < 13


def test_silence_at_the_start_ends_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    times = FakeClock(monkeypatch)
    sandbox = ScriptedSandbox([first_legal, first_legal])
    live = sandbox.seats[1]

    def receive(timeout_s: float) -> bytes:
        times.now += int(timeout_s * 1e9)
        raise SeatTimeout

    live.receive = receive  # type: ignore[method-assign]  # the seat is a fake to be bent
    outcome = play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)
    assert [fault.kind for fault in outcome.faults] == ["start"]
    assert times.now >= START_MS * 1_000_000


@pytest.mark.parametrize("error", [OSError("pipe"), BrokenPipeError("gone")])
def test_errors_of_the_referee_are_no_faults(error: OSError) -> None:
    sandbox = ScriptedSandbox([first_legal, until(4, error)])
    with pytest.raises(RefereeError):
        play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)
    assert all(seat.closed for seat in sandbox.seats)


@pytest.mark.parametrize(
    "killed", [lambda message: SeatClosed("gone"), until(4, SeatClosed("gone"))]
)
def test_a_bot_killed_from_outside_is_a_fault_only_the_second_time(killed: Reply) -> None:
    def play(unlucky: frozenset[int]) -> MatchOutcome:
        sandbox = ScriptedSandbox([first_legal, killed])
        sandbox.seats[1].ending = Exit(None, 9, "outside", "It was killed from outside.")
        fmt = Format.parse(TWO)
        return play_match(fmt, "s", players(2), sandbox=sandbox, unlucky=unlucky)

    for others in (frozenset[int](), frozenset({0})):
        with pytest.raises(RefereeError, match="from outside") as caught:
            play(others)
        assert caught.value.seat == 1
    outcome = play(frozenset({0, 1}))
    (fault,) = outcome.faults
    assert (fault.seat, fault.kind in ("crash", "start")) == (1, True)
    assert fault.detail.startswith("It was killed from outside. For the second time")
    outcome.record.verify()


def compute_meanwhile(ms: float, sandbox: ScriptedSandbox, seat: int) -> None:
    """Let a seat use processor time while others answer their questions."""
    for other in sandbox.seats[:seat] + sandbox.seats[seat + 1 :]:

        def reply(message: dict[str, Any], original: Reply = other.reply) -> bytes | Exception:
            live = sandbox.seats[seat]
            if message["type"] == "move" and not live.paused:
                live.cpu_ms += ms
            return original(message)

        other.reply = reply


def test_computing_out_of_turn_costs_time_and_is_stopped() -> None:
    sandbox = ScriptedSandbox([first_legal, first_legal])
    compute_meanwhile(50, sandbox, 1)
    outcome = play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)
    # Once, during the first question; from then on it is paused until its turn.
    assert [ms for ms in outcome.record.clock_ms if ms >= 50] == [outcome.record.clock_ms[1]]
    assert sandbox.seats[1].cpu_ms == 51
    assert sandbox.seats[1].pauses == outcome.seats[1].moves
    assert sandbox.seats[0].pauses == 0
    assert outcome.faults == []


def test_a_little_work_after_an_answer_is_free_and_more_is_charged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    FakeClock(monkeypatch)
    for ms, charged_ms in ((0.09, 0), (1.9, 47 * 1.9)):  # once it has two consecutive moves
        sandbox = ScriptedSandbox([first_legal, first_legal])
        compute_meanwhile(ms, sandbox, 1)
        outcome = play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)
        assert outcome.seats[1].wall_ms == pytest.approx(charged_ms)
        assert sandbox.seats[1].pauses == 0
        assert outcome.faults == []


def test_computing_beyond_the_clock_loses_on_time() -> None:
    sandbox = ScriptedSandbox([first_legal, first_legal])
    compute_meanwhile(700, sandbox, 0)
    clock = ClockSettings(move_ms=100, bank_ms=500)
    outcome = play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox, clock=clock)
    (fault,) = outcome.faults
    assert (fault.seat, fault.kind, fault.move) == (0, "time", 2)


def test_computing_before_the_first_question_is_free() -> None:
    sandbox = ScriptedSandbox([first_legal, first_legal])
    sandbox.seats[0].cpu_ms = sandbox.seats[1].cpu_ms = 9000
    outcome = play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)
    assert max(seat.slowest_ms for seat in outcome.seats) < 9000
    assert [seat.pauses for seat in sandbox.seats] == [0, 0]


def test_memory_taken_after_the_last_answer_is_a_fault() -> None:
    sandbox = ScriptedSandbox([first_legal, first_legal])
    sandbox.seats[0].fits = False
    sandbox.seats[0].ending = Exit(None, 9, "memory", "It needed more than it may have.")
    outcome = play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)
    (fault,) = outcome.faults
    assert (fault.seat, fault.kind, fault.move) == (0, "crash", 96)
    assert fault.detail == "It needed more than it may have."
    assert outcome.record.result is not None
    assert outcome.record.result["ranks"] == [2, 1]
    outcome.record.verify()


def test_a_missing_sandbox_is_no_fault() -> None:
    class Without(ScriptedSandbox):
        def open(self, program: Any, *, name: str) -> Any:
            if self.opened:
                raise SandboxUnavailable("no user namespaces")
            return super().open(program, name=name)

    sandbox = Without([first_legal, first_legal])
    with pytest.raises(SandboxUnavailable):
        play_match(Format.parse(TWO), "s", players(2), sandbox=sandbox)
    assert sandbox.seats[0].closed


def test_progress_is_reported_after_each_deal_and_may_stop_the_match() -> None:
    reports: list[Progress] = []
    play(TWO, on_progress=reports.append)
    assert [progress.deals for progress in reports] == [1, 2]
    assert reports[-1].moves == 96

    def stop(progress: Progress) -> None:
        raise LookupError("lease lost")

    with pytest.raises(LookupError, match="lease lost"):
        play(TWO, on_progress=stop)


def test_the_number_of_players_must_match() -> None:
    with pytest.raises(ValueError, match="4 seats, but 2 players"):
        play_match(Format.parse(PAIRS), "s", players(2), sandbox=ScriptedSandbox([]))
