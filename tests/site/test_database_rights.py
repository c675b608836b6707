"""The rights of each service in the database, as the page on hardening describes them."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from cardroom.grants import ROLES
from tests import preloaded
from tests.servers import Postgres
from tests.sites import ROOT

PAGE = ROOT / "docs" / "07-hardening.md"

OWNER = """
import django, io, json, zlib
django.setup()
from django.core.management import call_command
from django.db import connection
call_command("migrate", verbosity=0)
from bots import actions
from cardroom.actions.webhooks import create_webhook
from cardroom.env_files import EnvFile
from cardroom.grants import ROLES
from cardroom_tables import match_cache
from cardroom_tables.actions import hints, moves, opinions
from engine.search.analysis import questions
from engine import Record
from tests import factories as make
from tests.play import hall
from tournaments.actions.analyses import request_analysis
from tournaments.models import Match

make.tournament(2, start=True)
package = make.package("", ["cassino/standard/1v1"])
author = make.user()
create_webhook(author, "https://hook.example/", ["checked"], "standard", "https://cards.example")
actions.queue_version(actions.register_bot(author, "Magpie"), package, "")
bot = make.bot(name="Jay")
# A table with a stranger's bot to move, one with a requested hint, and one with a finished deal.
first = hall.new_table(hall.SHORT, hall.guest())
first.seats.filter(index=1).update(bot=bot.name, version=bot.active_version)
moves.play_move(first, hall.guest(), 0, match_cache.position_of(first).legal_moves()[0])
second = hall.new_table(hall.SHORT, hall.guest("bob"))
hints.request_hint(second, hall.guest("bob"), 0)
hall.finished_table(hall.guest("eve"))
make.finish_all(make.tournament(2, start=True))
played = Match.objects.order_by("pk").last()
request_analysis(played, make.user(), playouts=4)
record = Record.from_json(json.loads(zlib.decompress(played.record.content)))
opinions.request_opinion("0" * 64, next(iter(questions(record))), hall.guest())

with connection.cursor() as cursor:
    for service in ROLES:
        cursor.execute("\\n".join(EnvFile(service).role_statements()))
    sql = io.StringIO()
    call_command("grants", stdout=sql)
    cursor.execute(sql.getvalue())
"""
CHECK_SECRETS = """
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import ProgrammingError
from cardroom.models import Token
from cardroom_base.models import Webhook, WebhookDelivery
def check_secrets(*secrets):
    querysets = [User.objects.values_list(name) for name in ("password", "email")]
    for rows in (*querysets, *(model.objects.all() for model in secrets)):
        try:
            list(rows)
        except ProgrammingError as error:
            assert "permission denied" in str(error)
        else:
            raise AssertionError(str(rows.query))
    print("no secrets are readable")
"""
WORKER = (
    """
import django
django.setup()
from cardroom_base.db import outbox
from bots import tasks as bot_tasks
from bots.actions import forget_worker, report_worker, is_draining
from bots.models import BotVersion
from bots.sandbox import Sandbox, detect
from cardroom import housekeeping
from tournaments import analysing, tasks, worker
from tournaments.actions.attempts import release_worker
from tournaments.models import Analysis
report_worker("worker@here", detect())
assert not is_draining("worker@here")
queued = BotVersion.objects.get(status="queued")
with Sandbox() as sandbox:
    while worker.play_batch("node/1", sandbox):
        pass
assert bot_tasks.check_version.apply(kwargs={"version": queued.pk}).get() == "ready"
while analysing.analyse_piece():
    pass
assert Analysis.objects.get().finished
release_worker("worker@here", lambda pid: False, "It is gone.")
outbox.relay()
forget_worker("worker@here")
"""
    + CHECK_SECRETS
    + "assert WebhookDelivery.objects.count() == 1\n"
    + "check_secrets(Session, Token, Webhook)"
)
TABLES = (
    """
import django
django.setup()
from cardroom_base.db import outbox, schema_number
from bots.sandbox import detect
from cardroom_tables import host, serving
from cardroom_base.db.jobs import release_jobs_of_dead
from cardroom_tables.actions import hosting
from cardroom_tables.models import Comparison, Hint, Opinion, Table, TableMove
from cardroom_tables.overdue_work import overdue_keys
hosting.report_host("tables@here", detect(), 4)
assert not schema_number.pause_if_incompatible()
release_jobs_of_dead(Table.objects.all(), "here", lambda pid: True)
waiting = {
    "table": Table.objects.filter(bots_turn=True),
    "hint": Hint.objects.filter(move=""),
    "comparison": Table.objects.filter(compared=0, deals=1),
    "opinion": Opinion.objects.filter(answer__isnull=True),
}
for kind, rows in waiting.items():
    for work in serving.work_of(kind, list(rows.values_list("pk", flat=True))):
        assert not serving.do_work(work), work
assert not Table.objects.filter(bots_turn=True).exists()
assert Hint.objects.get().move
assert Comparison.objects.count() == 3
assert Opinion.objects.get().answer, Opinion.objects.get().trouble
assert [fault for table in Table.objects.all() for fault in table.faults] == []
assert not any(overdue_keys().values())
serving.stop()
outbox.relay()
hosting.forget_host("tables@here")
"""
    + CHECK_SECRETS
    + "check_secrets(Session, Token, Webhook)"
)
HOUSEKEEPING = (
    """
import django
django.setup()
from django.core.management import call_command
from cardroom import housekeeping, outbound
from cardroom.tasks import tidy_logins
from tournaments.models import Tournament
async def post(url, body, headers):
    return outbound.HostResponse(200, "")
outbound.post = post
errors = []
housekeeping.log.exception = lambda *arguments: errors.append(arguments)
housekeeping.database.log_if_unavailable = lambda error: errors.append(error)
for name, task in housekeeping.TASKS.items():
    if name != "dump":
        housekeeping.run(name, task)
assert errors == [], errors
assert {cup.state for cup in Tournament.objects.all()} == {"finished"}
call_command("keep")
call_command("sweep")
"""
    + CHECK_SECRETS
    + "assert WebhookDelivery.objects.get().status == 200\n"
    + "check_secrets()"
)
SCRIPTS = {"worker": WORKER, "tables": TABLES, "housekeeping": HOUSEKEEPING}
"""By service, in the order of the work."""


def run(script: str, database: str, var: Path) -> str:
    process = preloaded.run(
        [sys.executable, "-c", script],
        env={
            **os.environ,
            "DATABASE_URL": database,
            "CARDROOM_VAR": str(var),
            "CARDROOM_ANALYSIS_PLAYOUTS": "4",
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}",
        },
        cwd=ROOT,
    )
    assert process.returncode == 0, process.stderr[-4000:]
    return process.stdout


@pytest.mark.postgres
@pytest.mark.sandbox
def test_each_services_role_can_do_its_work_and_read_no_passwords(
    postgres: Postgres, tmp_path: Path
) -> None:
    database = postgres.database()
    run(OWNER, database, tmp_path)
    assert set(SCRIPTS) == set(ROLES)
    for service, script in SCRIPTS.items():
        output = run(script, re.sub("cardroom@", f"cardroom-{service}@", database), tmp_path)
        assert "no secrets are readable\n" in output, service


def test_the_page_describes_every_role() -> None:
    rows = re.findall(r"^\| ([a-z]+)(?=[ :].*\|$)", PAGE.read_text(), re.MULTILINE)
    assert set(ROLES) <= set(rows)
