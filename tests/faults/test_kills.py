"""Parts of a site are killed at random while it plays: no match is lost or counts twice."""

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
from tests.faults.faulty_site import Control, remaining_processes
from tests.faults.table import FaultRow, FaultTable
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
PAUSE_GROWTH = 1.05
"""The ratio of successive pauses. If a slow machine needed longer than a constant pause to start a
service, the site would never finish starting."""
THINK_MS = 16
"""Milliseconds that a bot sleeps before each move, so that kills interrupt matches."""
MAX_WAIT_SECONDS = {False: 300, True: 1800}
"""Seconds within which a tournament must end."""
ANY_PROCESS = "any process"
"""The name of the kill of a random process of a pool or of a sandbox."""

SETTINGS = "tests.faults.kill_settings"


def undisturbed(var: Path, groups: int, redeals: list[list[int]]) -> dict[str, Any]:
    """The same tournament, played by one undisturbed process.

    If a sandbox is killed, its attempt fails and its deal group is redealt. The `redeals` of the
    disturbed site are repeated here.
    """
    var.mkdir()
    migrate(var)
    with Control(Site(var, settings=SETTINGS).env(), var) as control:
        report: dict[str, Any] = control("play_alone", groups, redeals)
        return report


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    temporary_files = readable_folder()
    site = Site(tmp_path, {"TMPDIR": str(temporary_files)}, SETTINGS)
    yield site
    site.end()
    shutil.rmtree(temporary_files)


Kill = Callable[[], object]


def kill(pid: int | None) -> None:
    if pid is not None:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def is_bot(pid: int) -> bool:
    """Whether a process is a bot, which has its own namespace of process ids."""
    try:
        return Path(f"/proc/{pid}/ns/pid").readlink() != Path("/proc/self/ns/pid").readlink()
    except OSError:
        return False


def kills_of(site: Site, rng: random.Random) -> dict[str, Kill]:
    """Functions that kill processes of a site on one machine."""

    def kill_service(name: str) -> Kill:
        return lambda: kill(site.services().get(name))

    def kill_any_descendant() -> None:
        """Kill a process of the pool or of a sandbox, but no bot.

        If the referee cannot tell that the machine killed a bot, the bot has a fault, which is a
        result.
        """
        pids = [pid for pid in site.descendants() if command_line(pid) and not is_bot(pid)]
        kill(rng.choice(pids) if pids else None)

    services = {name: kill_service(name) for name in ("worker", "broker", "housekeeping", "web")}
    return services | {ANY_PROCESS: kill_any_descendant}


def disturb(
    site: Site, kills: dict[str, Kill], rng: random.Random, full_size: bool
) -> Counter[str]:
    """Kill at random until the tournament is over and each kill was done; return their counts.

    `ANY_PROCESS` has two turns in each round, because it stands for many processes.
    """
    counts: Counter[str] = Counter()
    order: list[str] = []
    until = time.monotonic() + MAX_WAIT_SECONDS[full_size]
    pause = PAUSE[full_size]
    while not is_finished(site) or len(counts) < len(kills):
        assert time.monotonic() < until, f"Not over in time. {dict(counts)} {site.output()}"
        order = order or rng.sample([*sorted(kills), ANY_PROCESS], len(kills) + 1)
        name = order.pop()
        kills[name]()
        counts[name] += 1
        time.sleep(rng.uniform(0.5, 1.5) * pause)
        pause *= PAUSE_GROWTH
    return counts


def is_finished(site: Site) -> bool:
    """Whether REST reports the end of the tournament; false if the web server was just killed."""
    try:
        return bool(fetch_json(f"{site.url}api/v1/tournaments/faults/")["state"] == "finished")
    except (OSError, ValueError):  # no connection, or half a response
        return False


