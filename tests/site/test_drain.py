"""Workers that are told to stop, or to take no more work: real ones, with bots that think."""

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
from tests.full_size import FULL_SIZE_ONLY
from tests.servers import Redis, start_redis, wait_for
from tests.sites import ROOT, Site, migrate, remaining_descendants, running_descendants

pytestmark = [pytest.mark.sandbox, pytest.mark.long]

PATIENCE = 120.0
"""Seconds for what takes a few; the bots would think for longer."""
FOREVER = "100000"
SOON = {"CARDROOM_DRAIN_SECONDS": "0.5"}
NEVER = {"CARDROOM_DRAIN_SECONDS": FOREVER}


@dataclass
class Place(Site):
    """A site of which only a worker runs, and its database."""

    def make(self, *arguments: str) -> None:
        """Have something made by `thinking.py`."""
        done = subprocess.run(
            [sys.executable, str(ROOT / "tests" / "site" / "thinking.py"), *arguments],
            env=self.env() | {"PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}"},
            capture_output=True,
            text=True,
            check=False,
            cwd=self.var,
        )
        assert done.returncode == 0, done.stderr[-3000:]

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What the database says."""
        with closing(sqlite3.connect(self.var / "cardroom.sqlite3")) as database:
            return database.execute(query).fetchall()

    def playing(self) -> list[tuple[Any, ...]]:
        """Matches of which moves have been seen."""
        found = "SELECT id FROM tournaments_match WHERE state = 'playing' AND moves_played > 0"
        return self.rows(found)

    def queued(self) -> int:
        """Messages that wait for somebody who plays."""
        with Lists.from_url(self.environment["REDIS_URL"]) as lists:
            return int(lists.llen("matches"))

    def leaves_messages(self) -> bool:
        """Whether wake-ups that the sweep sends stay in the queue."""
        self.run("sweep")
        return self.queued() > 0

    @contextmanager
    def worker(self, name: str = "one", processes: int = 1) -> Iterator[subprocess.Popen[bytes]]:
        """A worker as docs/04 starts it."""
        command = [
            *(sys.executable, "-m", "celery", "-A", "cardroom", "worker", "-Q", "matches,checks"),
            *("-n", f"{name}@here", "-c", str(processes), "--without-gossip", "--without-mingle"),
        ]
        with self.log.open("ab") as log:
            process = subprocess.Popen(
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
def place(tmp_path: Path, redis: Redis) -> Place:
    with Lists.from_url(redis.url) as lists:
        lists.flushall()
    migrate(tmp_path)
    return Place(tmp_path, {"REDIS_URL": redis.url}, settings="tests.faults.settings")


def told(place: Place, **environment: str) -> None:
    place.environment = {**place.environment, **environment}


ATTEMPTS = "SELECT match_id, outcome, cause FROM tournaments_attempt ORDER BY id"


def test_a_long_match_is_given_back_in_time(place: Place) -> None:
    told(place, **SOON)
    before = running_descendants()
    place.make("tournament", "60")
    with place.worker() as worker:
        wait_for(place.playing, f"Nothing is played: {place.output()}", PATIENCE)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE) == 0
    attempts = place.rows(ATTEMPTS)
    assert {outcome for _, outcome, _ in attempts} == {"failed"}, place.output()
    assert any("did not finish in time" in cause for *_, cause in attempts)
    assert all("given back" in cause for *_, cause in attempts)
    matches = "SELECT DISTINCT state, failures, moves_played FROM tournaments_match"
    assert place.rows(matches) == [("waiting", 0, 0)]
    # The same cards: nobody has failed.
    assert place.rows("SELECT count(*) FROM tournaments_dealgroup") == [(1,)]
    assert place.rows("SELECT name FROM bots_workernode") == []
    assert remaining_descendants(before) == {}


@FULL_SIZE_ONLY
def test_who_is_stopped_at_once_gives_all_back_at_once(place: Place) -> None:
    told(place, **NEVER)
    place.make("tournament", "60")
    with place.worker() as worker:
        wait_for(place.playing, f"Nothing is played: {place.output()}", PATIENCE)
        worker.send_signal(signal.SIGTERM)
        worker.send_signal(signal.SIGQUIT)
        worker.wait(PATIENCE)
    assert {outcome for _, outcome, _ in place.rows(ATTEMPTS)} == {"failed"}, place.output()
    matches = "SELECT DISTINCT state, failures, moves_played FROM tournaments_match"
    assert place.rows(matches) == [("waiting", 0, 0)]


def test_what_ends_in_time_is_stored_and_nothing_more_is_begun(place: Place) -> None:
    told(place, **NEVER)
    place.make("tournament", "0")
    with place.worker() as worker:
        wait_for(place.playing, f"Nothing is played: {place.output()}", PATIENCE)
        [(begun,)] = place.playing()
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE) == 0
    [first, *others] = place.rows(ATTEMPTS)
    assert first == (begun, "stored", ""), place.output()
    assert all("had not begun this match" in cause for *_, cause in others)
    states = "SELECT state, failures FROM tournaments_match ORDER BY state"
    assert place.rows(states) == [("finished", 0), ("waiting", 0)]


def test_a_check_is_given_back_and_no_try_is_used_up(place: Place) -> None:
    told(place, **SOON)
    place.make("upload")
    with place.worker() as worker:
        running = "SELECT id FROM bots_check WHERE steps LIKE '%running%' AND steps LIKE '%\"ok\"%'"
        wait_for(lambda: place.rows(running), f"Nothing is checked: {place.output()}", PATIENCE)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE) == 0
    checks = "SELECT status, tries, lease_until FROM bots_check JOIN bots_botversion AS version"
    checks += " ON version.id = version_id"
    assert place.rows(checks) == [("queued", 0, None)], place.output()


def test_a_worker_is_drained_from_afar_and_resumed(place: Place) -> None:
    told(place, **SOON)
    place.make("tournament", "60")
    with place.worker():
        wait_for(place.playing, f"Nothing is played: {place.output()}", PATIENCE)
        done = place.run("drain", "one@here")
        assert "one@here: draining, unfinished work: " in done.stdout
        assert done.stdout.endswith("one@here: drained, unfinished work: nothing\n")
        attempts = place.rows(ATTEMPTS)
        assert {outcome for _, outcome, _ in attempts} == {"failed"}, place.output()
        # Wake-ups stay for others.
        wait_for(place.leaves_messages, "It takes them", PATIENCE)
        assert place.rows(ATTEMPTS) == attempts
        place.run("drain", "one@here", "--resume")
        wait_for(place.playing, f"It does not play again: {place.output()}", PATIENCE)


@FULL_SIZE_ONLY
def test_who_crashes_stays_drained_who_is_stopped_does_not(place: Place) -> None:
    told(place, **SOON)
    known = "SELECT draining IS NOT NULL FROM bots_workernode"
    with place.worker():
        wait_for(lambda: place.rows(known), f"No worker: {place.output()}", PATIENCE)
        place.run("drain", "one@here", "--no-wait")
    place.make("tournament", "60")
    with place.worker() as worker:
        wait_for(place.leaves_messages, "It takes them", PATIENCE)
        assert place.rows(ATTEMPTS) == []
        assert place.rows(known) == [(1,)]
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE) == 0
    assert place.rows(known) == []


@FULL_SIZE_ONLY
def test_a_site_under_up_waits_as_long_and_says_so(place: Place) -> None:
    told(place, CARDROOM_DRAIN_SECONDS="3")
    before = running_descendants()
    place.make("tournament", "60")
    place.up(workers=1)
    wait_for(place.playing, f"Nothing is played: {place.output()}", PATIENCE)
    assert place.stop() == 0
    said = place.log.read_text()
    assert "Waiting up to 3 s for " in said, said
    assert "is killed" not in said
    assert place.rows("SELECT count(*) FROM tournaments_attempt WHERE outcome = 'lost'") == [(0,)]
    states = "SELECT DISTINCT state, failures FROM tournaments_match"
    assert place.rows(states) == [("waiting", 0)]
    assert remaining_descendants(before) == {}


def test_what_a_killed_worker_leaves_the_next_one_removes(place: Place) -> None:
    common = place.var / "common"
    common.mkdir()
    told(place, TMPDIR=str(common))
    own = place.var / "tmp" / "one@here"
    node = "SELECT seen FROM bots_workernode"
    with place.worker():
        wait_for(lambda: place.rows(node), f"No worker: {place.output()}", PATIENCE)
    [seen] = place.rows(node)
    (own / "left").mkdir()
    with place.worker():
        wait_for(lambda: place.rows(node) != [seen], f"No worker: {place.output()}", PATIENCE)
    assert not (own / "left").exists()
    assert list(common.iterdir()) == []
