"""Tests of actions and tables, repeated on a real PostgreSQL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.servers import Postgres
from tests.sites import ROOT, migrated_database

pytestmark = pytest.mark.postgres

MODULES = (
    *("attempts", "outbox", "concurrency", "waits", "database"),
    *("db_time", "clocks", "schema_number", "failures", "jobs", "housekeepers"),
)
FULL_SIZE_MODULES = (
    *("projections", "rounds", "frozen_processes", "content_cache", "tallies", "moderation"),
    *("tournaments", "planned_groups", "schedule", "bot_actions", "scheduler", "teams"),
    *("rules", "export_files"),
)
"""Modules at full size only, because others make the same demands on a database."""
PLANNED = ("attempts", "scheduler", "failures", "query_counts")
"""Modules about workers, repeated with server-side binding and planning as in
`worker.plan_once`."""
BACKUPS = (
    "a_backup_continues_elsewhere",
    "export_files_are_not_restored",
    "other_programs_write_during_a_backup",
    "a_running_site_is_not_restored",
    "force_renames_a_database_that_is_not_empty",
    "an_interrupted_restore_changes_nothing[KeyboardInterrupt]",
)


TABLES = ("tables", "concurrent_tables")
"""Modules about people's tables."""
FULL_SIZE_TABLES = ("host", "pages")


def test_actions_and_tables_work_on_postgresql(
    postgres: Postgres, tmp_path: Path, full_size: bool
) -> None:
    actions = (*MODULES, *FULL_SIZE_MODULES) if full_size else MODULES
    tables = (*TABLES, *FULL_SIZE_TABLES) if full_size else TABLES
    tests = [f"site/test_{name}.py" for name in actions]
    tests += [f"play/test_{name}.py" for name in tables]
    tests += [f"site/test_backups.py::test_{name}" for name in BACKUPS]
    run(tests, migrated_database(postgres), tmp_path)


def test_workers_work_when_postgresql_plans_once(postgres: Postgres, tmp_path: Path) -> None:
    planned = "server_side_binding=true&prepare_threshold=3"
    tests = [f"site/test_{name}.py" for name in PLANNED]
    run(tests, f"{migrated_database(postgres)}?{planned}", tmp_path)


def run(tests: Sequence[str], url: str, var: Path) -> None:
    """Run tests in a separate process, because Django chooses its database once.

    They copy the database at `url`.
    """
    process = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"),
            *(str(ROOT / "tests" / test) for test in tests),
        ],
        env={**os.environ, "DATABASE_URL": url, "CARDROOM_VAR": str(var)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout[-6000:]
    assert " passed" in process.stdout
    assert "skipped" not in process.stdout, json.dumps(process.stdout[-2000:])
