"""One of two hosts misbehaves without dying, and the other continues to play."""

from __future__ import annotations

import shutil
from functools import partial

import pytest

from tests.faults.cluster import Cluster
from tests.faults.faulty_site import FULL, Faults, InjectedFault, fault_parameters, feasible_faults
from tests.faults.hosts import (
    PROCESS_KINDS,
    Host,
    clock_offset,
    control_group,
    copy_sources_with_change,
    freeze_for,
    remove_group,
    stop_for,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.sandbox,
    pytest.mark.long,
    pytest.mark.postgres,
    pytest.mark.redis,
]

GROUPS = 30 if FULL else 1
"""Deal groups of each of the three pairs, whose matches wait when a fault begins."""
REPETITIONS = 4 if FULL else 1
"""How often a temporary fault is repeated."""
RESULTS_BETWEEN = 12 if FULL else 3
"""Results that must come between two steps."""
SHORT_MS, CUT_MS, LONG_MS = 4, 20, 100
"""Milliseconds that bots sleep before each move, so that a match lasts equally long on all
machines: a fraction of a second, a second, or several."""
HALF_LEASE_S = 3
"""Half of LEASE_SECONDS in `settings.py`."""
CLOCK_S = 600
"""The error of a wrong clock, in seconds."""


# --- its sandboxes fail --------------------------------------------------------------------------


def starts_without_sandbox(cluster: Cluster) -> None:
    south = cluster.south
    south.await_ready()
    south.stop()
    south.bwrap.set_state("broken")
    south.start()
    south.await_ready()
    cluster.start_tournament(GROUPS, SHORT_MS)
    cluster.faults["start without a sandbox"] += 1
    cluster.await_results(RESULTS_BETWEEN * REPETITIONS)
    south.bwrap.set_state("working")


def breaks_its_sandboxes(cluster: Cluster) -> None:
    for _ in range(REPETITIONS):
        cluster.await_results(RESULTS_BETWEEN)
        cluster.south.bwrap.set_state("broken")
        cluster.faults["host fell ill"] += 1
        cluster.await_results(2 * RESULTS_BETWEEN)
        cluster.south.bwrap.set_state("working")


def breaks_half_of_its_sandboxes(cluster: Cluster) -> None:
    cluster.south.bwrap.set_state("flaky")
    cluster.faults["host with every other sandbox failing"] += 1
    cluster.await_results(RESULTS_BETWEEN * REPETITIONS)
    cluster.south.bwrap.set_state("working")


def passes_its_self_test(cluster: Cluster) -> None:
    cluster.south.bwrap.set_state("passes_self_test")
    cluster.faults["host that fails although its self-test passes"] += 1
    cluster.await_results(3 * RESULTS_BETWEEN * REPETITIONS)
    cluster.south.bwrap.set_state("working")


# --- its processes freeze ------------------------------------------------------------------------


def freezes(cluster: Cluster) -> None:
    south = cluster.south
    for _ in range(REPETITIONS):
        cluster.await_playing(south)
        south.freeze()
        cluster.faults["host frozen"] += 1
        cluster.await_released(south)
        cluster.await_results(RESULTS_BETWEEN)
        south.thaw()
        cluster.await_results(RESULTS_BETWEEN)


def freezes_in_a_transaction(cluster: Cluster) -> None:
    south = cluster.south
    for _ in range(REPETITIONS):
        cluster.wait(lambda: caught_in_transaction(cluster, south), "South was not caught.")
        cluster.faults["host frozen in a transaction"] += 1
        cluster.await_released(south)
        cluster.await_results(RESULTS_BETWEEN)
        south.thaw()
        cluster.await_results(RESULTS_BETWEEN)


