"""PostgreSQL and Redis misbehave: results wait for the one, nothing needs the other."""

from __future__ import annotations

import pytest

from tests.faults import database_faults, redis_faults
from tests.faults.cluster import Cluster
from tests.faults.ground import FULL, Faults, alone_or_together, possible

pytestmark = [
    pytest.mark.slow,
    pytest.mark.sandbox,
    pytest.mark.long,
    pytest.mark.postgres,
    pytest.mark.redis,
]

GROUPS = 25 if FULL else 1
"""Deal groups of each of the three pairs whose matches wait when a fault comes."""
TIMES = 4 if FULL else 1
SOME = 8 if FULL else 3
"""Results between one fault and the next."""
THINK_MS = 4
FAULTS = {**redis_faults.FAULTS, **database_faults.FAULTS}


@pytest.mark.parametrize("faults", alone_or_together(FAULTS))
def test_a_server_misbehaves(servers_site: Cluster, faults: Faults[Cluster]) -> None:
    wanted = possible(servers_site, faults)
    servers_site.serve()
    servers_site.play(GROUPS, THINK_MS)
    servers_site.await_ready()
    assert servers_site.refused() == {}
    for fault in wanted.values():
        for _ in range(TIMES):
            servers_site.supply(GROUPS, THINK_MS)
            fault.do(servers_site)
            servers_site.more(SOME)
            servers_site.all_live()
    servers_site.judge("; ".join(wanted))
