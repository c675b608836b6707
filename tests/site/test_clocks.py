"""Machines work correctly with clocks ten minutes slow or fast."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.db import connection
from django.db.models import F
from django.test import Client
from django.utils import timezone

from bots import isolation_summary
from bots.actions import begin_check, queue_version, quotas, report_worker, unfinished_checks
from bots.models import Check, WorkerNode
from bots.sandbox import Isolation
from cardroom import logins
from cardroom.actions.tokens import find_token, make_token
from cardroom.throttles import AnonThrottle
from cardroom_base.core.errors import ActionError
from cardroom_base.db import db_time, outbox
from cardroom_base.models import OutboxMessage
from tests import factories as make
from tournaments import actions
from tournaments.models import Attempt, Match, Tournament
from tournaments.queue.waits import ended_attempts, matches_per_minute

pytestmark = pytest.mark.django_db

SLOW, FAST = -600, 600
OFF = pytest.mark.parametrize("off", [SLOW, FAST])


@contextmanager
def machine(off: int) -> Iterator[None]:
    """Be a machine with a clock that is `off` seconds ahead."""
    real_time, real_now = time.time, timezone.now

    def shifted_now() -> datetime:
        return real_now() + timedelta(seconds=off)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time", lambda: real_time() + off)
        patch.setattr(timezone, "now", shifted_now)
        if connection.vendor != "sqlite":  # SQLite's database is on the same machine
            patch.setattr(db_time, "_machine_time", shifted_now)
        yield


@pytest.fixture
def cup() -> Tournament:
    return make.tournament(2, groups=2, start=True)


@OFF
def test_a_wrong_clock_does_not_lose_a_long_match(cup: Tournament, off: int) -> None:
    with machine(off):
        [attempt] = actions.claim("w/1", 1)
    assert actions.sweep_attempts() == 0
    with machine(off):
        assert actions.heartbeat([attempt.pk]) == {attempt.pk}
    assert actions.sweep_attempts() == 0
    with machine(off):
        assert actions.store_result(attempt.pk, make.outcome(attempt.match))
    match = Match.objects.get(pk=attempt.match_id)
    attempt.refresh_from_db()
    assert match.finished is not None
    assert attempt.finished is not None
    assert attempt.started <= match.finished <= attempt.finished <= db_time.now()
    assert matches_per_minute(ended_attempts()) > 0


@OFF
@pytest.mark.parametrize("is_renewed", [False, True])
def test_leases_end_by_the_databases_clock(cup: Tournament, off: int, is_renewed: bool) -> None:
    with machine(off):
        [attempt] = actions.claim("w/1", 1)
        if is_renewed:
            actions.heartbeat([attempt.pk])
    passed = timedelta(seconds=settings.LEASE_SECONDS - 30)
    Attempt.objects.update(lease_until=F("lease_until") - passed)
    assert actions.sweep_attempts() == 0
    Attempt.objects.update(lease_until=F("lease_until") - timedelta(seconds=31))
    assert actions.sweep_attempts() == 1


@OFF
def test_a_housekeeper_with_a_wrong_clock_frees_only_expired_work(
    cup: Tournament, off: int
) -> None:
    actions.claim("w/1", 1)
    version = queue_version(make.bot(), make.package("new"), "")
    assert begin_check(version.pk, "w") is not None
    with machine(off):
        assert actions.sweep_attempts() == 0
        assert unfinished_checks() == []
        assert begin_check(version.pk, "x") is None
        assert outbox.purge() == 0
    Attempt.objects.update(lease_until=F("lease_until") - timedelta(seconds=61))
    with machine(off):
        assert actions.sweep_attempts() == 1


@OFF
def test_a_check_is_held_until_its_lease_ends(off: int) -> None:
    version = queue_version(make.bot(), make.package("new"), "")
    with machine(off):
        check = begin_check(version.pk, "w")
        assert check is not None
        assert check.renew()
        assert check.renew(steps=[])
    assert begin_check(version.pk, "x") is None
    Check.objects.update(lease_until=F("lease_until") - timedelta(seconds=61))
    assert unfinished_checks() == [version.pk]
    assert begin_check(version.pk, "x") is not None


@OFF
def test_a_report_with_a_wrong_clock_counts_and_is_remarked(off: int) -> None:
    with machine(off):
        report_worker("worker@b", Isolation("full", (), "Fine.", "a wall"))
        assert len(isolation_summary.recent_workers()) == 1
    [node] = isolation_summary.recent_workers()
    if connection.vendor == "sqlite":
        assert abs(node.clock_ms) < 5000
        return
    assert node.clock_ms == pytest.approx(off * 1000, abs=5000)
    way = "behind" if off < 0 else "ahead of"
    [named], [unnamed] = (
        isolation_summary.clock_remarks([node], named=named) for named in (True, False)
    )
    assert named == f"worker@b: {node.clock_remark}"
    assert f" 10 minutes {way} the database's" in unnamed
    assert "worker@b" not in unnamed


@OFF
def test_the_outbox_uses_the_databases_clock(off: int) -> None:
    with machine(off):
        outbox.announce("a.task")
        assert outbox.has_unsent("a.task")
        assert not outbox.has_unsent("a.task", timedelta(seconds=300))
    assert outbox.has_unsent("a.task")
    OutboxMessage.objects.update(created=F("created") - timedelta(seconds=301))
    with machine(off):
        assert outbox.has_unsent("a.task", timedelta(seconds=300))


@OFF
def test_quotas_and_tokens_use_the_databases_clock(
    off: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = make.user()
    monkeypatch.setattr(settings, "MAX_VERSIONS_PER_DAY", 1)
    with machine(off):
        queue_version(make.bot(owner=owner), make.package("new"), "")
        token, secret = make_token(owner, "t", ["read"], 1)
    with pytest.raises(ActionError, match="within 24 hours"):
        quotas.refuse_too_many_uploads(owner)
    assert token.expires is not None
    remaining = token.expires - db_time.now()
    assert timedelta(hours=23, minutes=59) < remaining <= timedelta(days=1)
    with machine(off):
        assert find_token(secret) == token
        type(token).objects.update(expires=db_time.Now(-1))
        assert find_token(secret) is None


@OFF
def test_login_limits_use_the_databases_clock(client: Client, off: int) -> None:
    make.user("wren")
    with machine(off):
        for number in range(5):
            client.post("/login/", {"login": "wren", "password": f"guess {number}"})
    span = logins.LIMITS[0].minutes * 60
    assert span - 60 < logins.wait("wren", "127.0.0.1") <= span
    with machine(off):
        assert span - 60 < logins.wait("wren", "127.0.0.1") <= span


@OFF
def test_throttles_of_several_web_servers_use_one_clock(off: int) -> None:
    with machine(off):
        time_there = AnonThrottle().timer()
    assert time_there == pytest.approx(AnonThrottle().timer(), abs=60)


@pytest.mark.parametrize("off", [SLOW, 2])
def test_the_status_names_machines_with_wrong_clocks(client: Client, off: int) -> None:
    report_worker("worker@b", Isolation("full", (), "Fine.", "a wall"))
    WorkerNode.objects.update(clock_ms=off * 1000)
    response = client.get("/api/v1/status/")
    assert "worker@b" not in response.content.decode()
    remark = "its clock is 10 minutes behind the database"
    assert [remark in text for text in response.json()["clocks"]] == ([True] if off == SLOW else [])
    client.force_login(make.user(staff=True))
    assert len(client.get("/api/v1/status/").json()["clocks"]) == (off == SLOW)
    page = client.get("/status/").content.decode()
    assert (f"worker@b: {remark}" in page) == (off == SLOW)
