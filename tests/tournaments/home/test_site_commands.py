"""`cardroom up` and `cardroom manage` start the site's program."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tournaments.home import cli, site_commands


def cardroom(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "CARDROOM_VAR"}
    environment["DJANGO_SETTINGS_MODULE"] = "cardroom.settings"
    return subprocess.run(
        [sys.executable, "-P", "-m", "tournaments", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_up_runs_the_site_in_the_folder(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        process = cardroom("up", "--folder", "mine", "--port", port, cwd=tmp_path)
    assert process.returncode == 1
    assert process.stderr.startswith(f"CommandError: Port {port} is not available")
    assert (tmp_path / "mine" / "secret-key").is_file()


def test_manage_passes_arguments_on_and_ignores_modules_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "django.py").write_text("raise SystemExit('not Django')")
    process = cardroom("manage", "--folder", "mine", "dump", "--help", cwd=tmp_path)
    assert (process.returncode, "--to DIR" in process.stdout) == (0, True), process.stderr
    assert process.stdout.startswith("usage: manage.py dump")


def test_a_wheel_without_the_server_names_the_missing_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_commands, "find_spec", lambda name: None)
    ran = CliRunner().invoke(cli.app, ["up"])
    assert ran.exit_code == 2
    assert "the extras server and embedded" in ran.stderr