def compare(report: dict[str, Any], undisturbed: dict[str, Any]) -> None:
    """Check that only the attempts differ from those of the undisturbed tournament."""
    matches = undisturbed["matches"]
    assert report["state"] == "finished"
    assert report["matches"] == report["records"] == report["stored_attempts"] == matches
    assert report["rotations_complete"]
    assert report["redeals"] == undisturbed["redeals"]
    assert report["side_results"] == 2 * matches
    assert report["running_attempts"] == 0
    assert len(set(report["ordinals"])) == matches  # redealt matches leave gaps
    assert all(report["ordinals"])
    assert report["rating_changes"] == 2 * 3 * matches
    assert report["rebuild_matches"]
    for row, expected in zip(report["results"], undisturbed["results"], strict=True):
        assert row == expected
    assert report["standings"] == undisturbed["standings"]
    for row, expected in zip(report["fits"], undisturbed["fits"], strict=True):
        assert row[:4] == expected[:4]
        assert row[4:] == pytest.approx(expected[4:])  # the order of summation differs


def stop_and_count(
    site: Site,
    control: Control,
    kind: str,
    kills: Counter[str],
    table: FaultTable,
    before: Iterable[int],
) -> None:
    """Stop the site and add its row to the table; `before` are processes older than the site."""
    for name in kills.keys() & site.services():
        assert f"{name} ended (by SIGKILL); it will be restarted" in site.log.read_text()
    assert site.stop() == 0
    assert site.log.read_text().endswith("Stopped.\n")
    files = [path.name for path in Path(site.environment["TMPDIR"]).iterdir()]
    remains = remaining_processes([control.pid, *before]) + files
    counts = control("count")
    row = FaultRow.from_counts("parts of the site are killed", kind, kills, counts, len(remains))
    print(f"\n{row.text()}")
    row.check_is_clean(counts, f"{remains} {site.output()}")
    table.add(row)


@FULL_SIZE_ONLY  # `test_one_machine.py` also kills them
def test_killing_parts_of_a_site_changes_nothing(
    site: Site, tmp_path: Path, full_size: bool, table: FaultTable
) -> None:
    rng = random.Random(os.environ.get("CARDROOM_FAULT_SEED", "1"))
    before = running_descendants()
    site.up(workers=2)
    with Control(site.env(), site.var) as control:
        control("create", GROUPS[full_size], THINK_MS)
        kill_counts = disturb(site, kills_of(site, rng), rng, full_size)
        report = control("report")
        compare(report, undisturbed(tmp_path / "alone", GROUPS[full_size], report["redeals"]))
        assert eventually(lambda: site.is_serving()), "The web server did not come back"
        stop_and_count(site, control, "SQLite, one machine", kill_counts, table, before)


@FULL_SIZE_ONLY  # `test_servers.py` crashes both, `test_hosts.py` kills hosts that use them
@pytest.mark.postgres
@pytest.mark.redis
def test_killing_database_and_redis_too_changes_nothing(
    site: Site,
    tmp_path: Path,
    full_size: bool,
    postgres: Postgres,
    redis_server: Redis,
    table: FaultTable,
) -> None:
    rng = random.Random(os.environ.get("CARDROOM_FAULT_SEED", "2"))
    servers = {"DATABASE_URL": migrated_database(postgres), "REDIS_URL": redis_server.url}
    site.environment = {**site.environment, **servers}
    before = running_descendants()
    site.up(workers=2)
    assert "broker" not in site.services()

    def restart_database() -> None:
        postgres.crash()
        time.sleep(rng.uniform(0, 1.5))
        postgres.start()

    def restart_redis() -> None:
        redis_server.kill()
        time.sleep(rng.uniform(0, 1.5))
        redis_server.start()

    kills = kills_of(site, rng) | {"database": restart_database, "redis": restart_redis}
    del kills["broker"]
    with Control(site.env(), site.var) as control:
        control("create", GROUPS[full_size], THINK_MS)
        kill_counts = disturb(site, kills, rng, full_size)
        report = control("report")
        compare(report, undisturbed(tmp_path / "alone", GROUPS[full_size], report["redeals"]))
        stop_and_count(site, control, "PostgreSQL, one machine", kill_counts, table, before)
