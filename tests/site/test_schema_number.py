"""db.schema_number: workers wait while the database has another schema than their program."""

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
from cardroom_base.db import schema_number
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
def set_migration() -> Callable[[str], None]:
    """A function that records a migration unknown to this program as applied, or deletes it."""

    def record(state: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM django_migrations WHERE name = '9999_of_tomorrow'")
            if state == "newer":
                cursor.execute(
                    "INSERT INTO django_migrations (app, name, applied) "
                    "VALUES ('tournaments', '9999_of_tomorrow', '2030-01-01 00:00:00')"
                )

    return record


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    seconds: list[float] = []
    monkeypatch.setattr(housekeeping, "close_old_connections", lambda: None)
    monkeypatch.setattr("cardroom_base.core.drain.sleep", seconds.append)
    monkeypatch.setattr("cardroom_base.db.schema_number._last_logged", -schema_number.LOG_SECONDS)
    return seconds


def test_the_number_grows_with_every_migration() -> None:
    leaves = MigrationLoader(connection).graph.leaf_nodes()
    numbers = [int(name[:4]) for app, name in leaves if app in schema_number.APPS]
    assert len(numbers) == len(schema_number.APPS)
    assert schema_number.program_number() == schema_number.database_number() == sum(numbers)


def test_a_worker_waits_while_the_database_is_newer(
    set_migration: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    pauses: list[float],
    caplog: pytest.LogCaptureFixture,
) -> None:
    make.tournament(2, start=True)
    monkeypatch.setattr(worker, "sandbox_and_core", lambda _: (None, None))
    monkeypatch.setattr(worker, "play_batch", lambda worker, *_, **__: len(attempts.claim(worker)))
    set_migration("newer")
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            assert PLAY(TASK) == 0
    assert not Attempt.objects.exists()
    assert pauses == [schema_number.PAUSE_SECONDS] * 3  # it leaves the queue to others
    [message] = [record.getMessage() for record in caplog.records]  # logged once
    assert "The database is newer" in message
    set_migration("back")
    assert PLAY(TASK) == 2
    assert set(Attempt.objects.values_list("schema", flat=True)) == {schema_number.program_number()}


def test_a_worker_waits_while_the_database_is_older(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(
        schema_number, "program_number", lambda: schema_number.database_number() + 1
    )
    assert schema_number.pause_if_incompatible()
    assert "The database is older" in caplog.text
    assert "run manage.py migrate" in caplog.text


def test_checks_wait_for_the_schema(set_migration: Callable[[str], None]) -> None:
    bot = make.bot()
    version = bot_actions.queue_version(bot, make.package("another"), "")
    set_migration("newer")
    assert CHECK(TASK, version.pk) == "another schema"
    version.refresh_from_db()
    assert version.status == BotVersion.Status.QUEUED


def test_a_result_for_another_schema_is_given_back(
    set_migration: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    make.tournament(2, start=True)
    [attempt] = attempts.claim("worker@here/1", 1)
    assignment: Any = SimpleNamespace(attempt=attempt.pk, match=attempt.match_id)

    def broken(*_: object) -> bool:
        raise ProgrammingError("column tomorrow does not exist")

    monkeypatch.setattr(attempts, "store_result", broken)
    outcome = make.outcome(attempt.match)
    with pytest.raises(ProgrammingError):  # the cause is not the schema
        worker._store_or_give_back(assignment, outcome)
    set_migration("newer")
    assert not worker._store_outcome(assignment, outcome, health.of_process("w/1"))
    attempt.refresh_from_db()
    assert attempt.outcome == Attempt.Outcome.FAILED
    assert attempt.cause.startswith("Its result could not be stored. The database is newer")
    match = Match.objects.get(pk=attempt.match_id)
    assert (match.state, match.failures) == (Match.State.WAITING, 0)  # no counted failure
    assert not StoredRecord.objects.exists()


def test_the_status_names_workers_with_another_schema(
    client: Client, set_migration: Callable[[str], None]
) -> None:
    make.worker()
    node = WorkerNode.objects.get()
    assert node.schema == schema_number.program_number()
    assert node.rules["cassino"]
    assert node.version
    client.force_login(make.user(staff=True))
    assert "than this program" not in client.get("/status/").content.decode()
    set_migration("newer")
    number = schema_number.program_number()
    words = f"than this program ({number}): update this program."
    assert words in client.get("/status/").content.decode()
    assert words in site_facts(1).wrong_schema
    make.worker("worker@new")
    WorkerNode.objects.filter(name="worker@new").update(schema=schema_number.database_number())
    assert site_facts(1).wrong_schema == ""  # a matching worker exists


@pytest.mark.parametrize("state", ["newer", "the same"])
def test_an_old_housekeeper_does_nothing(
    set_migration: Callable[[str], None], state: str, caplog: pytest.LogCaptureFixture
) -> None:
    set_migration(state)
    runs: list[str] = []
    for name in ("sweep", "relay"):
        housekeeping.run(name, partial(runs.append, name))
    assert runs == ([] if state == "newer" else ["sweep", "relay"])
    assert caplog.text.count("update this program") == (state == "newer"), "not logged once"
