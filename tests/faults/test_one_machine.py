"""A site on one machine that is sick, frozen, full or stopped, and goes on where it was."""

from __future__ import annotations

import os
import signal
from functools import partial

import pytest

from tests.faults.ground import FULL, Fault, Faults, alone_or_together, possible
from tests.faults.machine import Machine

pytestmark = [pytest.mark.slow, pytest.mark.sandbox, pytest.mark.long]

GROUPS = 25 if FULL else 1
"""Deal groups of each of the three pairs whose matches wait when a fault comes."""
TIMES = 4 if FULL else 1
SOME = 10 if FULL else 3
"""Results that must come after each fault."""
SHORT_MS, LONG_MS = 4, 100


def is_sick(machine: Machine) -> None:
    """All fails for a while: there is no other host, so nothing is anybody else's to play."""
    machine.bwrap.set_state("broken")
    machine.faults["machine fell ill"] += 1
    machine.pause(10)
    machine.bwrap.set_state("working")


def is_sick_by_halves(machine: Machine) -> None:
    machine.bwrap.set_state("flaky")
    machine.faults["machine with every other sandbox failing"] += 1
    machine.pause(10)
    machine.bwrap.set_state("working")


def freezes(machine: Machine, service: str, seconds: float) -> None:
    """The service's first process stands still."""
    pid = machine.service(service)
    os.kill(pid, signal.SIGSTOP)
    machine.faults[f"{service} frozen"] += 1
    machine.pause(seconds)
    os.kill(pid, signal.SIGCONT)


def is_restarted(machine: Machine) -> None:
    machine.play(1, LONG_MS)
    machine.wait(lambda: machine.states()["playing"], "Nothing is played.")
    assert machine.site.stop() == 0
    machine.faults["site stopped and started"] += 1
    machine.start()


def loses_its_parts(machine: Machine) -> None:
    """Each service is killed in turn; `up` starts it again. `test_kills.py` does more of this."""
    for name in ("worker", "broker", "housekeeping", "web"):
        killed = machine.service(name)
        os.kill(killed, signal.SIGKILL)
        machine.faults[f"{name} killed"] += 1
        again = partial(_is_replaced, machine, name, killed)
        machine.wait(again, f"{name} is not started again.")
        machine.more(1)


def _is_replaced(machine: Machine, name: str, pid: int) -> bool:
    return machine.site.services().get(name, pid) != pid


def has_a_full_disk(machine: Machine) -> None:
    assert machine.disk is not None
    machine.disk.fill()
    machine.faults["disk full"] += 1
    machine.pause()
    machine.disk.empty()


FAULTS: Faults[Machine] = {
    "the machine falls ill": Fault(is_sick),
    "every other sandbox fails": Fault(is_sick_by_halves, seldom=True),
    "the worker freezes": Fault(
        # Nobody hears of new work there.
        partial(freezes, service="worker", seconds=12),
        seldom=True,
    ),
    "the broker freezes": Fault(partial(freezes, service="broker", seconds=10), seldom=True),
    "its parts are killed": Fault(loses_its_parts),
    "the disk is full": Fault(has_a_full_disk, needs="disk"),
    "the site is stopped and started": Fault(is_restarted, seldom=True),
}


@pytest.mark.parametrize("faults", alone_or_together(FAULTS))
def test_one_machine_misbehaves(machine: Machine, faults: Faults[Machine]) -> None:
    wanted = possible(machine, faults)
    machine.play(GROUPS, SHORT_MS)
    for fault in wanted.values():
        for _ in range(TIMES):
            machine.more(SOME)
            machine.supply(GROUPS, SHORT_MS)
            fault.do(machine)
            machine.more(SOME)
    machine.judge("; ".join(wanted))
