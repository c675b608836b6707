"""Kill parts of a site at random while it plays: nothing is lost, nothing counts twice."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.breakable_bubblewrap import readable_folder
from tests.faults.ground import Control, strays
from tests.faults.table import Row, Table
from tests.full_size import FULL_SIZE_ONLY
from tests.servers import Postgres, Redis
from tests.sites import (
    Site,
    command_line,
    eventually,
    fetch_json,
    migrate,
    migrated_database,
    running_descendants,
)

pytestmark = [pytest.mark.slow, pytest.mark.sandbox, pytest.mark.long]

GROUPS = {False: 1, True: 30}
"""Deal groups of each of the six pairs, at small and at full size."""
PAUSE = {False: 2.0, True: 4.0}
"""Seconds between the first two kills, on average."""
SLOWER = 1.05
"""How much longer each pause is than the one before. Kills that come as fast as a machine starts
services would leave a site starting for ever; how fast that is, no test can know beforehand."""
THINK_MS = 16
"""What a bot sleeps over each move, so that matches last long enough to be interrupted."""
PATIENCE = {False: 300, True: 1800}
"""Seconds until a tournament must be over."""


SETTINGS = "tests.faults.kill_settings"


def undisturbed(var: Path, groups: int, dealt: list[list[int]]) -> dict[str, Any]:
    """The same tournament, played by one process with nothing in the way.

    A sandbox that is killed is an attempt that failed, so its deal group got new cards (`dealt`):
    those are dealt here as well.
    """
    var.mkdir()
    migrate(var)
    with Control(Site(var, settings=SETTINGS).env(), var) as control:
        found: dict[str, Any] = control("alone", groups, dealt)
        return found


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    files = readable_folder()
    made = Site(tmp_path, {"TMPDIR": str(files)}, SETTINGS)
    yield made
    made.end()
    shutil.rmtree(files)


Kill = Callable[[], object]


def kill(pid: int | None) -> None:
    if pid is not None:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def is_bot(pid: int) -> bool:
    """Whether a process is the one inside a sandbox: it sees other processes than we do."""
    try:
        return Path(f"/proc/{pid}/ns/pid").readlink() != Path("/proc/self/ns/pid").readlink()
    except OSError:
        return False


def kills_of(site: Site, rng: random.Random) -> dict[str, Kill]:
    """Ways to hurt a site on one machine."""

    def a_service(name: str) -> Kill:
        return lambda: kill(site.services().get(name))

    def anybody_below() -> None:
        """A process of the pool, a sandbox: whoever it hits, but no bot.

        A bot that is killed and cannot show that it was the machine has a fault, which is a result.
        """
        below = [pid for pid in site.descendants() if command_line(pid) and not is_bot(pid)]
        kill(rng.choice(below) if below else None)

    ways = {name: a_service(name) for name in ("worker", "broker", "housekeeping", "web")}
    return ways | {"anybody": anybody_below, "somebody else": anybody_below}


def disturb(site: Site, ways: dict[str, Kill], rng: random.Random, full_size: bool) -> Counter[str]:
    """Kill at random until the tournament is over, and each at least once; how often which."""
    done: Counter[str] = Counter()
    order: list[str] = []
    until = time.monotonic() + PATIENCE[full_size]
    pause = PAUSE[full_size]
    while not finished(site) or len(done) < len(ways):
        assert time.monotonic() < until, f"Not over in time. {dict(done)} {site.output()}"
        order = order or rng.sample(sorted(ways), len(ways))
        way = order.pop()
        ways[way]()
        done[way] += 1
        time.sleep(rng.uniform(0.5, 1.5) * pause)
        pause *= SLOWER
    return done


def finished(site: Site) -> bool:
    """Ask as anybody would; a web server that was just killed says no."""
    try:
        return bool(fetch_json(f"{site.url}api/v1/tournaments/faults/")["state"] == "finished")
    except (OSError, ValueError):  # no connection, or half an answer
        return False


def compare(found: dict[str, Any], undisturbed: dict[str, Any]) -> None:
    """All but the attempts is as if nothing had happened."""
    matches = undisturbed["matches"]
    assert found["state"] == "finished"
    assert found["matches"] == found["records"] == found["stored_attempts"] == matches
    assert found["whole"]
    assert found["dealt"] == undisturbed["dealt"]
    assert found["side_results"] == 2 * matches
    assert found["running_attempts"] == 0
    assert len(set(found["ordinals"])) == matches  # what was dealt anew leaves gaps
    assert all(found["ordinals"])
    assert found["rating_changes"] == 2 * 3 * matches
    assert found["rebuilt_the_same"]
    for ours, theirs in zip(found["results"], undisturbed["results"], strict=True):
        assert ours == theirs
    assert found["standings"] == undisturbed["standings"]
    for ours, theirs in zip(found["fits"], undisturbed["fits"], strict=True):
        assert ours[:4] == theirs[:4]
        assert ours[4:] == pytest.approx(theirs[4:])  # summed in another order


def stop_and_count(
    site: Site,
    control: Control,
    kind: str,
    kills: Counter[str],
    table: Table,
    before: Iterable[int],
) -> None:
    """End the site and add its row to the table; `before` are processes older than the site."""
    for name in kills.keys() & site.services():
        assert f"{name} ended (by SIGKILL); it is restarted" in site.log.read_text()
    assert site.stop() == 0
    assert site.log.read_text().endswith("Stopped.\n")
    files = [path.name for path in Path(site.environment["TMPDIR"]).iterdir()]
    left = strays([control.pid, *before]) + files
    found = control("count")
    row = Row.from_counts("parts of the site are killed", kind, kills, found, len(left))
    table.add(row)
    print(f"\n{row.text()}")
    row.must_be_clean(found, f"{left} {site.output()}")


@FULL_SIZE_ONLY  # `test_one_machine.py` kills them too
def test_killing_parts_of_a_site_changes_nothing(
    site: Site, tmp_path: Path, full_size: bool, table: Table
) -> None:
    rng = random.Random(os.environ.get("CARDROOM_FAULT_SEED", "1"))
    before = running_descendants()
    site.up(workers=2)
    with Control(site.env(), site.var) as control:
        control("create", GROUPS[full_size], THINK_MS)
        done = disturb(site, kills_of(site, rng), rng, full_size)
        found = control("report")
        compare(found, undisturbed(tmp_path / "alone", GROUPS[full_size], found["dealt"]))
        assert eventually(lambda: site.is_serving()), "The web server did not come back"
        stop_and_count(site, control, "SQLite, one machine", done, table, before)


@FULL_SIZE_ONLY  # `test_servers.py` crashes both, `test_hosts.py` kills hosts that use them
@pytest.mark.postgres
@pytest.mark.redis
def test_killing_database_and_redis_too_changes_nothing(
    site: Site,
    tmp_path: Path,
    full_size: bool,
    postgres: Postgres,
    redis_server: Redis,
    table: Table,
) -> None:
    rng = random.Random(os.environ.get("CARDROOM_FAULT_SEED", "2"))
    there = {"DATABASE_URL": migrated_database(postgres), "REDIS_URL": redis_server.url}
    site.environment = {**site.environment, **there}
    before = running_descendants()
    site.up(workers=2)
    assert "broker" not in site.services()

    def database() -> None:
        postgres.crash()
        time.sleep(rng.uniform(0, 1.5))
        postgres.start()

    def redis() -> None:
        redis_server.kill()
        time.sleep(rng.uniform(0, 1.5))
        redis_server.start()

    ways = kills_of(site, rng) | {"database": database, "redis": redis}
    del ways["broker"]
    with Control(site.env(), site.var) as control:
        control("create", GROUPS[full_size], THINK_MS)
        done = disturb(site, ways, rng, full_size)
        found = control("report")
        compare(found, undisturbed(tmp_path / "alone", GROUPS[full_size], found["dealt"]))
        stop_and_count(site, control, "PostgreSQL, one machine", done, table, before)
