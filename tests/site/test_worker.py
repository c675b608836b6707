"""tournaments.worker and the tasks: real bots, real sandboxes, one process."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, OperationalError

from bots import package_store
from bots import tasks as bot_tasks
from bots.models import StoredPackage
from bots.sandbox import Isolation, Sandbox, pool
from bots.workers import health
from cardroom_base.core import drain, log_context
from tests import factories as make
from tournaments import lease_renewal, projections, tasks, worker
from tournaments.actions import attempts
from tournaments.models import Attempt, Match, StoredRecord

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sandbox]

CRASHES = b"raise SystemExit('no')\n"
LOUD = b"def choose(view, legal):\n    print('I see', len(legal))\n    return legal[0]\n"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(warm=2) as made:
        yield made


@pytest.fixture(autouse=True)
def memory_is_empty(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "PACKAGE_CACHE", tmp_path)
    package_store.forget()


@pytest.fixture(autouse=True)
def speed_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow machine neither ends a batch early nor gives matches back."""
    monkeypatch.setattr(worker, "BATCH_SECONDS", 3600.0)
    monkeypatch.setattr(lease_renewal, "LIVE_SECONDS", 3600.0)


class Rests:
    """Keeps how long the process would rest, and does not; after `most` the worker drains."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, most: int = 1000) -> None:
        self.seconds: list[float] = []
        self._most = most
        monkeypatch.setattr(drain, "sleep", self)

    def __call__(self, seconds: float) -> bool:
        self.seconds.append(seconds)
        return len(self.seconds) >= self._most


def play_all(sandbox: Sandbox) -> int:
    played = 0
    while some := worker.play_batch("node/1", sandbox):
        played += some
        make.housekeep()
    return played


def test_a_tournament_is_played_to_its_end(sandbox: Sandbox) -> None:
    loud = make.house_bot("house:loud", LOUD)
    cup = make.tournament([loud, make.bot(), make.house_bot("house:bad", CRASHES)], start=True)
    assert play_all(sandbox) == 6
    cup.refresh_from_db()
    assert cup.state == "finished"
    assert not Attempt.objects.exclude(outcome="stored").exists()
    bad = cup.matches.filter(faulted=True)
    assert bad.count() == 4
    for match in bad:
        assert set(match.seats.values_list("version__bot__name", "fault")) >= {
            ("house:bad", "start")
        } or set(match.seats.values_list("version__bot__name", "fault")) >= {("house:bad", "crash")}
    assert projections.update_live() == 0  # the housekeeper did it


def test_the_same_seed_and_bots_give_the_same_records(sandbox: Sandbox) -> None:
    bots = [make.house_bot("house:loud", LOUD), make.house_bot("house:one")]
    moves = []
    for _ in range(2):
        cup = make.tournament(bots, seed="one", start=True)
        play_all(sandbox)
        rows = cup.matches.order_by("pk").values_list("results__score", "record__moves")
        moves.append(list(rows))
    assert moves[0] == moves[1]


def test_a_failure_of_ours_is_an_attempt_not_a_result(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.tournament(2, start=True)

    seeds: list[str] = []
    logged: list[Any] = []

    def broken(_: Any, seed: str, *__: Any, **___: Any) -> None:
        seeds.append(seed)
        logged.append(log_context.current_fields())
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
    # Each time the cards changed, and the other match was not played with those of before.
    assert (len(set(seeds)), seeds[4]) == (5, seeds[5])
    assert not StoredRecord.objects.exists()
    matches = dict(Attempt.objects.values_list("pk", "match"))
    assert [matches[fields["attempt"]] for fields in logged] == [f["match"] for f in logged]


def test_a_damaged_package_is_a_failure_with_its_cause(sandbox: Sandbox) -> None:
    cup = make.tournament(2, start=True)
    StoredPackage.objects.update(content=b"not a zip")
    worker.play_batch("node/1", sandbox)
    cause = Attempt.objects.filter(match__tournament=cup).values_list("cause", flat=True)[0]
    assert "PackageError" in cause


def test_a_match_that_cannot_be_prepared_does_not_hold_the_others(sandbox: Sandbox) -> None:
    bad = make.bot(content=b"# bad\n" + LOUD)
    cup = make.tournament([bad, make.bot(), make.bot()], start=True)
    version = bad.active_version
    assert version is not None
    StoredPackage.objects.filter(pk=version.package_id).update(content=b"not a zip")
    claimed = attempts.claim("node/1", 100)
    assert worker._play_all(claimed, sandbox, health.of_process("node/1"), None) == 2
    others = cup.matches.exclude(seats__version=version)
    assert set(others.values_list("state", flat=True)) == {"finished"}
    failed = Attempt.objects.filter(outcome="failed")
    assert set(failed.values_list("match__seats__version__bot", flat=True)) >= {bad.pk}
    assert failed.count() == 4
    assert not health.of_process("node/1").ill  # its author's bot was in all of them


def test_where_there_is_no_sandbox_messages_are_left_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rests = Rests(monkeypatch)
    own = health.of_process("node/1")
    with Sandbox(trusted=True) as open_:
        worker.play_batch("node/1", open_)
        own.wait_until_ready()
        make.tournament([make.house_bot("house:a"), make.house_bot("house:b")], start=True)
        assert worker.play_batch("node/1", open_) == 2
        own.wait_until_ready()
        make.tournament(2, start=True)
        worker.play_batch("node/1", open_)
        own.wait_until_ready()
    assert rests.seconds == [0, 0, 5]


def test_a_sandbox_that_somebody_mends_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    isolation = Isolation("none", (), "No bubblewrap.")
    monkeypatch.setattr(worker, "detect", lambda: isolation)
    monkeypatch.setattr(pool, "detect", lambda: Isolation("full", (), "Fine."))
    worker.close_sandbox()  # an earlier test of this process may have left a place
    try:
        assert worker.sandbox_and_core()[0].trusted
        isolation = Isolation("full", (), "Fine.")
        assert not worker.sandbox_and_core()[0].trusted
    finally:
        worker.close_sandbox()


def test_a_process_that_is_ill_rests_with_its_message(monkeypatch: pytest.MonkeyPatch) -> None:
    cup = make.tournament(2, start=True)
    monkeypatch.setattr(worker, "play_match", _on_fire)
    monkeypatch.setattr(health.Health, "test", lambda _: "No sandbox.")
    rests = Rests(monkeypatch, most=3)
    assert tasks.play_matches.apply().get() == 0
    assert rests.seconds == [5, 10, 20]
    assert Attempt.objects.filter(cause__contains="on fire").count() == 1
    make.end_retry_delays()
    before = Attempt.objects.count()
    assert tasks.play_matches.apply().get() == 0
    assert Attempt.objects.count() == before  # nothing was claimed
    assert not cup.matches.filter(state="stuck").exists()


def _on_fire(*_: Any, **__: Any) -> None:
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


def test_a_result_waits_for_a_database_that_is_away(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.tournament(2, start=True)
    real, calls = attempts.store_result, []

    def flaky(*arguments: Any) -> bool:
        calls.append(arguments)
        if len(calls) == 1:
            raise OperationalError("gone")
        if len(calls) == 2:
            real(*arguments)  # it got through, but the answer was lost
            raise OperationalError("gone")
        return real(*arguments)

    monkeypatch.setattr(attempts, "store_result", flaky)
    monkeypatch.setattr(worker, "STORE_DELAYS", (0.0, 0.01, 0.01))
    worker.play_batch("node/1", sandbox)
    assert set(Match.objects.values_list("state", flat=True)) == {"finished"}
    assert set(Attempt.objects.values_list("outcome", flat=True)) == {"stored"}
    assert StoredRecord.objects.count() == 2


def test_a_result_that_can_never_be_stored_fails_its_attempt_alone(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.tournament(2, start=True)
    real, calls = attempts.store_result, []

    def refuses_the_first(*arguments: Any) -> bool:
        calls.append(arguments)
        if len(calls) == 1:
            raise IntegrityError("It is there already.")
        return real(*arguments)

    monkeypatch.setattr(attempts, "store_result", refuses_the_first)
    play_all(sandbox)
    make.end_retry_delays()
    play_all(sandbox)
    found = list(Attempt.objects.order_by("pk").values_list("outcome", "cause"))
    assert found[0] == ("failed", "IntegrityError: It is there already.")
    assert Match.objects.filter(state="finished").count() == 2  # with new cards
    assert not Attempt.objects.filter(outcome="running").exists()


def test_who_loses_the_lease_stops_playing(
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


def test_a_slow_match_holds_up_no_other(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = make.tournament(3, start=True)
    claimed = attempts.claim("node/1", 4)
    (slow, next_), own = worker.load_assignments(claimed)[:2], health.of_process("node/1")
    with lease_renewal.Leases(claimed) as leases:
        leases.begin_match(slow.attempt, slow.match, slow.clock)
        leases.give_back_unbegun()
        assert Attempt.objects.filter(outcome="running").count() == 4  # it has only begun
        assert leases._current is not None
        leases._current.live_from = 0.0
        with monkeypatch.context() as broken:
            broken.setattr(attempts, "release_attempts", _gone)
            leases.give_back_unbegun()
        leases.give_back_unbegun()
        assert not worker._play_one(next_, leases, sandbox, own)
        assert leases._held_attempts == {slow.attempt}
        assert worker._play_one(slow, leases, sandbox, own)
    assert list(Attempt.objects.order_by("pk").values_list("outcome", flat=True)) == [
        *("stored", "failed", "failed", "failed")
    ]
    others = cup.matches.filter(attempts__outcome="failed")
    assert set(others.values_list("state", "failures")) == {("waiting", 0)}


def _gone(*_: Any) -> None:
    raise OperationalError("gone")


def test_a_batch_begins_with_one_match(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    make.tournament(3, start=True)
    limits: list[int] = []
    real = attempts.claim

    def claim(node: str, limit: int, **options: Any) -> list[Attempt]:
        limits.append(limit)
        return real(node, limit, **options)

    monkeypatch.setattr(attempts, "claim", claim)
    worker.play_batch("node/1", sandbox)
    assert limits[0] == 1


def test_leases_are_not_renewed_when_the_referee_hangs(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(settings, "HEARTBEAT_SECONDS", 0.01)
    monkeypatch.setattr(lease_renewal, "GRACE_SECONDS", -1.0)
    told: list[bool] = []
    with (
        caplog.at_level(logging.ERROR),
        lease_renewal.Leases([], lambda: told.append(True)) as leases,
    ):
        leases._thread.join(5)
        assert not leases._thread.is_alive()
    assert "no progress" in caplog.text
    assert told == [True]


@pytest.mark.parametrize(("content", "verdict"), [(make.source(), "ready"), (CRASHES, "rejected")])
def test_a_version_is_checked(content: bytes, verdict: str) -> None:
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
    again = bot_tasks.check_version.apply(kwargs={"version": version.pk}).get()
    assert again == "nothing to do"
