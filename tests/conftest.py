"""What every test may ask for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.servers import Postgres, Redis, start_postgres, start_redis

# A busy machine is slow at making and at trying examples, which says nothing of what they show.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with long tests first, so that in the end no process waits for another's."""
    long = {item.path for item in items if item.get_closest_marker("postgres")}
    items.sort(key=lambda item: item.path not in long)


@pytest.fixture(scope="session")
def full_size() -> bool:
    """Whether slow tests run at full size (CARDROOM_FULL=1) or at the size of `make test`."""
    return os.environ.get("CARDROOM_FULL") == "1"


@pytest.fixture(autouse=True)
def well() -> Iterator[None]:
    """Each test begins with worker processes of which nothing is known."""
    yield
    if health := sys.modules.get("bots.health"):
        health._known.clear()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A real PostgreSQL on a free port, started for this run and removed after it."""
    with start_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Redis]:
    """A real Redis-compatible server on a free port, started for this run."""
    with start_redis() as server:
        yield server
