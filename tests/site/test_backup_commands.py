"""`manage.py backup` and `restore`: on a running site, and between databases."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.servers import Postgres
from tests.sites import Site, eventually, fetch_json, migrated_database

CUP = """
from tests import factories
source = b"import time\\ndef choose(view, legal):\\n    time.sleep(0.02)\\n    return legal[%d]\\n"
bots = [factories.house_bot(f"house:{n}", source % -n) for n in (0, 1)]
factories.tournament(bots, name="Cup", groups=4, start=True)
"""
"""A tournament that takes some seconds on any machine."""

PLAY = """
import time
from bots.sandbox import Sandbox
from cardroom import housekeeping
from tournaments import tasks, worker
from tournaments.models import Tournament
with Sandbox() as sandbox:
    while Tournament.objects.get().state != "finished":
        tasks.sweep()  # frees the running match
        while worker.play_batch("two/1", sandbox) or housekeeping.answer_requests():
            pass
        time.sleep(0.1)
cup = Tournament.objects.get()
print(cup.state, cup.matches.filter(state="finished").count())
"""
"""The work of the workers and the housekeeper, in one process."""


@pytest.fixture
def sites(tmp_path: Path) -> Iterator[list[Site]]:
    """Two independent sites."""
    pair = [Site(tmp_path / name, settings="tests.faults.settings") for name in ("one", "two")]
    for site in pair:
        site.var.mkdir()
    yield pair
    for site in pair:
        site.end()


@pytest.mark.sandbox
@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="processes as POSIX has them")
def test_a_backup_of_a_running_site_continues_elsewhere(sites: list[Site]) -> None:
    one, two = sites
    one.up(workers=1)
    one.run("shell", "-c", CUP)
    assert eventually(lambda: _finished_matches(one), 120), one.output()
    output = one.run("backup").stdout
    [folder] = (one.var / "backups").iterdir()
    assert f"{folder}: 0 accounts, " in output
    assert "8 matches" in output
    with closing(sqlite3.connect(one.var / "cardroom.sqlite3")) as database:
        assert database.execute("SELECT * FROM cardroom_lastrun WHERE job = 'backup'").fetchone()
    process = one.run("restore", str(folder), "--force", check=False)
    assert process.returncode == 1
    assert "Nothing was restored. Cardroom is already running" in process.stderr
    one.stop()

    output = two.run("restore", str(folder), "--records", "all").stdout
    assert "Now start the site." in output
    assert (two.var / "secret-key").read_text() == (one.var / "secret-key").read_text()
    assert two.run("shell", "-v0", "-c", PLAY).stdout == "finished 8\n"


def _finished_matches(site: Site) -> int:
    return int(fetch_json(f"{site.url}api/v1/matches/?tournament=cup&state=finished")["count"])


@pytest.mark.postgres
def test_postgresql_and_sqlite_refuse_each_others_backups(
    sites: list[Site], postgres: Postgres
) -> None:
    one, two = sites
    one.environment = {"DATABASE_URL": migrated_database(postgres)}
    one.run("backup", "--keep", "1")
    [folder] = (one.var / "backups").iterdir()
    with psycopg.connect(one.environment["DATABASE_URL"], autocommit=True) as server:
        server.execute("CREATE ROLE plain LOGIN")
        server.execute("CREATE DATABASE plain OWNER plain")
    two.environment = {"DATABASE_URL": f"postgres://plain@127.0.0.1:{postgres.port}/plain"}
    assert "Now start the site." in two.run("restore", str(folder)).stdout
    process = two.run("restore", str(folder), "--force", check=False)
    assert "Nothing was restored. The database plain is not empty, and this role" in process.stderr

    two.environment = {}
    process = two.run("restore", str(folder), check=False)
    assert "a backup of postgresql, and DATABASE_URL names a database of sqlite" in process.stderr
