"""Clocks: free time, bank, and what a decision costs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.clock import Clock, ClockSettings, charged_ns

MS = 1_000_000


def test_free_time_costs_nothing_and_the_rest_comes_from_the_bank() -> None:
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


def test_threads_that_wait_for_each_other_gain_nothing() -> None:
    assert charged_ns(wall_ns=100, delay_ns=9_900, cpu_ns=100) == 100
    assert charged_ns(wall_ns=100, delay_ns=60, cpu_ns=10) == 40
    assert charged_ns(wall_ns=100, delay_ns=0, cpu_ns=400) == 100


@given(st.integers(0, 10**12), st.integers(0, 10**12), st.integers(0, 10**12))
def test_a_decision_costs_between_its_processor_time_and_its_wall_time(
    wall_ns: int, delay_ns: int, cpu_ns: int
) -> None:
    cost = charged_ns(wall_ns, delay_ns, cpu_ns)
    assert min(cpu_ns, wall_ns) <= cost <= wall_ns
