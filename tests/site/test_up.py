"""`manage.py up` and `demo`: services, restarts, errors, remaining processes."""

from __future__ import annotations

import math
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import Format
from engine.registry import BUILT_IN
from seeds.demo import DEMOS
from tests.servers import wait_for
from tests.site.slow_connections import SLOWNESS, assert_visitor_is_answered
from tests.sites import Site, eventually, migrate, remaining_descendants, running_descendants

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="processes as POSIX has them"),
    pytest.mark.long,
]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path)
    yield site
    site.end()


def test_a_site_restarts_services_and_leaves_no_processes(site: Site) -> None:
    """`faults/test_kills.py` kills the other services and stops a site properly."""
    before = running_descendants()
    site.up(workers=1)
    assert set(site.services()) == {"broker", "worker", "tables", "housekeeping", "beat", "web"}

    second = site.run("up", "--port", "1", check=False)
    assert second.returncode == 1
    assert "already running with this folder (process" in second.stderr

    for name in ("tables", "beat"):
        pid = site.services()[name]
        os.kill(pid, signal.SIGKILL)
        wait_for(
            lambda name=name, pid=pid: site.services().get(name, pid) != pid,  # type: ignore[misc]  # mypy knows no defaults of lambdas
            f"{name} is not started again: {site.output()}",
        )
        message = f"{name} ended (by SIGKILL); it will be restarted"
        assert eventually(lambda message=message: message in site.log.read_text())  # type: ignore[misc]  # as above

    assert_visitor_is_answered(site.port, list(SLOWNESS))
    assert {path.name for path in site.var.glob("static*")} == {
        *("static", "static.json", "static.stamp"),
    }
    assert not [path for path in (site.var / "static").iterdir() if path.is_file()]

    assert site.stop(signal.SIGKILL) == -signal.SIGKILL
    assert remaining_descendants(before) == {}


def test_a_port_in_use_is_named(site: Site) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        process = site.run("up", "--port", str(port), check=False)
    assert process.returncode == 1
    assert process.stderr.startswith(f"CommandError: Port {port} is not available")


def test_an_unreachable_database_is_named(site: Site) -> None:
    site.environment = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"}
    process = site.run("up", "--port", str(site.port), check=False)
    assert process.returncode == 1
    assert "The database cannot be used" in process.stderr
    assert "Traceback" not in process.stderr


@pytest.mark.sandbox
def test_the_demo_plays_and_prints_the_standings(site: Site) -> None:
    before = running_descendants()
    migrate(site.var)
    site.copy_static_files()
    # This machine lacks the address, but a demo that serves nothing needs none.
    first = site.run("demo", "--once", "--groups", "1", "--host", "192.0.2.1")
    assert "broker cannot be reached" not in first.stdout + first.stderr
    table = _results(first.stdout)
    assert [row[0] for row in table] == sorted(name for demo in DEMOS for name in demo.bots)
    assert "/tournaments/house-match/" in first.stdout
    expected = sum(
        math.comb(len(demo.bots), 2) * len(Format.parse(demo.format).sides) for demo in DEMOS
    )
    count, _, verdict = site.run("verify_matches").stdout.strip().partition(" ")
    assert verdict == "matches; every record agrees."
    assert int(count) >= expected  # the ladders may have begun
    assert f"rebuilt from {count} matches" in site.run("rebuild").stdout
    ladders = (
        "from tournaments.models import Tournament as T; "
        "print(T.objects.filter(state='running', stages__system='ladder').count())"
    )
    assert site.run("shell", "-v0", "-c", ladders).stdout.strip() == str(len(BUILT_IN))
    assert remaining_descendants(before) == {}


def _results(printed: str) -> list[list[str]]:
    """Each bot's name and results in a tournament, without the rating, which ladders change."""
    lines = [line.split() for line in printed.splitlines() if "house:" in line]
    return sorted([line[3], *line[-7:]] for line in lines)
