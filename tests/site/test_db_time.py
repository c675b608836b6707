"""cardroom_base.db.db_time: the database's time, in queries and for Python."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.models import F

from cardroom_base.db import db_time
from cardroom_base.db.db_time import (
    READING_SECONDS,
    RETRY_SECONDS,
    Now,
    ahead_ms,
    clock_remark,
    lease_end,
    now,
)
from cardroom_base.models import OutboxMessage

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


# --- in queries ---------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_new_row_has_the_time_of_its_insertion() -> None:
    one = OutboxMessage.objects.create(task="a")
    many = OutboxMessage.objects.bulk_create([OutboxMessage(task="b"), OutboxMessage(task="c")])
    for message in (one, *many):
        assert isinstance(message.created, datetime)
        assert abs(message.created - now()) < timedelta(minutes=1)
        assert message.created == OutboxMessage.objects.get(pk=message.pk).created


@pytest.mark.django_db
def test_times_survive_a_round_trip_through_python() -> None:
    """SQLite compares text with milliseconds: .120 is not .120000, and .000 is not nothing."""
    for _ in range(20):
        message = OutboxMessage.objects.create(task="a")
        assert not message.created.microsecond % 1000 or connection.vendor != "sqlite"
        OutboxMessage.objects.filter(pk=message.pk).update(sent=message.created)
    same = OutboxMessage.objects.filter(sent=F("created"))
    assert same.count() == OutboxMessage.objects.count() == 20
    message = OutboxMessage.objects.create(task="a", created=START)
    rows = OutboxMessage.objects.filter(pk=message.pk, created__gte=START, created__lte=START)
    assert rows.update(sent=START) == 1


@pytest.mark.django_db
def test_times_compare_in_the_database() -> None:
    OutboxMessage.objects.create(task="a")
    OutboxMessage.objects.update(sent=Now(60))
    messages = OutboxMessage.objects
    assert messages.filter(created__lte=Now(), sent__gt=Now()).exists()
    assert messages.filter(sent__gt=Now(30), sent__lte=Now() + timedelta(seconds=60)).exists()
    assert not messages.filter(sent__gt=Now(61)).exists()
    assert messages.filter(sent=F("sent"), created__gt=Now(-30)).exists()
    messages.update(sent=lease_end())
    assert messages.filter(sent__gt=Now(30), sent__lte=Now(60)).exists()


def test_sql_contains_no_fixed_time() -> None:
    """A query that is built once uses the current time at each run."""
    sql, parameters = OutboxMessage.objects.filter(created__lt=Now(5)).query.sql_with_params()
    assert str(datetime.now(UTC).year) not in f"{sql} {parameters}"
    assert Now(5) == Now(5) != Now(6)


# --- for Python ---------------------------------------------------------------------------------


class Clocks:
    """Fake clocks of a machine and its database; the machine's is ten minutes behind."""

    def __init__(self) -> None:
        self.seconds = 100.0
        self.delay = 0.0
        """The seconds that an answer takes."""
        self.queries = 0
        self.is_unavailable = False
        self.renewals = 0
        self.adjustment = timedelta()
        """The change of the machine's clock meanwhile."""
        self.connection = SimpleNamespace(
            vendor="postgresql",
            in_atomic_block=False,
            cursor=lambda: self,
            close_if_unusable_or_obsolete=self.renew,
        )

    def __enter__(self) -> Any:
        if self.is_unavailable:
            raise OperationalError("gone")
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def execute(self, sql: str) -> None:
        self.queries += 1

    def fetchone(self) -> tuple[datetime]:
        answer = (self.database,)
        self.seconds += self.delay
        return answer

    def renew(self) -> None:
        self.renewals += 1

    @property
    def database(self) -> datetime:
        return START + timedelta(seconds=self.seconds)

    @property
    def machine_time(self) -> datetime:
        return self.database - timedelta(minutes=10) + self.adjustment


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    fake = Clocks()
    monkeypatch.setattr(db_time, "connection", fake.connection)
    monkeypatch.setattr(db_time, "_uptime", lambda: fake.seconds)
    monkeypatch.setattr(db_time, "_machine_time", lambda: fake.machine_time)
    monkeypatch.setattr(db_time, "_last_answer", None)
    monkeypatch.setattr(db_time, "_next_reading", 0.0)
    return fake


def test_python_has_the_databases_time_with_few_queries(clocks: Clocks) -> None:
    for _ in range(int(READING_SECONDS)):
        assert now() == clocks.database
        clocks.seconds += 0.9
    assert clocks.queries == 1
    clocks.seconds += READING_SECONDS
    assert (now(), clocks.queries) == (clocks.database, 2)


def test_setting_the_machines_clock_does_not_change_the_time(clocks: Clocks) -> None:
    now()
    clocks.adjustment = timedelta(hours=-3)
    clocks.seconds += 1
    assert now() == clocks.database


def test_the_last_answer_holds_while_the_database_is_unavailable(clocks: Clocks) -> None:
    now()
    clocks.is_unavailable = True
    clocks.seconds += READING_SECONDS + 1
    for _ in range(5):
        assert now() == clocks.database
    assert clocks.renewals == 1  # it does not reconnect at every call
    clocks.is_unavailable = False
    clocks.seconds += RETRY_SECONDS
    assert (now(), clocks.queries) == (clocks.database, 2)


def test_without_any_answer_the_machines_clock_is_used(clocks: Clocks) -> None:
    clocks.is_unavailable = clocks.connection.in_atomic_block = True
    assert now() == clocks.machine_time
    assert clocks.renewals == 0  # a caller's transaction is open
    clocks.is_unavailable = False
    clocks.seconds += RETRY_SECONDS
    assert now() == clocks.database


def test_a_slow_answer_is_only_used_without_a_better_one(clocks: Clocks) -> None:
    now()
    clocks.delay, clocks.seconds = 30.0, clocks.seconds + READING_SECONDS
    assert (now(), clocks.queries) == (clocks.database, 2)
    clocks.seconds += RETRY_SECONDS
    clocks.delay = 0.0
    assert (now(), clocks.queries) == (clocks.database, 3)


def test_ahead_ms_measures_the_machines_clock(clocks: Clocks) -> None:
    assert ahead_ms() == -600_000
    clocks.adjustment = timedelta(minutes=20, milliseconds=250)
    assert ahead_ms() == 600_250
    clocks.adjustment = -timedelta(days=365 * 56)
    assert ahead_ms() == -(2**31 - 1)  # the column's minimum


@pytest.mark.django_db
def test_with_sqlite_there_is_one_clock() -> None:
    assert abs(ahead_ms()) < 5000


@pytest.mark.parametrize(
    ("ahead", "words"),
    [
        (0, ""),
        (5000, ""),
        (-5001, "its clock is 5 seconds behind the database's; "),
        (60_000, "its clock is 60 seconds ahead of the database's; "),
        (-600_000, "its clock is 10 minutes behind the database's; "),
        (3 * 3_600_000, "its clock is 3 hours ahead of the database's; "),
        (-2_000_000_000, "its clock is 23 days behind the database's; "),
    ],
)
def test_remarks_about_wrong_clocks(ahead: int, words: str) -> None:
    assert clock_remark(ahead).startswith(words)
    assert bool(clock_remark(ahead)) == bool(words)
