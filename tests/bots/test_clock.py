"""Clocks: free time, bank, and the cost of a decision."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.referee.clock import Clock, ClockSettings, Stopwatch, charged_ns
from bots.sandbox import SeatTimeout

MS = 1_000_000


def test_only_time_beyond_the_free_time_comes_from_the_bank() -> None:
    clock = Clock(ClockSettings(move_ms=100, bank_ms=250))
    assert clock.budget_ns == 350 * MS
    assert clock.charge(100 * MS)
    assert clock.bank_ms == 250
    assert clock.charge(200 * MS)
    assert clock.bank_ms == 150
    assert clock.charge(250 * MS)
    assert clock.bank_ms == 0
    assert not clock.charge(100 * MS + 1)
    assert clock.bank_ms == 0
    assert clock.used_ns == 650 * MS + 1


@pytest.mark.parametrize(("move_ms", "bank_ms"), [(0, 1), (-1, 1), (1, -1), (10**8, 0), (1, 10**9)])
def test_settings_out_of_range_are_refused(move_ms: int, bank_ms: int) -> None:
    with pytest.raises(ValueError, match="must be a whole number of milliseconds from"):
        ClockSettings(move_ms, bank_ms)


def test_waiting_threads_gain_no_time() -> None:
    assert charged_ns(wall_ns=100, waited_ns=100, delay_ns=9_900, cpu_ns=100) == 100
    assert charged_ns(wall_ns=100, waited_ns=100, delay_ns=60, cpu_ns=10) == 40
    assert charged_ns(wall_ns=100, waited_ns=100, delay_ns=0, cpu_ns=400) == 100


def test_delays_of_the_referee_cost_only_processor_time() -> None:
    assert charged_ns(wall_ns=25_000, waited_ns=20, delay_ns=0, cpu_ns=300) == 300
    assert charged_ns(wall_ns=25_000, waited_ns=20, delay_ns=0, cpu_ns=0) == 20


NANOSECONDS = st.integers(0, 10**12)


@given(NANOSECONDS, NANOSECONDS, NANOSECONDS, NANOSECONDS)
def test_a_decision_costs_between_its_processor_time_and_its_wall_time(
    wall_ns: int, waited_ns: int, delay_ns: int, cpu_ns: int
) -> None:
    cost = charged_ns(wall_ns, waited_ns, delay_ns, cpu_ns)
    assert min(cpu_ns, wall_ns) <= cost <= wall_ns
    assert cost <= max(waited_ns, cpu_ns)


class SlowSeat:
    """A seat that answers after a time of a fake clock; `lost`: time that the machine stopped."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0
        monkeypatch.setattr("bots.referee.clock.monotonic_ns", lambda: self.now)
        self.takes_ns = self.overrun_ns = 0

    def receive(self, timeout_s: float) -> bytes:
        limit_ns = round(timeout_s * 1e9)
        self.now += min(self.takes_ns, limit_ns) + self.overrun_ns
        if self.takes_ns > limit_ns:
            self.takes_ns -= limit_ns
            raise SeatTimeout
        return b"line"


@pytest.mark.parametrize("lost_ms", [0, 30, 999, 1_001, 25_000, 10**7])
def test_a_stopped_machine_costs_no_time(monkeypatch: pytest.MonkeyPatch, lost_ms: int) -> None:
    """This holds for any duration and place: during a wait, between waits, before the first."""
    bot = SlowSeat(monkeypatch)
    watch = Stopwatch()
    bot.now += lost_ms * MS  # while sending the question
    bot.takes_ns = 50 * MS
    with pytest.raises(SeatTimeout):
        watch.receive(bot, 20 * MS)
    assert watch.waited_ns == 20 * MS
    bot.now += lost_ms * MS  # while sampling the others' memory
    bot.overrun_ns = lost_ms * MS  # while waiting
    with pytest.raises(SeatTimeout):
        watch.receive(bot, 20 * MS)
    bot.overrun_ns = 0
    assert watch.late == (lost_ms > 0)
    assert watch.receive(bot, 20 * MS) == b"line"
    assert not watch.late
    if lost_ms < 1_000:
        assert watch.waited_ns == 50 * MS
    else:
        assert watch.waited_ns == 30 * MS, "the bot's part of that wait is unknown"
    assert watch.wall_ns == 50 * MS + 3 * lost_ms * MS
    assert watch.elapsed_ns <= watch.wall_ns
    assert watch.elapsed_ns >= watch.waited_ns + min(lost_ms, 980) * MS


@given(st.lists(st.tuples(st.integers(0, 10**10), st.integers(1, 10**8)), max_size=30))
def test_no_wait_costs_more_than_its_timeout(waits: list[tuple[int, int]]) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        bot = SlowSeat(monkeypatch)
        watch = Stopwatch()
        for took_ns, limit_ns in waits:
            before_ns = watch.waited_ns
            bot.takes_ns, bot.overrun_ns = min(took_ns, limit_ns), max(0, took_ns - limit_ns)
            watch.receive(bot, limit_ns)
            assert 0 <= watch.waited_ns - before_ns <= min(took_ns, limit_ns)
        assert watch.waited_ns <= watch.elapsed_ns <= watch.wall_ns
