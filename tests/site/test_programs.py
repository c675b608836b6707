"""Every program of a checkout runs the checkout's compiled rules."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardroom.processes import die_with_parent
from tests import preloaded
from tests.servers import wait_for
from tests.site.checkouts import compiled_environment, copy_checkout, unit_command
from tests.site.test_read_only_program import CAN_RUN
from tests.sites import Site

COMPILED = "The rules run compiled."
PRINT_KIND = (
    "from cardroom_base.core import compiled; print('The rules run', compiled.kind(), end='.')"
)
UNITS = ("web", "housekeeping", "worker", "tables")

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    copy_checkout(folder)
    return folder


@pytest.fixture(scope="module")
def site(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site under the copy's `up`, started in the copy."""
    var = tmp_path_factory.mktemp("var")
    copy = Site(var, root=checkout, cwd=checkout, environment=compiled_environment(checkout, var))
    try:
        copy.up(workers=1)
        yield copy
    finally:
        copy.end()


@pytest.mark.parametrize("service", ["web", "worker", "tables", "housekeeping"])
def test_services_of_up_run_compiled(site: Site, service: str) -> None:
    log = site.var / "log" / f"{service}.log"
    wait_for(lambda: "The rules run" in log.read_text(), f"{service} logs nothing", 120)
    assert COMPILED in log.read_text()


@pytest.mark.skipif(CAN_RUN, reason="test_read_only_program.py tests the same with the units")
@pytest.mark.parametrize("unit", UNITS)
def test_units_of_systemd_run_compiled(
    site: Site, checkout: Path, unit: str, tmp_path: Path
) -> None:
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
        wait_for(lambda: "The rules run" in printed.read_text(), f"{unit} prints nothing", 120)
        assert COMPILED in printed.read_text()
    finally:
        process.terminate()
        process.wait()


@pytest.mark.parametrize(
    "command",
    [
        ["manage.py", "shell", "-v0", "-c", PRINT_KIND],
        ["-m", "django", "shell", "-v0", "-c", PRINT_KIND],
        ["-c", f"import cardroom; {PRINT_KIND}"],
    ],
)
def test_commands_run_compiled(checkout: Path, tmp_path: Path, command: list[str]) -> None:
    process = subprocess.run(
        [sys.executable, *command],
        env=compiled_environment(checkout, tmp_path),
        cwd=checkout,
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stdout.strip() == COMPILED


def test_the_command_line_runs_compiled(checkout: Path, tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "tournaments", "--version"],
        env=compiled_environment(checkout, tmp_path),
        cwd=checkout,
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stdout.strip().endswith("rules compiled")


def deploy_check(checkout: Path, var: Path, **variables: str) -> str:
    process = preloaded.run(
        [sys.executable, "manage.py", "check", "--deploy"],
        env=compiled_environment(checkout, var) | variables,
        cwd=checkout,
    )
    return process.stdout + process.stderr


def test_the_deployment_check_reports_uncompiled_rules(checkout: Path, tmp_path: Path) -> None:
    if not CAN_RUN:  # otherwise test_read_only_program.py checks it
        assert "cardroom.W002" not in deploy_check(checkout, tmp_path)
    assert "cardroom.W002" not in deploy_check(checkout, tmp_path, CARDROOM_COMPILE="0")
    engine = checkout / "engine" / "match.py"
    before = engine.read_text()
    engine.write_text(f"{before}\n# edited\n")
    try:
        output = deploy_check(checkout, tmp_path)
    finally:
        engine.write_text(before)
    assert "cardroom.W002" in output
    assert "scripts/setup.sh" in output
