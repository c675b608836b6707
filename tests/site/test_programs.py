"""Every program that is started from a checkout runs the compiled rules that lie there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardroom.processes import die_with_parent
from tests.servers import wait_for
from tests.site.checkouts import compiled_environment, copy_checkout, unit_command
from tests.site.test_hardened import RUNS
from tests.sites import Site

COMPILED = "The rules run compiled."
ASK = "from cardroom_base.core import compiled; print('The rules run', compiled.kind(), end='.')"
UNITS = ("web", "housekeeping", "worker", "tables")

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    copy_checkout(folder)
    return folder


@pytest.fixture(scope="module")
def site(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The copy's `up`, started in the copy."""
    var = tmp_path_factory.mktemp("var")
    made = Site(var, root=checkout, cwd=checkout, environment=compiled_environment(checkout, var))
    try:
        made.up(workers=1)
        yield made
    finally:
        made.end()


@pytest.mark.parametrize("service", ["web", "worker", "tables", "housekeeping"])
def test_the_parts_of_up_do(site: Site, service: str) -> None:
    log = site.var / "log" / f"{service}.log"
    wait_for(lambda: "The rules run" in log.read_text(), f"{service} says nothing", 120)
    assert COMPILED in log.read_text()


@pytest.mark.skipif(RUNS, reason="test_hardened.py asks the same of the units")
@pytest.mark.parametrize("unit", UNITS)
def test_the_units_for_systemd_do(site: Site, checkout: Path, unit: str, tmp_path: Path) -> None:
    command = unit_command(checkout, unit, sys.executable)
    printed = tmp_path / "printed"
    with printed.open("wb") as log:
        process = subprocess.Popen(
            command,
            env=compiled_environment(checkout, site.var),
            cwd=checkout,
            stdout=log,
            stderr=subprocess.STDOUT,
            preexec_fn=die_with_parent,
        )
    try:
        wait_for(lambda: "The rules run" in printed.read_text(), f"{unit} says nothing", 120)
        assert COMPILED in printed.read_text()
    finally:
        process.terminate()
        process.wait()


@pytest.mark.parametrize(
    "command",
    [
        ["manage.py", "shell", "-v0", "-c", ASK],
        ["-m", "django", "shell", "-v0", "-c", ASK],
        ["-c", f"import cardroom; {ASK}"],
    ],
)
def test_commands_do(checkout: Path, tmp_path: Path, command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, *command],
        env=compiled_environment(checkout, tmp_path),
        cwd=checkout,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == COMPILED


def test_the_command_at_home_does(checkout: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tournaments", "--version"],
        env=compiled_environment(checkout, tmp_path),
        cwd=checkout,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip().endswith("rules compiled")


def deploy_check(checkout: Path, var: Path, **more: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy"],
        env=compiled_environment(checkout, var) | more,
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_what_is_not_compiled_is_reported_before_it_is_deployed(
    checkout: Path, tmp_path: Path
) -> None:
    if not RUNS:  # else test_hardened.py asks
        assert "cardroom.W002" not in deploy_check(checkout, tmp_path)
    assert "cardroom.W002" not in deploy_check(checkout, tmp_path, CARDROOM_COMPILE="0")
    engine = checkout / "engine" / "match.py"
    before = engine.read_text()
    engine.write_text(f"{before}\n# edited\n")
    try:
        said = deploy_check(checkout, tmp_path)
    finally:
        engine.write_text(before)
    assert "cardroom.W002" in said
    assert "scripts/setup.sh" in said
