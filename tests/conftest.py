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
from cardroom_base.core.garbage import collect_less_often, freeze_current_objects
from tests import sites
from tests.servers import Postgres, Redis, start_postgres, start_redis

collect_less_often()  # while tests are collected

# A slow example on a busy machine is not a failure.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

# A shell starts background jobs with SIGINT ignored, and all child processes would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)  # without xdist this hook does not exist
def pytest_xdist_auto_num_workers() -> int | None:
    """Start one process more than there are processors, because many tests wait for servers. Each
    further one needs a browser, a database and a collection of its own."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run files with long tests first, so that all processes end at about the same time."""
    marks = ("long", "postgres")
    files = [{item.path for item in items if item.get_closest_marker(mark)} for mark in marks]
    items.sort(key=lambda item: [item.path not in paths for paths in files])


def pytest_collection_finish() -> None:
    """Exclude modules and tests from garbage collection: they all stay until the end."""
    freeze_current_objects()


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_modify_db_settings: None, shared_site_folder: None) -> bool:
    """Give each test process a copy of one SQLite database, because migrating takes seconds."""
    if "PYTEST_XDIST_WORKER" not in os.environ or connection.vendor != "sqlite":
        return False
    name = connection.settings_dict["TEST"]["NAME"]
    shutil.copy(sites.template_site() / "cardroom.sqlite3", name)
    return True


@pytest.fixture(scope="session")
def full_size() -> bool:
    """Whether slow tests run at full size (CARDROOM_FULL=1) or at the size of `make test`."""
    return os.environ.get("CARDROOM_FULL") == "1"


@pytest.fixture(autouse=True, scope="session")
def shared_site_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let the processes of one run create a site's tables and static files only once."""
    folder = tmp_path_factory.getbasetemp()
    sites.run_folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(autouse=True)
def reset_worker_health() -> Iterator[None]:
    """Forget the health of worker processes after each test."""
    yield
    if health := sys.modules.get("bots.workers.health"):
        health._health_by_worker.clear()


@pytest.fixture(autouse=True)
def stop_adopting_orphans() -> Iterator[None]:
    """Undo `adopt_orphans` after each test, so that the next one counts only its own processes."""
    yield
    processes._prctl(processes._PR_SET_CHILD_SUBREAPER, 0)


@pytest.fixture(autouse=True, scope="session")
def quick_flush() -> Iterator[None]:
    """Keep the rows of `migrate` when a test that commits empties its tables, because recreating
    them takes longer than most tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "sql_flush", _sql_flush)
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_args, **_kwargs: None)
        yield


def _sql_flush(style: Any, connection: BaseDatabaseWrapper, **kwargs: Any) -> list[str]:
    tables = set(connection.introspection.django_table_names(only_existing=True))
    tables -= {"auth_permission", "django_content_type"}
    return connection.ops.sql_flush(style, sorted(tables), **kwargs)


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
