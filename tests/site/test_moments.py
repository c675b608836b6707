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
def test_a_new_row_has_the_moment_at_which_it_was_written() -> None:
    one = OutboxMessage.objects.create(task="a")
    many = OutboxMessage.objects.bulk_create([OutboxMessage(task="b"), OutboxMessage(task="c")])
    for message in (one, *many):
        assert isinstance(message.created, datetime)
        assert abs(message.created - now()) < timedelta(minutes=1)
        assert message.created == OutboxMessage.objects.get(pk=message.pk).created


@pytest.mark.django_db
def test_a_moment_that_went_through_python_is_the_same() -> None:
    """SQLite compares text, and has milliseconds: .120 is not .120000 there, nor nothing .000."""
    for _ in range(20):
        message = OutboxMessage.objects.create(task="a")
        assert not message.created.microsecond % 1000 or connection.vendor != "sqlite"
        OutboxMessage.objects.filter(pk=message.pk).update(sent=message.created)
    same = OutboxMessage.objects.filter(sent=F("created"))
    assert same.count() == OutboxMessage.objects.count() == 20
    whole = OutboxMessage.objects.create(task="a", created=START)
    rows = OutboxMessage.objects.filter(pk=whole.pk, created__gte=START, created__lte=START)
    assert rows.update(sent=START) == 1


@pytest.mark.django_db
def test_moments_compare_in_the_database() -> None:
    OutboxMessage.objects.create(task="a")
    OutboxMessage.objects.update(sent=Now(60))
    messages = OutboxMessage.objects
    assert messages.filter(created__lte=Now(), sent__gt=Now()).exists()
    assert messages.filter(sent__gt=Now(30), sent__lte=Now() + timedelta(seconds=60)).exists()
    assert not messages.filter(sent__gt=Now(61)).exists()
    assert messages.filter(sent=F("sent"), created__gt=Now(-30)).exists()
    messages.update(sent=lease_end())
    assert messages.filter(sent__gt=Now(30), sent__lte=Now(60)).exists()


def test_a_moment_in_sql_can_be_kept() -> None:
    """Its text names no moment: a query that is put together once tells the time for ever."""
    sql, parameters = OutboxMessage.objects.filter(created__lt=Now(5)).query.sql_with_params()
    assert str(datetime.now(UTC).year) not in f"{sql} {parameters}"
    assert Now(5) == Now(5) != Now(6)


# --- for Python ---------------------------------------------------------------------------------


class Clocks:
    """A machine whose clock is ten minutes behind its database's, both in our hands."""

    def __init__(self) -> None:
        self.passed = 100.0
        self.lag = 0.0
        """Seconds that the answer is on its way."""
        self.asked = 0
        self.away = False
        self.renewed = 0
        self.moved = timedelta()
        """How far somebody has moved the machine's clock meanwhile."""
        self.connection = SimpleNamespace(
            vendor="postgresql",
            in_atomic_block=False,
            cursor=lambda: self,
            close_if_unusable_or_obsolete=self.renew,
        )

    def __enter__(self) -> Any:
        if self.away:
            raise OperationalError("gone")
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def execute(self, sql: str) -> None:
        self.asked += 1

    def fetchone(self) -> tuple[datetime]:
        answer = (self.database,)
        self.passed += self.lag
        return answer

    def renew(self) -> None:
        self.renewed += 1

    @property
    def database(self) -> datetime:
        return START + timedelta(seconds=self.passed)

    @property
    def own(self) -> datetime:
        return self.database - timedelta(minutes=10) + self.moved


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    made = Clocks()
    monkeypatch.setattr(db_time, "connection", made.connection)
    monkeypatch.setattr(db_time, "_uptime", lambda: made.passed)
    monkeypatch.setattr(db_time, "_machine_time", lambda: made.own)
    monkeypatch.setattr(db_time, "_last_answer", None)
    monkeypatch.setattr(db_time, "_next_reading", 0.0)
    return made


def test_python_has_the_databases_time_and_asks_for_it_seldom(clocks: Clocks) -> None:
    for _ in range(int(READING_SECONDS)):
        assert now() == clocks.database
        clocks.passed += 0.9
    assert clocks.asked == 1
    clocks.passed += READING_SECONDS
    assert (now(), clocks.asked) == (clocks.database, 2)


def test_a_machine_whose_clock_is_set_goes_on_as_before(clocks: Clocks) -> None:
    now()
    clocks.moved = timedelta(hours=-3)
    clocks.passed += 1
    assert now() == clocks.database


def test_while_the_database_is_away_the_last_answer_holds(clocks: Clocks) -> None:
    now()
    clocks.away = True
    clocks.passed += READING_SECONDS + 1
    for _ in range(5):
        assert now() == clocks.database
    assert clocks.renewed == 1  # it does not try at every call
    clocks.away = False
    clocks.passed += RETRY_SECONDS
    assert (now(), clocks.asked) == (clocks.database, 2)


def test_without_any_answer_the_machines_clock_must_do(clocks: Clocks) -> None:
    clocks.away = clocks.connection.in_atomic_block = True
    assert now() == clocks.own
    assert clocks.renewed == 0  # the transaction is somebody else's
    clocks.away = False
    clocks.passed += RETRY_SECONDS
    assert now() == clocks.database


def test_a_slow_answer_is_only_used_without_a_better_one(clocks: Clocks) -> None:
    now()
    clocks.lag, clocks.passed = 30.0, clocks.passed + READING_SECONDS
    assert (now(), clocks.asked) == (clocks.database, 2)
    clocks.passed += RETRY_SECONDS
    clocks.lag = 0.0
    assert (now(), clocks.asked) == (clocks.database, 3)


def test_a_machine_knows_how_far_its_clock_is_off(clocks: Clocks) -> None:
    assert ahead_ms() == -600_000
    clocks.moved = timedelta(minutes=20, milliseconds=250)
    assert ahead_ms() == 600_250
    clocks.moved = -timedelta(days=365 * 56)
    assert ahead_ms() == -(2**31 - 1)  # as much as the column takes


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
def test_a_wrong_clock_is_told_in_words(ahead: int, words: str) -> None:
    assert clock_remark(ahead).startswith(words)
    assert bool(clock_remark(ahead)) == bool(words)
