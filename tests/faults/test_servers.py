"""PostgreSQL and Redis misbehave: results wait for PostgreSQL, but nothing needs Redis."""

from __future__ import annotations

import pytest

from tests.faults import database_faults, redis_faults
from tests.faults.cluster import Cluster
from tests.faults.faulty_site import FULL, Faults, fault_parameters, feasible_faults

pytestmark = [
    pytest.mark.slow,
    pytest.mark.sandbox,
    pytest.mark.long,
    pytest.mark.postgres,
    pytest.mark.redis,
]

GROUPS = 25 if FULL else 1
"""Deal groups of each of the three pairs, whose matches wait when a fault begins."""
REPETITIONS = 4 if FULL else 1
RESULTS_BETWEEN = 8 if FULL else 3
"""Results that must come between two faults."""
THINK_MS = 4
FAULTS = {**redis_faults.FAULTS, **database_faults.FAULTS}


@pytest.mark.parametrize("faults", fault_parameters(FAULTS))
def test_a_server_misbehaves(servers_site: Cluster, faults: Faults[Cluster]) -> None:
    feasible = feasible_faults(servers_site, faults)
    servers_site.serve()
    servers_site.start_tournament(GROUPS, THINK_MS)
    servers_site.await_ready()
    assert servers_site.failed_requests() == {}
    for fault in feasible.values():
        for _ in range(REPETITIONS):
            servers_site.supply_matches(GROUPS, THINK_MS)
            fault.inject(servers_site)
            servers_site.await_results(RESULTS_BETWEEN)
            servers_site.check_all_run()
    servers_site.finish_and_check("; ".join(feasible))
