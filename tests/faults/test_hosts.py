"""Hosts that do not die but misbehave: whatever one of two does, the other plays on."""

from __future__ import annotations

import shutil
from functools import partial

import pytest

from tests.faults.cluster import Cluster
from tests.faults.ground import FULL, Fault, Faults, alone_or_together, possible
from tests.faults.hosts import (
    PARTS,
    Host,
    control_group,
    freeze_for,
    leave_group,
    other_sources,
    stop_for,
    wrong_clock,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.sandbox,
    pytest.mark.long,
    pytest.mark.postgres,
    pytest.mark.redis,
]

GROUPS = 30 if FULL else 1
"""Deal groups of each of the three pairs whose matches wait when a fault comes."""
TIMES = 4 if FULL else 1
"""How often a fault that passes comes."""
SOME = 12 if FULL else 3
"""Results between one thing and the next."""
SHORT_MS, CUT_MS, LONG_MS = 4, 20, 100
"""What bots sleep over each move: so that matches last as long anywhere, for a second, for some."""
HALF_LEASE_S = 3
"""Of what `settings.py` says."""
CLOCK_S = 600
"""How far a wrong clock is off."""


# --- sick: its sandboxes fail --------------------------------------------------------------------


def starts_sick(cluster: Cluster) -> None:
    south = cluster.south
    south.await_ready()
    south.stop()
    south.bwrap.set_state("broken")
    south.start()
    south.await_ready()
    cluster.play(GROUPS, SHORT_MS)
    cluster.faults["start without a sandbox"] += 1
    cluster.more(SOME * TIMES)
    south.bwrap.set_state("working")


def falls_ill(cluster: Cluster) -> None:
    for _ in range(TIMES):
        cluster.more(SOME)
        cluster.south.bwrap.set_state("broken")
        cluster.faults["host fell ill"] += 1
        cluster.more(2 * SOME)
        cluster.south.bwrap.set_state("working")


def is_ill_by_halves(cluster: Cluster) -> None:
    cluster.south.bwrap.set_state("flaky")
    cluster.faults["host with every other sandbox failing"] += 1
    cluster.more(SOME * TIMES)
    cluster.south.bwrap.set_state("working")


def passes_its_own_test(cluster: Cluster) -> None:
    cluster.south.bwrap.set_state("passes_self_test")
    cluster.faults["host that fails though its own test passes"] += 1
    cluster.more(3 * SOME * TIMES)
    cluster.south.bwrap.set_state("working")


# --- frozen: its processes stand still -----------------------------------------------------------


def freezes(cluster: Cluster) -> None:
    south = cluster.south
    for _ in range(TIMES):
        cluster.await_playing(south)
        south.freeze()
        cluster.faults["host frozen"] += 1
        cluster.await_taken_back(south)
        cluster.more(SOME)
        south.thaw()
        cluster.more(SOME)


def freezes_in_a_transaction(cluster: Cluster) -> None:
    south = cluster.south
    for _ in range(TIMES):
        cluster.wait(lambda: caught_in_transaction(cluster, south), "South was not caught.")
        cluster.faults["host frozen in a transaction"] += 1
        cluster.await_taken_back(south)
        cluster.more(SOME)
        south.thaw()
        cluster.more(SOME)


def caught_in_transaction(cluster: Cluster, host: Host) -> bool:
    """Freeze a host; let it go on again unless it has locked a match that it plays.

    Also true, with nothing frozen, when there is nothing more to be played.
    """
    query = f"""SELECT m.id FROM tournaments_match AS m
                JOIN tournaments_attempt AS a ON a.match_id = m.id AND a.outcome = 'running'
                WHERE a.worker LIKE 'worker@{host.name}/%' """
    host.freeze()
    held = cluster.rows(query)
    if held and all(cluster.rows(f"{query} FOR UPDATE OF m SKIP LOCKED") != held for _ in range(3)):
        return True
    host.thaw()
    return cluster.over()


# --- standing still for less than a lease: nobody else plays, and no bot may lose by it -----------


def stands_still(cluster: Cluster) -> None:
    south = cluster.south
    for part in PARTS if FULL else PARTS[:3]:
        for _ in range(TIMES):
            await_in_play(cluster)
            stop_for(south.part(part), HALF_LEASE_S)
            cluster.faults[f"{part} stopped for half a lease"] += 1
    await_in_play(cluster)
    stop_for([cluster.host("housekeeper").pid], HALF_LEASE_S)
    cluster.faults["housekeeper stopped for half a lease"] += 1
    if group := control_group():
        try:
            for _ in range(TIMES):
                await_in_play(cluster)
                freeze_for(south.processes(), HALF_LEASE_S, group)
                cluster.faults["control group frozen for half a lease"] += 1
        finally:
            leave_group(group)


def await_in_play(cluster: Cluster) -> None:
    """Wait until the southern host has a match of which something has been played."""
    cluster.supply(1, CUT_MS)
    cluster.await_playing(cluster.south)
    cluster.wait(lambda: cluster.south.part("bots") or cluster.over(), "Nobody plays.")


# --- clocks --------------------------------------------------------------------------------------