def caught_in_transaction(cluster: Cluster, host: Host) -> bool:
    """Freeze a host; thaw it unless it has locked the row of a match that it plays.

    Also true, with nothing frozen, if all tournaments are over.
    """
    query = f"""SELECT m.id FROM tournaments_match AS m
                JOIN tournaments_attempt AS a ON a.match_id = m.id AND a.outcome = 'running'
                WHERE a.worker LIKE 'worker@{host.name}/%' """
    host.freeze()
    rows = cluster.rows(query)
    if rows and all(cluster.rows(f"{query} FOR UPDATE OF m SKIP LOCKED") != rows for _ in range(3)):
        return True
    host.thaw()
    return cluster.is_over()


# --- its processes stop for less than a lease, at no cost to a bot --------------------------------


def pauses(cluster: Cluster) -> None:
    south = cluster.south
    for kind in PROCESS_KINDS if FULL else PROCESS_KINDS[:3]:
        for _ in range(REPETITIONS):
            await_in_play(cluster)
            stop_for(south.processes_of(kind), HALF_LEASE_S)
            cluster.faults[f"{kind} stopped for half a lease"] += 1
    await_in_play(cluster)
    stop_for([cluster.host("housekeeper").pid], HALF_LEASE_S)
    cluster.faults["housekeeper stopped for half a lease"] += 1
    if group := control_group():
        try:
            for _ in range(REPETITIONS):
                await_in_play(cluster)
                freeze_for(south.processes(), HALF_LEASE_S, group)
                cluster.faults["control group frozen for half a lease"] += 1
        finally:
            remove_group(group)


def await_in_play(cluster: Cluster) -> None:
    """Wait until the southern host plays a match whose bots have started."""
    cluster.supply_matches(1, CUT_MS)
    cluster.await_playing(cluster.south)
    cluster.wait(
        lambda: cluster.south.processes_of("bots") or cluster.is_over(), "South plays no match."
    )


# --- clocks --------------------------------------------------------------------------------------


def has_a_wrong_clock(cluster: Cluster) -> None:
    """Hosts whose clocks are ten minutes behind and ahead play; when the fast one is killed, its
    matches are freed."""
    fast, slow = cluster.north, cluster.south
    cluster.await_ready()
    cluster.restart(slow, **clock_offset(cluster.folder, -CLOCK_S))
    cluster.restart(fast, **clock_offset(cluster.folder, CLOCK_S))
    cluster.faults["clock ten minutes off"] += 2
    cluster.start_tournament(1 if not FULL else 4, LONG_MS)
    for host in (slow, fast):
        cluster.await_storing(host)
    cluster.start_tournament(1, LONG_MS)
    cluster.wait(partial(_just_begun, cluster, fast), "The fast host is idle.")
    fast.kill()
    cluster.faults["host with a fast clock killed"] += 1
    cluster.await_released(fast)
    cluster.restart(fast)


# --- two versions --------------------------------------------------------------------------------


def has_other_rules(cluster: Cluster) -> None:
    south = cluster.south
    south.await_ready()
    south.stop()
    count_before = len(cluster.stored_attempts(south))
    original_sources = south.sources
    south.sources = copy_sources_with_change(
        "engine/games/cassino/scoring.py",
        '"most cards", _majority_points(captured, uncaptured, 3)',
        '"most cards", _majority_points(captured, uncaptured, 4)',
    )
    south.start()
    south.await_ready()
    cluster.faults["host with other rules"] += 1
    cluster.start_tournament(GROUPS, SHORT_MS)
    cluster.await_results(RESULTS_BETWEEN * REPETITIONS)
    south.stop()
    by_other_rules = len(cluster.stored_attempts(south)) - count_before
    shutil.rmtree(south.sources)
    south.sources = original_sources
    south.start()
    assert by_other_rules == 0, f"{by_other_rules} results were stored by other rules."


# --- stopped in order ----------------------------------------------------------------------------


