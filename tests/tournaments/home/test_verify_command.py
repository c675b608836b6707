"""`cardroom verify` on archives."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bots.cli import app, sources
from tests.tournaments.archive.build import ArchiveParts, head
from tournaments.home import verify_command

verify_command.register()  # as the command does


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a valid archive and an invalid one."""
    folder = tmp_path_factory.mktemp("archives")
    parts = ArchiveParts(head())
    (folder / "cup.zip").write_bytes(parts.packed().getvalue())
    parts.files["standings.json"]["rows"][0]["points"] = 9
    (folder / "wrong.zip").write_bytes(parts.packed().getvalue())
    return folder


@pytest.fixture(scope="module")
def server(files: Path) -> Iterator[str]:
    """The address of a server with that folder."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(files))
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_archive_agrees_or_the_first_discrepancy_is_named(files: Path) -> None:
    ran = CliRunner().invoke(app, ["verify", str(files / "cup.zip")])
    assert ran.exit_code == 0
    assert ran.stdout.endswith("agrees: cup, finished, 3 entries, 2 deal groups, 4 records.\n")
    ran = CliRunner().invoke(app, ["verify", str(files / "cup.zip"), str(files / "wrong.zip")])
    assert ran.exit_code == 1
    assert "standings.json, rows[0] does not follow" in ran.stdout


def test_archives_come_from_addresses(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Longer than any record, and stored on the disk, because it is a zip.
    monkeypatch.setattr(sources, "MAX_RECORDS", 100)
    ran = CliRunner().invoke(app, ["verify", f"{server}cup.zip"])
    assert (ran.exit_code, "4 records" in ran.stdout) == (0, True)
    monkeypatch.setattr(sources, "MAX_ARCHIVE", 1000)
    ran = CliRunner().invoke(app, ["verify", f"{server}cup.zip"])
    assert ran.exit_code == 2
    assert "is longer than" in ran.stderr
