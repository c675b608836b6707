"""Fixtures of the fault scenarios: sites that faults can damage, and the table of outcomes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults.cluster import Cluster
from tests.faults.disks import small_disk
from tests.faults.faulty_site import Control
from tests.faults.hosts import SETTINGS
from tests.faults.machine import SingleMachineSite
from tests.faults.networks import switch
from tests.faults.table import FaultTable
from tests.servers import Postgres, Redis, start_postgres, start_redis
from tests.sites import migrate, migrated_database

POSTGRES_MIB = 160
"""Size of the small disk of a PostgreSQL, which needs about 70 MiB."""
SITE_MIB = 128
"""Size of the small disk of a site on one machine, which needs about 40 MiB."""

_table = FaultTable()


@pytest.fixture(scope="session")
def table(full_size: bool) -> Iterator[FaultTable]:
    """The rows of this session, which go to the docs page at full size."""
    yield _table
    if full_size and _table.rows:
        _table.write()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _table.rows:
        terminalreporter.section("outcomes of the faults")
        terminalreporter.write_line(_table.text())


def cluster_at(
    folder: Path, table: FaultTable, postgres: Postgres, broker: Redis, **fields: Any
) -> Iterator[Cluster]:
    """A site on this database and broker, with started hosts."""
    url = migrated_database(postgres)
    own = {"CARDROOM_VAR": str(folder / "own"), "DJANGO_SETTINGS_MODULE": SETTINGS}
    with Control({**own, "DATABASE_URL": url, "REDIS_URL": broker.url}, folder) as control:
        control("prepare")
        cluster = Cluster(folder, table, control, postgres, broker, url, broker.url, **fields)
        try:
            cluster.start()
            yield cluster
        finally:
            cluster.end()


@pytest.fixture
def hosts_site(tmp_path: Path, table: FaultTable) -> Iterator[Cluster]:
    """A site whose workers have their own networks, if the kernel allows it."""
    with switch() as net:
        extra_addresses = [net.address] if net else []
        with (
            start_postgres(extra_addresses=extra_addresses) as postgres,
            start_redis(*extra_addresses) as broker,
        ):
            yield from cluster_at(tmp_path, table, postgres, broker, net=net)


@pytest.fixture
def servers_site(tmp_path: Path, table: FaultTable) -> Iterator[Cluster]:
    """A site whose database has its own small disk, if this process may mount one."""
    with (
        small_disk(POSTGRES_MIB) as disk,
        start_postgres(disk.folder if disk else None) as postgres,
        start_redis() as broker,
    ):
        yield from cluster_at(tmp_path, table, postgres, broker, disk=disk)


@pytest.fixture
def machine(tmp_path: Path, table: FaultTable) -> Iterator[SingleMachineSite]:
    """A site on one machine with its own small disk, if this process may mount one."""
    with small_disk(SITE_MIB) as disk:
        var = disk.folder if disk else tmp_path
        migrate(var)
        own = {"CARDROOM_VAR": str(var), "DJANGO_SETTINGS_MODULE": SETTINGS}
        with Control(own, tmp_path) as control:
            control("prepare")
            machine = SingleMachineSite(tmp_path, table, control, var, disk)
            try:
                machine.start()
                yield machine
            finally:
                machine.end()