def is_stopped_and_started(cluster: Cluster) -> None:
    """In a rolling restart hosts give back long matches instead of finishing them."""
    cluster.await_ready()
    for host in (cluster.south, cluster.north) * (REPETITIONS if FULL else 1):
        attempts = _start_long_matches(cluster, host)
        host.stop()
        cluster.faults["host stopped in the middle of a long match"] += 1
        assert not cluster.running_attempts(host), "It kept its matches."
        assert set(attempts) - set(cluster.stored_attempts(host)), "It finished long matches."
        host.start()
        host.await_ready()


def _start_long_matches(cluster: Cluster, host: Host) -> list[int]:
    """Start long matches until a host is seen at the beginning of some; ids of its attempts.

    A busy machine may miss the beginning of all matches of a tournament.
    """
    for _ in range(5):
        cluster.start_tournament(1, LONG_MS)
        attempts = cluster.wait(
            lambda: _just_begun(cluster, host) or cluster.is_over(), f"{host.name} is idle."
        )
        if isinstance(attempts, list):
            return attempts
    pytest.fail(f"{host.name} was not seen at the beginning of a long match.")


def _just_begun(cluster: Cluster, host: Host) -> list[int]:
    """Ids of a host's attempts at long matches that have only a few moves yet."""
    query = f"""SELECT a.id FROM tournaments_attempt AS a
                JOIN tournaments_match AS m ON m.id = a.match_id
                JOIN tournaments_seat AS seat ON seat.match_id = m.id AND seat.index = 0
                JOIN bots_botversion AS version ON version.id = seat.version_id
                JOIN bots_bot AS bot ON bot.id = version.bot_id
                WHERE a.outcome = 'running' AND a.worker LIKE 'worker@{host.name}/%'
                AND bot.name LIKE '%{LONG_MS}' AND m.moves_played BETWEEN 1 AND 12"""
    return [key for (key,) in cluster.rows(query)]


# --- disconnected --------------------------------------------------------------------------------


def is_disconnected(cluster: Cluster) -> None:
    net, south = cluster.net, cluster.south
    assert net is not None
    for _ in range(REPETITIONS):
        cluster.start_tournament(1, CUT_MS)
        cluster.await_playing(south)
        net.unplug(south.name)
        cluster.faults["host cut off"] += 1
        cluster.await_released(south)
        cluster.await_results(RESULTS_BETWEEN)
        net.plug_in_again(south.name)
        cluster.await_storing(south)
        cluster.check_all_run()


FAULTS: Faults[Cluster] = {
    "one of two hosts has no sandbox when it starts": InjectedFault(
        starts_without_sandbox, full_size_only=True
    ),
    "one of two hosts falls ill": InjectedFault(breaks_its_sandboxes, full_size_only=True),
    "every other sandbox of one of two hosts fails": InjectedFault(
        breaks_half_of_its_sandboxes, full_size_only=True
    ),
    "one of two hosts fails, although its self-test passes": InjectedFault(passes_its_self_test),
    "one of two hosts freezes": InjectedFault(freezes, full_size_only=True),
    "one of two hosts freezes in a transaction": InjectedFault(freezes_in_a_transaction),
    "parts of one of two hosts pause": InjectedFault(pauses),
    "one of two hosts is cut off": InjectedFault(is_disconnected, needs="net"),
    "both hosts have wrong clocks": InjectedFault(has_a_wrong_clock),
    "one of two hosts has other rules": InjectedFault(has_other_rules, full_size_only=True),
    "hosts are stopped and started in turn": InjectedFault(
        is_stopped_and_started, full_size_only=True
    ),
}


@pytest.mark.parametrize("faults", fault_parameters(FAULTS))
def test_one_of_two_hosts_misbehaves(hosts_site: Cluster, faults: Faults[Cluster]) -> None:
    feasible = feasible_faults(hosts_site, faults)
    for fault in feasible.values():
        hosts_site.supply_matches(GROUPS, CUT_MS)
        fault.inject(hosts_site)
    counts = hosts_site.finish_and_check("; ".join(feasible))
    assert counts["slowest_ms"] < HALF_LEASE_S * 1000 / 2, "A pause was charged to a bot."
