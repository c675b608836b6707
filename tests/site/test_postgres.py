"""The same tests of actions on a real PostgreSQL, and what only two connections can show."""

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
    *("moments", "clocks", "schema", "failures", "jobs", "housekeepers"),
)
MORE = (
    *("projections", "rounds", "holding", "content_cache", "tallies", "moderation"),
    *(
        "tournaments",
        "planned",
        "schedule",
        "bot_actions",
        "sharing",
        "teams",
        "rules",
        "export_files",
    ),
)
"""At full size only: what they ask of a database others ask as well."""
PLANNED = ("attempts", "sharing", "failures", "queries_of_storing")
"""What workers do: once more as `worker.plan_once` has it done, bound and planned on the server."""
BACKUPS = (
    "what_was_backed_up_plays_on_elsewhere",
    "files_of_exports_are_made_anew",
    "others_write_while_it_is_made",
    "a_site_that_runs_is_left_alone",
    "a_database_that_is_not_empty_is_put_aside_when_forced",
    "a_restore_that_is_cut_off_leaves_what_there_was[KeyboardInterrupt]",
)


TABLES = ("tables", "at_once")
"""What people's tables do."""
MORE_TABLES = ("host", "pages")


def test_actions_and_tables_do_the_same_on_postgresql(
    postgres: Postgres, tmp_path: Path, full_size: bool
) -> None:
    actions = (*MODULES, *MORE) if full_size else MODULES
    tables = (*TABLES, *MORE_TABLES) if full_size else TABLES
    tests = [f"site/test_{name}.py" for name in actions]
    tests += [f"play/test_{name}.py" for name in tables]
    tests += [f"site/test_backups.py::test_{name}" for name in BACKUPS]
    run(tests, migrated_database(postgres), tmp_path)


def test_workers_do_the_same_when_postgresql_plans_once(postgres: Postgres, tmp_path: Path) -> None:
    planned = "server_side_binding=true&prepare_threshold=3"
    tests = [f"site/test_{name}.py" for name in PLANNED]
    run(tests, f"{migrated_database(postgres)}?{planned}", tmp_path)


def run(tests: Sequence[str], url: str, var: Path) -> None:
    """Run tests in a process of their own, since Django chooses its database once. They copy the
    database at `url`.
    """
    done = subprocess.run(
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
    assert done.returncode == 0, done.stdout[-6000:]
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout, json.dumps(done.stdout[-2000:])
