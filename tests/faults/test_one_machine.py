"""A site on one machine continues after its sandboxes failed, or it froze, was full or stopped."""

from __future__ import annotations

import os
import signal
from functools import partial

import pytest

from tests.faults.faulty_site import FULL, Faults, InjectedFault, fault_parameters, feasible_faults
from tests.faults.machine import SingleMachineSite

pytestmark = [pytest.mark.slow, pytest.mark.sandbox, pytest.mark.long]

GROUPS = 25 if FULL else 1
"""Deal groups of each of the three pairs, whose matches wait when a fault begins."""
REPETITIONS = 4 if FULL else 1
RESULTS_BETWEEN = 10 if FULL else 3
"""Results that must come after each fault."""
SHORT_MS, LONG_MS = 4, 100


def breaks_its_sandboxes(machine: SingleMachineSite) -> None:
    """All sandboxes fail for a while, and no other host can play the matches."""
    machine.bwrap.set_state("broken")
    machine.faults["machine fell ill"] += 1
    machine.pause(10)
    machine.bwrap.set_state("working")


def breaks_half_of_its_sandboxes(machine: SingleMachineSite) -> None:
    machine.bwrap.set_state("flaky")
    machine.faults["machine with every other sandbox failing"] += 1
    machine.pause(10)
    machine.bwrap.set_state("working")


def freezes(machine: SingleMachineSite, service: str, seconds: float) -> None:
    """The service's first process stops for a while."""
    pid = machine.service(service)
    os.kill(pid, signal.SIGSTOP)
    machine.faults[f"{service} frozen"] += 1
    machine.pause(seconds)
    os.kill(pid, signal.SIGCONT)


def is_restarted(machine: SingleMachineSite) -> None:
    machine.start_tournament(1, LONG_MS)
    machine.wait(lambda: machine.states()["playing"], "Nothing is played.")
    assert machine.site.stop() == 0
    machine.faults["site stopped and started"] += 1
    machine.start()


def loses_its_services(machine: SingleMachineSite) -> None:
    """Each service is killed in turn, and `up` restarts it. `test_kills.py` does more of this."""
    for name in ("worker", "broker", "housekeeping", "web"):
        pid = machine.service(name)
        os.kill(pid, signal.SIGKILL)
        machine.faults[f"{name} killed"] += 1
        is_replaced = partial(_is_replaced, machine, name, pid)
        machine.wait(is_replaced, f"{name} is not restarted.")
        machine.await_results(1)


def _is_replaced(machine: SingleMachineSite, name: str, pid: int) -> bool:
    return machine.site.services().get(name, pid) != pid


def has_a_full_disk(machine: SingleMachineSite) -> None:
    assert machine.disk is not None
    machine.disk.fill()
    machine.faults["disk full"] += 1
    machine.pause()
    machine.disk.empty()


FAULTS: Faults[SingleMachineSite] = {
    "the machine falls ill": InjectedFault(breaks_its_sandboxes),
    "every other sandbox fails": InjectedFault(breaks_half_of_its_sandboxes, full_size_only=True),
    "the worker freezes": InjectedFault(
        # Nothing wakes a worker while it is frozen.
        partial(freezes, service="worker", seconds=12),
        full_size_only=True,
    ),
    "the broker freezes": InjectedFault(
        partial(freezes, service="broker", seconds=10), full_size_only=True
    ),
    "its parts are killed": InjectedFault(loses_its_services),
    "the disk is full": InjectedFault(has_a_full_disk, needs="disk"),
    "the site is stopped and started": InjectedFault(is_restarted, full_size_only=True),
}


@pytest.mark.parametrize("faults", fault_parameters(FAULTS))
def test_one_machine_misbehaves(
    machine: SingleMachineSite, faults: Faults[SingleMachineSite]
) -> None:
    feasible = feasible_faults(machine, faults)
    machine.start_tournament(GROUPS, SHORT_MS)
    for fault in feasible.values():
        for _ in range(REPETITIONS):
            machine.await_results(RESULTS_BETWEEN)
            machine.supply_matches(GROUPS, SHORT_MS)
            fault.inject(machine)
            machine.await_results(RESULTS_BETWEEN)
    machine.finish_and_check("; ".join(feasible))
