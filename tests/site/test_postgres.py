"""The same tests of actions on a real PostgreSQL, and what only two connections can show."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import Postgres
from tests.sites import ROOT

pytestmark = pytest.mark.postgres

MODULES = (
    *("organizing", "playing_actions", "projections", "bot_actions", "outbox", "concurrency"),
    *("sharing", "teams", "waits"),
)


def test_actions_do_the_same_on_postgresql(postgres: Postgres, tmp_path: Path) -> None:
    """A run of its own: Django's database is chosen once a process."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"),
            *(str(ROOT / "tests" / "site" / f"test_{name}.py") for name in MODULES),
        ],
        env={**os.environ, "DATABASE_URL": postgres.database(), "CARDROOM_VAR": str(tmp_path)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:]
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout, json.dumps(done.stdout[-2000:])
