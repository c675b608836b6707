"""tournaments.worker and the tasks, with real bots and sandboxes in one process."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, OperationalError

from bots import package_store
from bots import tasks as bot_tasks
from bots.models import StoredPackage
from bots.sandbox import Isolation, Sandbox, pick_cpu, pool
from bots.workers import health
from cardroom_base.core import drain, log_context
from tests import factories as make
from tournaments import lease_renewal, projections, tasks, worker
from tournaments.actions import attempts
from tournaments.models import Attempt, Match, StoredRecord

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sandbox]

PRINTS_CORES = b"import os\nprint('cores', *os.sched_getaffinity(0))\n"
CRASHING_BOT = b"raise SystemExit('no')\n"
LOUD_BOT = b"def choose(view, legal):\n    print('I see', len(legal))\n    return legal[0]\n"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(warm=2) as sandbox:
        yield sandbox


@pytest.fixture(autouse=True)
def empty_package_cache(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "PACKAGE_CACHE", tmp_path)
    package_store.forget()


@pytest.fixture(autouse=True)
def no_time_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a slow machine neither end a batch early nor give matches back."""
    monkeypatch.setattr(worker, "BATCH_SECONDS", 3600.0)
    monkeypatch.setattr(lease_renewal, "LIVE_SECONDS", 3600.0)


