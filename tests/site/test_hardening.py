"""What the page for operators says is tried: the rights of a worker in the database."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import Postgres
from tests.sites import ROOT

PAGE = ROOT / "docs" / "07-hardening.md"

OWNER = """
import django, re, sys
django.setup()
from django.core.management import call_command
from django.db import connection
call_command("migrate", verbosity=0)
from pathlib import Path
from tests import factories as make
from bots import actions
make.tournament(2, start=True)
one = make.package("", ["cassino/standard/1v1"])
actions.queued(actions.register_bot(make.user(), "Magpie"), one, "")
[sql] = re.findall(r"```sql\\n(.*?)```", Path(sys.argv[1]).read_text(), re.S)
with connection.cursor() as cursor:
    cursor.execute(sql)
"""
WORKER = """
import django
django.setup()
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import ProgrammingError
from bots import tasks as bot_tasks
from bots.actions import forget_worker, report_worker
from bots.models import BotVersion
from bots.sandbox import Sandbox, detect
from cardroom import housekeeping
from tournaments import projections, tasks, worker
from tournaments.models import Tournament
from tournaments.pairing import SYSTEMS
report_worker("worker@here", detect())
queued = BotVersion.objects.get(status="queued")
with Sandbox() as sandbox:
    while worker.play_batch("node/1", sandbox):
        pass
housekeeping.do_asked()
assert Tournament.objects.get().state == "finished"
assert bot_tasks.check_version.apply(kwargs={"version": queued.pk}).get() == "ready"
tasks.sweep()
projections.refresh()
forget_worker("worker@here")
secrets = [User.objects.values_list(name) for name in ("password", "email")]
for rows in (*secrets, Session.objects.all()):
    try:
        list(rows)
    except ProgrammingError as refused:
        assert "permission denied" in str(refused)
    else:
        raise AssertionError(str(rows.query))
print("kept to its rights")
"""


def run(script: str, database: str, var: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script, str(PAGE)],
        env={
            **os.environ,
            "DATABASE_URL": database,
            "CARDROOM_VAR": str(var),
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}",
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.mark.postgres
@pytest.mark.sandbox
def test_a_workers_role_can_do_its_work_and_read_no_passwords(
    postgres: Postgres, tmp_path: Path
) -> None:
    database = postgres.database()
    run(OWNER, database, tmp_path)
    said = run(WORKER, re.sub("cardroom@", "worker@", database), tmp_path)
    assert said == "kept to its rights\n"
