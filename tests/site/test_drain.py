"""Stopping and draining real workers with bots that think."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from redis import Redis as Lists

from cardroom.processes import die_with_parent
from tests import preloaded
from tests.full_size import FULL_SIZE_ONLY
from tests.preloaded import PreloadedProcess
from tests.servers import Redis, start_redis, wait_for
from tests.sites import ROOT, Site, migrate, remaining_descendants, running_descendants

pytestmark = [pytest.mark.sandbox, pytest.mark.long]

PATIENCE = 120.0
"""The time limit of a step in seconds; the bots would think for longer."""
FOREVER = "100000"
SOON = {"CARDROOM_DRAIN_SECONDS": "0.5"}
NEVER = {"CARDROOM_DRAIN_SECONDS": FOREVER}


@dataclass
class WorkerSite(Site):
    """A site that runs only workers."""

    def make(self, *arguments: str) -> None:
        """Run `thinking.py`."""
        process = preloaded.run(
            [sys.executable, str(ROOT / "tests" / "site" / "thinking.py"), *arguments],
            env=self.env() | {"PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}"},
            cwd=self.var,
        )
        assert process.returncode == 0, process.stderr[-3000:]

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with closing(sqlite3.connect(self.var / "cardroom.sqlite3")) as database:
            return database.execute(query).fetchall()

    def playing(self) -> list[tuple[Any, ...]]:
        """Running matches with moves."""
        return self.rows(
            "SELECT id FROM tournaments_match WHERE state = 'playing' AND moves_played > 0"
        )

    def queued(self) -> int:
        """The number of messages that wait for a worker."""
        with Lists.from_url(self.environment["REDIS_URL"]) as lists:
            return int(lists.llen("matches"))

    def leaves_messages(self) -> bool:
        """Whether the wake-ups of a sweep stay in the queue."""
        self.run("sweep")
        return self.queued() > 0

    @contextmanager
    def worker(self, name: str = "one", processes: int = 1) -> Iterator[subprocess.Popen[bytes]]:
        """A worker, started as in docs/04."""
        command = [
            *(sys.executable, "-m", "celery", "-A", "cardroom", "worker", "-Q", "matches,checks"),
            *("-n", f"{name}@here", "-c", str(processes), "--without-gossip", "--without-mingle"),
        ]
        with self.log.open("ab") as log:
            process = PreloadedProcess(
                command,
                env=self.env() | {"PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}"},
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.var,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def redis() -> Iterator[Redis]:
    with start_redis() as server:
        yield server


@pytest.fixture
def site(tmp_path: Path, redis: Redis) -> WorkerSite:
    with Lists.from_url(redis.url) as lists:
        lists.flushall()
    migrate(tmp_path)
    return WorkerSite(tmp_path, {"REDIS_URL": redis.url}, settings="tests.faults.settings")


def set_environment(site: WorkerSite, **environment: str) -> None:
    site.environment = {**site.environment, **environment}


ATTEMPTS = "SELECT match_id, outcome, cause FROM tournaments_attempt ORDER BY id"


def test_a_long_match_is_given_back_in_time(site: WorkerSite) -> None:
    set_environment(site, **SOON)
    before = running_descendants()
    site.make("tournament", "60")
    with site.worker() as worker:
        wait_for(site.playing, f"Nothing is played: {site.output()}", PATIENCE)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE) == 0
    attempts = site.rows(ATTEMPTS)
    assert {outcome for _, outcome, _ in attempts} == {"failed"}, site.output()
    assert any("did not finish in time" in cause for *_, cause in attempts)
    assert all("given back" in cause for *_, cause in attempts)
    matches = "SELECT DISTINCT state, failures, moves_played FROM tournaments_match"
    assert site.rows(matches) == [("waiting", 0, 0)]
    # The same cards, because no attempt failed.
    assert site.rows("SELECT count(*) FROM tournaments_dealgroup") == [(1,)]
    assert site.rows("SELECT name FROM bots_workernode") == []
    assert remaining_descendants(before) == {}


@FULL_SIZE_ONLY
def test_a_worker_stopped_immediately_gives_back_all_matches(site: WorkerSite) -> None:
    set_environment(site, **NEVER)
    site.make("tournament", "60")
    with site.worker() as worker:
        wait_for(site.playing, f"Nothing is played: {site.output()}", PATIENCE)
        worker.send_signal(signal.SIGTERM)
        worker.send_signal(signal.SIGQUIT)
        worker.wait(PATIENCE)
    assert {outcome for _, outcome, _ in site.rows(ATTEMPTS)} == {"failed"}, site.output()
    matches = "SELECT DISTINCT state, failures, moves_played FROM tournaments_match"
    assert site.rows(matches) == [("waiting", 0, 0)]


def test_a_draining_worker_finishes_its_match_and_begins_no_other(site: WorkerSite) -> None:
    set_environment(site, **NEVER)
    site.make("tournament", "0")
    with site.worker() as worker:
        wait_for(site.playing, f"Nothing is played: {site.output()}", PATIENCE)
        [(match,)] = site.playing()
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE) == 0
    [first, *others] = site.rows(ATTEMPTS)
    assert first == (match, "stored", ""), site.output()
    assert all("had not begun this match" in cause for *_, cause in others)
    states = "SELECT state, failures FROM tournaments_match ORDER BY state"
    assert site.rows(states) == [("finished", 0), ("waiting", 0)]


def test_a_check_is_given_back_without_using_up_a_try(site: WorkerSite) -> None:
    set_environment(site, **SOON)
    site.make("upload")
    with site.worker() as worker:
        running = "SELECT id FROM bots_check WHERE steps LIKE '%running%' AND steps LIKE '%\"ok\"%'"
        wait_for(lambda: site.rows(running), f"Nothing is checked: {site.output()}", PATIENCE)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE) == 0
    checks = "SELECT status, tries, lease_until FROM bots_check JOIN bots_botversion AS version"
    checks += " ON version.id = version_id"
    assert site.rows(checks) == [("queued", 0, None)], site.output()


def test_a_worker_is_drained_by_command_and_resumed(site: WorkerSite) -> None:
    set_environment(site, **SOON)
    site.make("tournament", "60")
    with site.worker():
        wait_for(site.playing, f"Nothing is played: {site.output()}", PATIENCE)
        process = site.run("drain", "one@here")
        assert "one@here: draining, unfinished work: " in process.stdout
        assert process.stdout.endswith("one@here: drained, unfinished work: nothing\n")
        attempts = site.rows(ATTEMPTS)
        assert {outcome for _, outcome, _ in attempts} == {"failed"}, site.output()
        # Wake-ups stay for others.
        wait_for(site.leaves_messages, "The worker takes the messages", PATIENCE)
        assert site.rows(ATTEMPTS) == attempts
        site.run("drain", "one@here", "--resume")
        wait_for(site.playing, f"It does not play again: {site.output()}", PATIENCE)


@FULL_SIZE_ONLY
def test_a_worker_stays_drained_after_a_crash_but_not_after_a_stop(site: WorkerSite) -> None:
    set_environment(site, **SOON)
    is_draining = "SELECT draining IS NOT NULL FROM bots_workernode"
    with site.worker():
        wait_for(lambda: site.rows(is_draining), f"No worker: {site.output()}", PATIENCE)
        site.run("drain", "one@here", "--no-wait")
    site.make("tournament", "60")
    with site.worker() as worker:
        wait_for(site.leaves_messages, "The worker takes the messages", PATIENCE)
        assert site.rows(ATTEMPTS) == []
        assert site.rows(is_draining) == [(1,)]
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE) == 0
    assert site.rows(is_draining) == []


@FULL_SIZE_ONLY
def test_up_waits_for_draining_workers_and_reports_it(site: WorkerSite) -> None:
    set_environment(site, CARDROOM_DRAIN_SECONDS="3")
    before = running_descendants()
    site.make("tournament", "60")
    site.up(workers=1)
    wait_for(site.playing, f"Nothing is played: {site.output()}", PATIENCE)
    assert site.stop() == 0
    output = site.log.read_text()
    assert "Waiting up to 3 s for " in output, output
    assert "is killed" not in output
    assert site.rows("SELECT count(*) FROM tournaments_attempt WHERE outcome = 'lost'") == [(0,)]
    states = "SELECT DISTINCT state, failures FROM tournaments_match"
    assert site.rows(states) == [("waiting", 0)]
    assert remaining_descendants(before) == {}


def test_a_worker_removes_files_of_a_killed_one(site: WorkerSite) -> None:
    common = site.var / "common"
    common.mkdir()
    set_environment(site, TMPDIR=str(common))
    folder = site.var / "tmp" / "one@here"
    query = "SELECT seen FROM bots_workernode"
    with site.worker():
        wait_for(lambda: site.rows(query), f"No worker: {site.output()}", PATIENCE)
    [last_report] = site.rows(query)
    (folder / "left").mkdir()
    with site.worker():
        wait_for(lambda: site.rows(query) != [last_report], f"No worker: {site.output()}", PATIENCE)
    assert not (folder / "left").exists()
    assert list(common.iterdir()) == []
