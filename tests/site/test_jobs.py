"""Leased work: one worker at a time holds a job, and lost jobs are found again.

These tests use checks; `test_interrupted` tests every kind.
"""

from __future__ import annotations

import os
import socket

import pytest

from bots.models import Check
from cardroom_base.core import backoff
from cardroom_base.db.db_time import Now, now
from cardroom_base.db.jobs import release_jobs_of_dead
from tests import factories as make
from tests.site.test_bot_actions import upload

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _queued_check() -> None:
    upload(make.user(), name="Magpie")


def row() -> Check:
    return Check.objects.get()


def take(worker: str = "one") -> Check:
    job = Check.objects.take(worker)
    assert job is not None
    return job


def expire() -> None:
    Check.objects.update(lease_until=Now(-1))


def test_one_worker_holds_a_job() -> None:
    job = take()
    assert Check.objects.take("two") is None
    assert Check.objects.take("two", job.pk) is None
    assert (row().worker, row().tries, row().finished) == ("one", 1, None)
    assert job.renew(summary="Half of it.")
    assert row().summary == "Half of it."


def test_a_worker_without_a_name_is_named_by_its_thread() -> None:
    take("")
    assert row().worker.startswith(f"{socket.gethostname()}/{os.getpid()}/")


def test_a_finished_job_is_not_taken() -> None:
    job = take()
    assert job.finish(summary="Fine.")
    assert Check.objects.take("two") is None
    assert (row().summary, row().lease_until, row().trouble) == ("Fine.", None, "")
    assert not job.finish(summary="Twice.")
    assert not job.fail("Too late.")


def test_a_failed_job_stores_the_reason() -> None:
    assert take().fail("x" * 5000)
    assert (row().trouble, row().finished is None) == ("x" * 2000, False)


@pytest.mark.parametrize("name", ["renew", "finish", "retry", "give_back"])
def test_a_worker_without_the_lease_writes_nothing(name: str) -> None:
    late = take()
    expire()
    assert take("two").renew()
    assert not getattr(late, name)(summary="Late.")
    assert (row().worker, row().summary) == ("two", "")


@pytest.mark.parametrize("tries", [0, 5])
def test_a_token_is_never_used_again(tries: int) -> None:
    """This holds for any number of tries, and if the same worker takes the job again."""
    late = take()
    expire()
    assert take().give_back(tries=tries)
    assert take().tries == tries + 1
    assert not late.finish(summary="Late.")
    assert (row().finished, row().lease_until is None) == (None, False), "the other worker holds it"


def test_giving_back_frees_a_job_and_counts_no_try() -> None:
    assert take().give_back()
    assert (row().tries, row().lease_until) == (0, None)
    assert take("two").tries == 1


def test_each_retry_waits_longer() -> None:
    for tries in (1, 2, 3):
        assert take().retry()
        delay = (row().not_before - now()).total_seconds()
        assert abs(delay - backoff.delay(tries).total_seconds()) < 4
        assert Check.objects.take("two") is None
        assert Check.objects.overdue(0, 10) == []
        Check.objects.update(not_before=Now())


def test_untaken_and_expired_jobs_are_overdue() -> None:
    assert Check.objects.overdue(30, 10) == [], "a message may still be on its way"
    Check.objects.update(not_before=Now(-31))
    assert Check.objects.overdue(30, 10) == [row().pk]
    take()
    assert Check.objects.overdue(30, 10) == []
    expire()
    assert Check.objects.overdue(30, 10) == [row().pk]


def test_overdue_jobs_are_sorted_by_age() -> None:
    old = row().pk
    new = upload(make.user(), make.source("another"), name="Jay").check_run.pk
    Check.objects.filter(pk=new).update(not_before=Now(-60))
    assert Check.objects.overdue(0, 10) == [new, old]
    assert Check.objects.overdue(0, 1) == [new]


def test_jobs_of_dead_processes_are_freed() -> None:
    job = take("here/12/7")
    assert release_jobs_of_dead(Check.objects.all(), "there", lambda pid: False) == 0
    assert release_jobs_of_dead(Check.objects.all(), "here", lambda pid: pid == "12") == 0
    assert release_jobs_of_dead(Check.objects.all(), "here", lambda pid: pid != "12") == 1
    assert not job.finish()
    assert take("here/13/1").tries == 2
