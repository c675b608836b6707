"""Faults of the database: it is read-only, cuts connections, is down, or has a full disk."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from tests.faults.cluster import Cluster
from tests.faults.faulty_site import Faults, InjectedFault


@contextmanager
def superuser(cluster: Cluster) -> Iterator[psycopg.Connection[Any]]:
    """A superuser's connection to another database of the same server."""
    url = f"{cluster.database.rpartition('/')[0]}/postgres"
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


def end_connections(connection: psycopg.Connection[Any], cluster: Cluster) -> None:
    """End all connections to the site's database."""
    name = cluster.database.rpartition("/")[2]
    query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
    connection.execute(query, (name,))


def takes_no_writes(cluster: Cluster) -> None:
    name = cluster.database.rpartition("/")[2]
    with superuser(cluster) as connection:
        setting = f"ALTER DATABASE {name} SET default_transaction_read_only"
        connection.execute(f"{setting} = on".encode())
        end_connections(connection, cluster)
        cluster.faults["database read-only"] += 1
        cluster.pause()
        connection.execute(f"{setting} = off".encode())
        end_connections(connection, cluster)


def cuts_connections(cluster: Cluster) -> None:
    with superuser(cluster) as connection:
        for _ in range(cluster.rng.randint(1, 5)):
            end_connections(connection, cluster)
            cluster.faults["all connections cut"] += 1
            time.sleep(cluster.rng.uniform(0, 0.5))


def crashes(cluster: Cluster) -> None:
    cluster.postgres.crash()
    cluster.faults["database crashed and unavailable"] += 1
    cluster.pause()
    cluster.postgres.start()


def has_a_full_disk(cluster: Cluster) -> None:
    """Without space for its log the database may end by itself, so it is started again."""
    assert cluster.disk is not None
    cluster.disk.fill()
    cluster.faults["disk of the database full"] += 1
    cluster.pause()
    cluster.disk.empty()
    cluster.postgres.crash()
    cluster.postgres.start()


FAULTS: Faults[Cluster] = {
    "the database accepts no writes": InjectedFault(takes_no_writes),
    "the database cuts all connections": InjectedFault(cuts_connections),
    "the database is unavailable": InjectedFault(crashes),
    "the disk of the database is full": InjectedFault(has_a_full_disk, needs="disk"),
}
