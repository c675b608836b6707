"""Fixtures and hooks for all tests."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management.commands import flush
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from hypothesis import HealthCheck, settings

from cardroom import processes
from cardroom_base.core.garbage import freeze_current_objects
from tests import sites
from tests.servers import Postgres, Redis, start_postgres, start_redis

# On a busy machine examples are slow, which is no failure.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

# A shell starts background jobs with SIGINT ignored, and every process below would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)  # without xdist this hook does not exist
def pytest_xdist_auto_num_workers() -> int | None:
    """Two processes more than there are processors: many tests wait for what they started."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return (os.cpu_count() or 1) + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run files with long tests first, so that all processes end at about the same time."""
    marks = ("long", "postgres")
    files = [{item.path for item in items if item.get_closest_marker(mark)} for mark in marks]
    items.sort(key=lambda item: [item.path not in paths for paths in files])


def pytest_collection_finish() -> None:
    """Collections of garbage pass over modules and tests, which all stay to the end."""
    freeze_current_objects()


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_modify_db_settings: None, shared_folder_of_sites: None) -> bool:
    """Processes of one run test in copies of one SQLite database: migrating takes seconds."""
    if "PYTEST_XDIST_WORKER" not in os.environ or connection.vendor != "sqlite":
        return False
    name = connection.settings_dict["TEST"]["NAME"]
    shutil.copy(sites.made_site() / "cardroom.sqlite3", name)
    return True


@pytest.fixture(scope="session")
def full_size() -> bool:
    """Whether slow tests run at full size (CARDROOM_FULL=1) or at the size of `make test`."""
    return os.environ.get("CARDROOM_FULL") == "1"


@pytest.fixture(autouse=True, scope="session")
def shared_folder_of_sites(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Processes of one run make their sites' tables and static files once for all."""
    folder = tmp_path_factory.getbasetemp()
    sites.shared = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(autouse=True)
def well() -> Iterator[None]:
    """Reset the known health of worker processes before each test."""
    yield
    if health := sys.modules.get("bots.workers.health"):
        health._health_by_worker.clear()


@pytest.fixture(autouse=True)
def orphans() -> Iterator[None]:
    """End the orphans that a test adopted, so that the next one counts only its own processes."""
    yield
    processes._prctl(processes._PR_SET_CHILD_SUBREAPER, 0)


@pytest.fixture(autouse=True, scope="session")
def quick_flush() -> Iterator[None]:
    """Keep the rows of `migrate` when a committing test empties its tables, since recreating them
    takes longer than most tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "sql_flush", _sql_flush)
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_args, **_more: None)
        yield


def _sql_flush(style: Any, connection: BaseDatabaseWrapper, **more: Any) -> list[str]:
    tables = set(connection.introspection.django_table_names(only_existing=True))
    tables -= {"auth_permission", "django_content_type"}
    return connection.ops.sql_flush(style, sorted(tables), **more)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A real PostgreSQL on a free port, for the whole run."""
    with start_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Redis]:
    """A real Redis-compatible server on a free port, for the whole run."""
    with start_redis() as server:
        yield server