class Pauses:
    """Records pauses of the process and skips them; after `maximum` the worker drains."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, maximum: int = 1000) -> None:
        self.seconds: list[float] = []
        self._maximum = maximum
        monkeypatch.setattr(drain, "sleep", self)

    def __call__(self, seconds: float) -> bool:
        self.seconds.append(seconds)
        return len(self.seconds) >= self._maximum


def play_all(sandbox: Sandbox) -> int:
    count = 0
    while results := worker.play_batch("node/1", sandbox):
        count += results
        make.housekeep()
    return count


def test_a_tournament_is_played_to_its_end(sandbox: Sandbox) -> None:
    loud = make.house_bot("house:loud", LOUD_BOT)
    cup = make.tournament([loud, make.bot(), make.house_bot("house:bad", CRASHING_BOT)], start=True)
    assert play_all(sandbox) == 6
    cup.refresh_from_db()
    assert cup.state == "finished"
    assert not Attempt.objects.exclude(outcome="stored").exists()
    faulted_matches = cup.matches.filter(faulted=True)
    assert faulted_matches.count() == 4
    for match in faulted_matches:
        assert set(match.seats.values_list("version__bot__name", "fault")) >= {
            ("house:bad", "start")
        } or set(match.seats.values_list("version__bot__name", "fault")) >= {("house:bad", "crash")}
    assert projections.update_live() == 0  # the housekeeper did it


def test_the_same_seed_and_bots_give_the_same_records(sandbox: Sandbox) -> None:
    bots = [make.house_bot("house:loud", LOUD_BOT), make.house_bot("house:one")]
    moves = []
    for _ in range(2):
        cup = make.tournament(bots, seed="one", start=True)
        play_all(sandbox)
        rows = cup.matches.order_by("pk").values_list("results__score", "record__moves")
        moves.append(list(rows))
    assert moves[0] == moves[1]


def test_a_failure_of_the_site_is_no_result(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.tournament(2, start=True)

    seeds: list[str] = []
    log_fields: list[Any] = []

    def broken(_: Any, seed: str, *__: Any, **___: Any) -> None:
        seeds.append(seed)
        log_fields.append(log_context.current_fields())
        raise RuntimeError("The machine is on fire.")

    monkeypatch.setattr(worker, "play_match", broken)
    for _ in range(2 * settings.MAX_ATTEMPTS):  # a batch ends with the first failure
        make.end_retry_delays()
        assert worker.play_batch("node/1", sandbox) == 0
    counting = Match.objects.filter(deal_group__retired=None)
    assert list(counting.values_list("state", "failures")) == [("stuck", 5)] * 2
    assert set(Attempt.objects.filter(match__in=counting).values_list("outcome", "cause")) == {
        ("failed", "RuntimeError: The machine is on fire.")
    }
    # The cards changed each time, and the other match was not played with old cards.
    assert (len(set(seeds)), seeds[4]) == (5, seeds[5])
    assert not StoredRecord.objects.exists()
    matches = dict(Attempt.objects.values_list("pk", "match"))
    assert [matches[fields["attempt"]] for fields in log_fields] == [f["match"] for f in log_fields]


def test_a_damaged_package_is_a_failure_with_its_cause(sandbox: Sandbox) -> None:
    cup = make.tournament(2, start=True)
    StoredPackage.objects.update(content=b"not a zip")
    worker.play_batch("node/1", sandbox)
    cause = Attempt.objects.filter(match__tournament=cup).values_list("cause", flat=True)[0]
    assert "PackageError" in cause


def test_an_unpreparable_match_does_not_stop_others(sandbox: Sandbox) -> None:
    bad_bot = make.bot(content=b"# bad\n" + LOUD_BOT)
    cup = make.tournament([bad_bot, make.bot(), make.bot()], start=True)
    version = bad_bot.active_version
    assert version is not None
    StoredPackage.objects.filter(pk=version.package_id).update(content=b"not a zip")
    claimed = attempts.claim("node/1", 100)
    assert worker._play_all(claimed, sandbox, health.of_process("node/1"), None) == 2
    others = cup.matches.exclude(seats__version=version)
    assert set(others.values_list("state", flat=True)) == {"finished"}
    failed = Attempt.objects.filter(outcome="failed")
    assert set(failed.values_list("match__seats__version__bot", flat=True)) >= {bad_bot.pk}
    assert failed.count() == 4
    assert not health.of_process("node/1").ill  # all had the same author's bot


def test_a_worker_without_a_sandbox_leaves_messages_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses = Pauses(monkeypatch)
    process_health = health.of_process("node/1")
    with Sandbox(trusted=True) as trusted:
        worker.play_batch("node/1", trusted)
        process_health.wait_until_ready()
        make.tournament([make.house_bot("house:a"), make.house_bot("house:b")], start=True)
        assert worker.play_batch("node/1", trusted) == 2
        process_health.wait_until_ready()
        make.tournament(2, start=True)
        worker.play_batch("node/1", trusted)
        process_health.wait_until_ready()
    assert pauses.seconds == [0, 0, 5]


def test_a_repaired_sandbox_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    isolation = Isolation("none", (), "No bubblewrap.")
    monkeypatch.setattr(worker, "detect", lambda: isolation)
    monkeypatch.setattr(pool, "detect", lambda: Isolation("full", (), "Fine."))
    worker.close_sandbox()  # an earlier test may have opened one
    try:
        assert worker.sandbox_and_core()[0].trusted
        isolation = Isolation("full", (), "Fine.")
        assert not worker.sandbox_and_core()[0].trusted
    finally:
        worker.close_sandbox()


def test_an_ill_process_pauses_with_its_message(monkeypatch: pytest.MonkeyPatch) -> None:
    cup = make.tournament(2, start=True)
    monkeypatch.setattr(worker, "play_match", _fail)
    monkeypatch.setattr(health.Health, "test", lambda _: "No sandbox.")
    pauses = Pauses(monkeypatch, maximum=3)
    assert tasks.play_matches.apply().get() == 0
    assert pauses.seconds == [5, 10, 20]
    assert Attempt.objects.filter(cause__contains="on fire").count() == 1
    make.end_retry_delays()
    before = Attempt.objects.count()
    assert tasks.play_matches.apply().get() == 0
    assert Attempt.objects.count() == before  # nothing was claimed
    assert not cup.matches.filter(state="stuck").exists()


def _fail(*_: Any, **__: Any) -> None:
    raise RuntimeError("The machine is on fire.")


def test_a_package_is_fetched_from_the_database_once_and_a_bad_copy_replaced(tmp_path: Any) -> None:
    version = make.bot().active_version
    assert version is not None
    digest = version.package_id
    package = package_store.fetch(digest)
    [copy] = tmp_path.rglob("*.zip")
    StoredPackage.objects.update(content=b"gone")
    package_store.forget()
    assert package_store.fetch(digest) == package
    copy.write_bytes(b"damaged")
    package_store.forget()
    StoredPackage.objects.update(content=package.to_bytes())
    assert package_store.fetch(digest) == package
    assert copy.read_bytes() == package.to_bytes()


def test_unused_copies_of_packages_are_deleted(tmp_path: Path) -> None:
    version = make.bot().active_version
    assert version is not None
    package_store.fetch(version.package_id)
    [copy] = tmp_path.rglob("*.zip")
    unused, used = copy.with_name("unused.zip"), copy.with_name("used.zip")
    for path in (unused, used, copy):
        path.write_bytes(copy.read_bytes())
    for path in (unused, copy):
        os.utime(path, (0, 0))
    package_store.forget()
    package_store.fetch(version.package_id)
    assert copy.stat().st_mtime > 0
    copy.write_bytes(b"damaged")  # so that the next fetch writes a copy
    package_store.forget()
    package_store.fetch(version.package_id)
    assert sorted(copy.parent.iterdir()) == sorted([copy, used])


def test_a_result_waits_for_an_unavailable_database(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.tournament(2, start=True)
    store, calls = attempts.store_result, []

    def store_or_fail(*arguments: Any) -> bool:
        calls.append(arguments)
        if len(calls) == 1:
            raise OperationalError("gone")
        if len(calls) == 2:
            store(*arguments)  # stored, but the answer is lost
            raise OperationalError("gone")
        return store(*arguments)

    monkeypatch.setattr(attempts, "store_result", store_or_fail)
    monkeypatch.setattr(worker, "STORE_DELAYS", (0.0, 0.01, 0.01))
    worker.play_batch("node/1", sandbox)
    assert set(Match.objects.values_list("state", flat=True)) == {"finished"}
    assert set(Attempt.objects.values_list("outcome", flat=True)) == {"stored"}
    assert StoredRecord.objects.count() == 2


def test_an_unstorable_result_fails_only_its_attempt(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.tournament(2, start=True)
    store, calls = attempts.store_result, []

    def store_or_fail(*arguments: Any) -> bool:
        calls.append(arguments)
        if len(calls) == 1:
            raise IntegrityError("It is there already.")
        return store(*arguments)

    monkeypatch.setattr(attempts, "store_result", store_or_fail)
    play_all(sandbox)
    make.end_retry_delays()
    play_all(sandbox)
    rows = list(Attempt.objects.order_by("pk").values_list("outcome", "cause"))
    assert rows[0] == ("failed", "IntegrityError: It is there already.")
    assert Match.objects.filter(state="finished").count() == 2  # with new cards
    assert not Attempt.objects.filter(outcome="running").exists()


def test_a_worker_without_the_lease_stops_playing(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cup = make.tournament(2, start=True)
    claimed = attempts.claim("node/1", 1)
    for attempt in claimed:
        attempts.fail_attempt(attempt.pk, "Taken away.")
    with caplog.at_level(logging.WARNING), lease_renewal.Leases(claimed) as leases:
        leases.renew()
        [assignment] = worker.load_assignments(claimed)
        assert not worker._play_one(assignment, leases, sandbox, health.of_process("node/1"))
    assert "left to another worker" in caplog.text
    assert cup.matches.filter(state="waiting").count() == 2


def test_a_slow_match_does_not_delay_others(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = make.tournament(3, start=True)
    claimed = attempts.claim("node/1", 4)
    (slow, next_), process_health = (
        worker.load_assignments(claimed)[:2],
        health.of_process("node/1"),
    )
    with lease_renewal.Leases(claimed) as leases:
        leases.begin_match(slow.attempt, slow.match, slow.clock)
        leases.give_back_unbegun()
        assert Attempt.objects.filter(outcome="running").count() == 4  # the match has just begun
        assert leases._current is not None
        leases._current.live_from = 0.0
        with monkeypatch.context() as patch:
            patch.setattr(attempts, "release_attempts", _fail_to_connect)
            leases.give_back_unbegun()
        leases.give_back_unbegun()
        assert not worker._play_one(next_, leases, sandbox, process_health)
        assert leases._held_attempts == {slow.attempt}
        assert worker._play_one(slow, leases, sandbox, process_health)
    assert list(Attempt.objects.order_by("pk").values_list("outcome", flat=True)) == [
        *("stored", "failed", "failed", "failed")
    ]
    others = cup.matches.filter(attempts__outcome="failed")
    assert set(others.values_list("state", "failures")) == {("waiting", 0)}


def _fail_to_connect(*_: Any) -> None:
    raise OperationalError("gone")


def test_a_batch_begins_with_one_match(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    make.tournament(3, start=True)
    limits: list[int] = []
    claim_matches = attempts.claim

    def claim(node: str, limit: int, **options: Any) -> list[Attempt]:
        limits.append(limit)
        return claim_matches(node, limit, **options)

    monkeypatch.setattr(attempts, "claim", claim)
    worker.play_batch("node/1", sandbox)
    assert limits[0] == 1


def test_leases_are_not_renewed_when_the_referee_hangs(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(settings, "HEARTBEAT_SECONDS", 0.01)
    monkeypatch.setattr(lease_renewal, "GRACE_SECONDS", -1.0)
    calls: list[bool] = []
    with (
        caplog.at_level(logging.ERROR),
        lease_renewal.Leases([], lambda: calls.append(True)) as leases,
    ):
        leases._thread.join(5)
        assert not leases._thread.is_alive()
    assert "no progress" in caplog.text
    assert calls == [True]


@pytest.mark.parametrize(
    ("content", "verdict"), [(PRINTS_CORES + make.source(), "ready"), (CRASHING_BOT, "rejected")]
)
def test_a_version_is_checked(content: bytes, verdict: str) -> None:
    """It keeps to the core of its process: else it could signal to a match in another process."""
    from bots import actions
    from bots.package.package import Package

    bot = actions.register_bot(make.user(), "Magpie")
    files = {"bot.py": content, "cardroom.toml": b'formats = ["cassino/standard/1v1"]'}
    version = actions.queue_version(bot, Package.load(make.zip_archive(files), "bot.zip"), "")
    assert bot_tasks.check_version.apply(kwargs={"version": version.pk}).get() == verdict
    version.refresh_from_db()
    assert version.status == verdict
    assert version.check_run.summary
    assert {step["name"] for step in version.check_run.steps} >= {"package", "start"}
    if content.startswith(PRINTS_CORES):
        assert f"cores {pick_cpu(0)}\n" in version.check_run.log
    second = bot_tasks.check_version.apply(kwargs={"version": version.pk}).get()
    assert second == "nothing to do"