def has_a_wrong_clock(cluster: Cluster) -> None:
    """One host ten minutes behind, one before: both play on; of the fast one, killed, all is
    taken back."""
    fast, slow = cluster.north, cluster.south
    cluster.await_ready()
    cluster.restart(slow, **wrong_clock(cluster.folder, -CLOCK_S))
    cluster.restart(fast, **wrong_clock(cluster.folder, CLOCK_S))
    cluster.faults["clock ten minutes off"] += 2
    cluster.play(1 if not FULL else 4, LONG_MS)
    for host in (slow, fast):
        cluster.await_storing(host)
    cluster.play(1, LONG_MS)
    cluster.wait(partial(_just_begun, cluster, fast), "The fast host is idle.")
    fast.kill()
    cluster.faults["host with a fast clock killed"] += 1
    cluster.await_taken_back(fast)
    cluster.restart(fast)


# --- two versions --------------------------------------------------------------------------------


def has_other_rules(cluster: Cluster) -> None:
    south = cluster.south
    south.await_ready()
    south.stop()
    known = len(cluster.stored(south))
    ours = south.sources
    south.sources = other_sources(
        "engine/games/cassino/scoring.py",
        '"most cards", _majority_points(captured, uncaptured, 3)',
        '"most cards", _majority_points(captured, uncaptured, 4)',
    )
    south.start()
    south.await_ready()
    cluster.faults["host with other rules"] += 1
    cluster.play(GROUPS, SHORT_MS)
    cluster.more(SOME * TIMES)
    south.stop()
    by_other_rules = len(cluster.stored(south)) - known
    shutil.rmtree(south.sources)
    south.sources = ours
    south.start()
    assert by_other_rules == 0, f"{by_other_rules} results were stored by other rules."


# --- stopped in good order -----------------------------------------------------------------------


def is_stopped_and_started(cluster: Cluster) -> None:
    """A rolling restart in the middle of long matches: they are given back, not waited for."""
    cluster.await_ready()
    for host in (cluster.south, cluster.north) * (TIMES if FULL else 1):
        cluster.play(1, LONG_MS)
        held = cluster.wait(partial(_just_begun, cluster, host), f"{host.name} is idle.")
        host.stop()
        cluster.faults["host stopped in the middle of a long match"] += 1
        assert not cluster.running(host), "It kept what it was playing."
        assert set(held) - set(cluster.stored(host)), "It played long matches to their end."
        host.start()
        host.await_ready()


def _just_begun(cluster: Cluster, host: Host) -> list[int]:
    """The attempts of a host at a match of which little has been played and much is to come."""
    query = f"""SELECT a.id FROM tournaments_attempt AS a
                JOIN tournaments_match AS m ON m.id = a.match_id
                JOIN tournaments_seat AS seat ON seat.match_id = m.id AND seat.index = 0
                JOIN bots_botversion AS version ON version.id = seat.version_id
                JOIN bots_bot AS bot ON bot.id = version.bot_id
                WHERE a.outcome = 'running' AND a.worker LIKE 'worker@{host.name}/%'
                AND bot.name LIKE '%{LONG_MS}' AND m.moves_played BETWEEN 1 AND 12"""
    return [key for (key,) in cluster.rows(query)]


# --- cut off -------------------------------------------------------------------------------------


def is_cut_off(cluster: Cluster) -> None:
    net, south = cluster.net, cluster.south
    assert net is not None
    for _ in range(TIMES):
        cluster.play(1, CUT_MS)
        cluster.await_playing(south)
        net.pull(south.name)
        cluster.faults["host cut off"] += 1
        cluster.await_taken_back(south)
        cluster.more(SOME)
        net.put_back(south.name)
        cluster.await_storing(south)
        cluster.all_live()


FAULTS: Faults[Cluster] = {
    "one of two hosts has no sandbox when it starts": Fault(starts_sick, seldom=True),
    "one of two hosts falls ill": Fault(falls_ill, seldom=True),
    "every other sandbox of one of two hosts fails": Fault(is_ill_by_halves, seldom=True),
    "one of two hosts fails, its own test does not": Fault(passes_its_own_test),
    "one of two hosts freezes": Fault(freezes, seldom=True),
    "one of two hosts freezes in a transaction": Fault(freezes_in_a_transaction),
    "parts of one of two hosts stand still": Fault(stands_still),
    "one of two hosts is cut off": Fault(is_cut_off, needs="net"),
    "both hosts have wrong clocks": Fault(has_a_wrong_clock),
    "one of two hosts has other rules": Fault(has_other_rules, seldom=True),
    "hosts are stopped and started in turn": Fault(is_stopped_and_started, seldom=True),
}


@pytest.mark.parametrize("faults", alone_or_together(FAULTS))
def test_one_of_two_hosts_misbehaves(hosts_site: Cluster, faults: Faults[Cluster]) -> None:
    wanted = possible(hosts_site, faults)
    for fault in wanted.values():
        hosts_site.supply(GROUPS, CUT_MS)
        fault.do(hosts_site)
    found = hosts_site.judge("; ".join(wanted))
    assert found["slowest_ms"] < HALF_LEASE_S * 1000 / 2, "A pause was charged to a bot."
