"""db.schema: workers wait while the database is not the one that their program is written for."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from celery import current_app
from django.db import ProgrammingError, connection
from django.db.migrations.loader import MigrationLoader
from django.test import Client

from bots import actions as bot_actions
from bots import tasks as bot_tasks
from bots.models import BotVersion, WorkerNode
from bots.workers import health
from cardroom import housekeeping
from cardroom_base.db import schema
from tests import factories as make
from tournaments import tasks, worker
from tournaments.actions import attempts
from tournaments.models import Attempt, Match, StoredRecord
from tournaments.queue.waits import site_facts

pytestmark = pytest.mark.django_db

PLAY: Any = getattr(tasks.play_matches.run, "__func__", None)
CHECK: Any = getattr(bot_tasks.check_version.run, "__func__", None)
TASK = SimpleNamespace(request=SimpleNamespace(hostname="worker@here"), app=current_app)


@pytest.fixture
def migrated() -> Callable[[str], None]:
    """Notes a migration as applied that this program does not have, or takes the note back."""

    def note(what: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM django_migrations WHERE name = '9999_of_tomorrow'")
            if what == "newer":
                cursor.execute(
                    "INSERT INTO django_migrations (app, name, applied) "
                    "VALUES ('tournaments', '9999_of_tomorrow', '2030-01-01 00:00:00')"
                )

    return note


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    paused: list[float] = []
    monkeypatch.setattr(housekeeping, "close_old_connections", lambda: None)
    monkeypatch.setattr("cardroom_base.core.drain.sleep", paused.append)
    monkeypatch.setattr("cardroom_base.db.schema._last_logged", -schema.LOG_SECONDS)
    return paused


def test_the_number_grows_with_every_migration() -> None:
    leaves = MigrationLoader(connection).graph.leaf_nodes()
    ours = [int(name[:4]) for app, name in leaves if app in schema.APPS]
    assert len(ours) == len(schema.APPS)
    assert schema.program_number() == schema.database_number() == sum(ours)


def test_a_worker_waits_until_the_database_is_its_own(
    migrated: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    no_pause: list[float],
    caplog: pytest.LogCaptureFixture,
) -> None:
    make.tournament(2, start=True)
    monkeypatch.setattr(worker, "sandbox_and_core", lambda _: (None, None))
    monkeypatch.setattr(worker, "play_batch", lambda worker, *_, **__: len(attempts.claim(worker)))
    migrated("newer")
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            assert PLAY(TASK) == 0
    assert not Attempt.objects.exists()
    assert no_pause == [schema.PAUSE_SECONDS] * 3  # it does not empty the queue for others
    [said] = [record.getMessage() for record in caplog.records]  # not once a message
    assert "The database is newer" in said
    migrated("back")
    assert PLAY(TASK) == 2
    assert set(Attempt.objects.values_list("schema", flat=True)) == {schema.program_number()}


def test_a_worker_of_tomorrow_waits_as_well(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(schema, "program_number", lambda: schema.database_number() + 1)
    assert schema.pause_if_incompatible()
    assert "The database is older" in caplog.text
    assert "run manage.py migrate" in caplog.text


def test_checks_wait_with_it(migrated: Callable[[str], None]) -> None:
    bot = make.bot()
    waiting = bot_actions.queue_version(bot, make.package("another"), "")
    migrated("newer")
    assert CHECK(TASK, waiting.pk) == "another schema"
    waiting.refresh_from_db()
    assert waiting.status == BotVersion.Status.QUEUED


def test_what_cannot_be_stored_any_more_is_given_back(
    migrated: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    make.tournament(2, start=True)
    [attempt] = attempts.claim("worker@here/1", 1)
    assignment: Any = SimpleNamespace(attempt=attempt.pk, match=attempt.match_id)

    def broken(*_: object) -> bool:
        raise ProgrammingError("column tomorrow does not exist")

    monkeypatch.setattr(attempts, "store_result", broken)
    outcome = make.outcome(attempt.match)
    with pytest.raises(ProgrammingError):  # of something else: the schema is the same
        worker._store_or_give_back(assignment, outcome)
    migrated("newer")
    assert not worker._store_outcome(assignment, outcome, health.of_process("w/1"))
    attempt.refresh_from_db()
    assert attempt.outcome == Attempt.Outcome.FAILED
    assert attempt.cause.startswith("Its result could not be stored. The database is newer")
    match = Match.objects.get(pk=attempt.match_id)
    assert (match.state, match.failures) == (Match.State.WAITING, 0)  # nobody's failure
    assert not StoredRecord.objects.exists()


def test_people_see_which_worker_waits_and_why(
    client: Client, migrated: Callable[[str], None]
) -> None:
    make.worker()
    node = WorkerNode.objects.get()
    assert node.schema == schema.program_number()
    assert node.rules["cassino"]
    assert node.version
    client.force_login(make.user(staff=True))
    assert "than this program" not in client.get("/status/").content.decode()
    migrated("newer")
    number = schema.program_number()
    words = f"than this program ({number}): start the new program there."
    assert words in client.get("/status/").content.decode()
    assert words in site_facts(1).misfit
    make.worker("worker@new")
    WorkerNode.objects.filter(name="worker@new").update(schema=schema.database_number())
    assert site_facts(1).misfit == ""  # that one plays


@pytest.mark.parametrize("what", ["newer", "the same"])
def test_an_old_housekeeper_leaves_everything_alone(
    migrated: Callable[[str], None], what: str, caplog: pytest.LogCaptureFixture
) -> None:
    migrated(what)
    done: list[str] = []
    for name in ("sweep", "relay"):
        housekeeping.run(name, partial(done.append, name))
    assert done == ([] if what == "newer" else ["sweep", "relay"])
    assert caplog.text.count("start the new program there") == (what == "newer"), "said once"
