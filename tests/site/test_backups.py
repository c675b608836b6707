"""Backups: content, refusals, and restores that happen completely or not at all."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import Error, connection
from django.utils import timezone

from cardroom import backups, services
from cardroom.backups import BackupError, disk, postgres, restoring, secret_key, sqlite
from cardroom.backups.databases import use_database
from cardroom.backups.engines import site_engine
from tests import factories as make
from tournaments import projections
from tournaments.actions import attempts
from tournaments.models import (
    Attempt,
    ExportChunk,
    Kept,
    KeptExport,
    Ledger,
    Match,
    StoredRecord,
    Tournament,
)

pytestmark = pytest.mark.django_db(transaction=True)

ELSEWHERE = "elsewhere"
"""The name of another site's database on the same server."""


@pytest.fixture(autouse=True)
def var(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The site's own folder."""
    monkeypatch.delenv("CARDROOM_SECRET_KEY", raising=False)
    folder = tmp_path / "var"
    folder.mkdir()
    (folder / "secret-key").write_text("the first key")
    settings.VAR_DIR = folder
    return folder


@pytest.fixture
def elsewhere(tmp_path: Path, settings: Any) -> Iterator[str]:
    """An empty database of another site, with a folder of its own."""
    settings.VAR_DIR = tmp_path / "other"
    settings.VAR_DIR.mkdir()
    if connection.vendor == "sqlite":
        yield str(settings.VAR_DIR / "cardroom.sqlite3")
        return
    before = _databases()
    postgres._execute_on_server(f"CREATE DATABASE {ELSEWHERE} TEMPLATE template0")
    yield ELSEWHERE
    for name in _databases() - before:
        postgres._execute_on_server(f"DROP DATABASE {postgres._quoted(name)}")


def _databases() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database")
        return {name for (name,) in cursor.fetchall()}


def quiet(_: str) -> None:
    """Report no progress."""


def backup(to: Path) -> Path:
    folder, _ = backups.create(to, quiet)
    connection.close()
    return folder


def restore(
    folder: Path, into: str, *, force: bool = False, records: int | None = None
) -> backups.Restored:
    with use_database(into):
        return backups.restore(folder, force=force, records=records, say=quiet)


def edit_description(folder: Path, **changes: Any) -> None:
    """Change a backup's description of itself."""
    path = folder / "about.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@contextmanager
def another_connection() -> Iterator[Callable[..., Any]]:
    """The `execute` of another connection to the same database."""
    other = connection.copy("other")
    try:
        with other.cursor() as cursor:
            yield cursor.execute
    finally:
        other.close()


# --- content ------------------------------------------------------------------------------------


def test_a_backup_continues_elsewhere(tmp_path: Path, elsewhere: str) -> None:
    cup = make.tournament(3, start=True)
    first = cup.matches.order_by("pk").first()
    assert first is not None
    make.finish(first)
    projections.update_live()
    [running] = attempts.claim("gone/1", 1)
    folder = backup(tmp_path)

    late = attempts.claim("late/1", 1)  # after the backup
    assert late[0].pk > running.pk
    make.finish_all(cup)
    outcomes = {attempt.pk: make.outcome(attempt.match) for attempt in (running, *late)}
    epoch = Ledger.objects.values_list("epoch", flat=True).first()

    result = restore(folder, elsewhere)
    assert (result.replayed, result.finished, result.playing, result.old_database) == (1, 1, 1, "")
    with use_database(elsewhere):
        assert Match.objects.filter(state="finished").count() == StoredRecord.objects.count() == 1
        assert Ledger.objects.values_list("epoch", flat=True).first() != epoch
        # A worker that was not stopped brings a result that it claimed after the backup.
        claimed = attempts.claim("new/1", 1000)
        assert not attempts.store_result(late[0].pk, outcomes[late[0].pk])
        assert late[0].pk < min(attempt.pk for attempt in claimed)
        attempts.release_attempts([attempt.pk for attempt in claimed], "A test.")
        # The running match is freed when its lease expires.
        Attempt.objects.filter(pk=running.pk).update(lease_until=timezone.now() - timedelta(1))
        assert attempts.sweep_attempts() == 1
        assert not attempts.store_result(running.pk, outcomes[running.pk])
        finished = make.finish_all(Tournament.objects.get(pk=cup.pk))
        assert finished.state == Tournament.State.FINISHED
        assert StoredRecord.objects.count() == cup.matches.count()


def test_export_files_are_not_restored(tmp_path: Path, elsewhere: str) -> None:
    cup = make.tournament(2, start=True)
    export = KeptExport.objects.create(whole=True, size=1)
    ExportChunk.objects.create(export=export, number=0, content=zlib.compress(b"x"))
    Kept.objects.create(tournament=cup, name="archive", mark="as now", export=export)
    restore(backup(tmp_path), elsewhere)
    with use_database(elsewhere):
        assert Kept.objects.get().export is None
        assert not KeptExport.objects.exists()
        assert not ExportChunk.objects.exists()
    assert ExportChunk.objects.count() == 1  # the original stays


def test_other_programs_write_during_a_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds one moment's data, blocks no writer, and does not start again."""
    written = 0

    def write(*_: Any, **__: Any) -> None:
        nonlocal written
        if written < 100:
            written += 1
            with another_connection() as do:
                do("INSERT INTO auth_group (name) VALUES (%s)", [f"Group {written}"])

    run = postgres._run

    def write_first(*arguments: Any, **named: Any) -> None:
        write()
        run(*arguments, **named)

    monkeypatch.setattr(sqlite, "_PAGES", 8)
    monkeypatch.setattr(disk.ProgressReporter, "report", write)
    monkeypatch.setattr(postgres, "_run", write_first)
    _, about = backups.create(tmp_path, quiet)
    assert about.rows["auth_group"] == 0
    assert Group.objects.count() == written > 1


def test_a_backup_has_a_description_and_is_private(tmp_path: Path) -> None:
    make.tournament(2, start=True)
    folder, about = backups.create(tmp_path / "new", quiet)
    assert folder.name.startswith("cardroom-2")
    assert [path.name for path in (tmp_path / "new").iterdir()] == [folder.name]
    assert {path.name for path in folder.iterdir()} == {*about.files, "about.json"}
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert about.rows["tournaments_match"] == 2
    assert about.schema["bots"][0] == "0001_initial"
    assert about.engine == connection.vendor
    assert (folder / "secret-key").read_text() == "the first key"


def test_old_backups_are_deleted_on_request(tmp_path: Path) -> None:
    for day in ("01", "02", "03"):
        folder = tmp_path / f"cardroom-200101{day}-000000"
        folder.mkdir()
        (folder / "about.json").touch()
    (tmp_path / "cardroom-20010101-111111").mkdir()  # not a backup
    new = backup(tmp_path)
    deleted = [path.name for path in backups.prune(tmp_path, 2)]
    assert deleted == ["cardroom-20010101-000000", "cardroom-20010102-000000"]
    remaining = sorted(path.name for path in tmp_path.glob("cardroom-*"))
    assert remaining == ["cardroom-20010101-111111", "cardroom-20010103-000000", new.name]


def test_a_backup_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(secret_key, "copy", broken)
    with pytest.raises(OSError, match="the disk is full"):
        backups.create(tmp_path / "new", quiet)
    assert list((tmp_path / "new").iterdir()) == []


def test_an_empty_database_is_not_backed_up(tmp_path: Path, elsewhere: str) -> None:
    with use_database(elsewhere), pytest.raises(BackupError, match="is empty"):
        backups.create(tmp_path / "new", quiet)
    assert not (tmp_path / "new").exists()


# --- the secret key -----------------------------------------------------------------------------


def test_a_restore_keeps_the_replaced_secret_key(
    tmp_path: Path, elsewhere: str, settings: Any
) -> None:
    own_folder = settings.VAR_DIR
    (own_folder / "secret-key").write_text("made at the start")
    settings.VAR_DIR = tmp_path / "var"
    folder = backup(tmp_path)
    settings.VAR_DIR = own_folder
    assert restore(folder, elsewhere).key_changed
    assert (own_folder / "secret-key").read_text() == "the first key"
    [old_key] = own_folder.glob("secret-key.before-*")
    assert old_key.read_text() == "made at the start"
    assert not restore(folder, elsewhere, force=True).key_changed
    assert len(list(own_folder.glob("secret-key*"))) == 2


def test_a_secret_key_of_the_environment_stays_there(
    tmp_path: Path, elsewhere: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (settings.VAR_DIR / "secret-key").write_text("not used")
    with_key = backup(tmp_path)
    monkeypatch.setenv("CARDROOM_SECRET_KEY", "set")
    without = backup(tmp_path / "more")
    assert not (without / "secret-key").exists()
    assert not restore(with_key, elsewhere).key_changed
    assert (settings.VAR_DIR / "secret-key").read_text() == "not used"


# --- refusals -----------------------------------------------------------------------------------


def assert_refused(folder: Path, into: str, words: str, **options: Any) -> None:
    """The restore is refused with these words, and the other site's database stays empty."""
    with pytest.raises(BackupError, match=words) as error:
        restore(folder, into, **options)
    assert str(error.value).endswith(".")
    with use_database(into):
        assert site_engine().is_empty()


def test_an_incomplete_backup_is_refused(tmp_path: Path, elsewhere: str) -> None:
    folder = backup(tmp_path)
    assert_refused(tmp_path, elsewhere, r"is not a backup: it has no about\.json")
    file = folder / site_engine().FILE
    with file.open("r+b") as content:
        content.seek(-1, 2)
        content.write(b"?")
    assert_refused(folder, elsewhere, "has changed since the backup: its SHA-256 differs")
    file.unlink()
    assert_refused(folder, elsewhere, "is missing")
    (folder / "about.json").write_text("[]")
    assert_refused(folder, elsewhere, "is not the description of a backup")
    (folder / "about.json").write_text("{")
    assert_refused(folder, elsewhere, "cannot be read")


def test_a_backup_that_does_not_fit_is_refused(tmp_path: Path, elsewhere: str) -> None:
    folder = backup(tmp_path)
    about = json.loads((folder / "about.json").read_text())
    edit_description(folder, engine="oracle")
    assert_refused(folder, elsewhere, "a backup of oracle, and DATABASE_URL names a database of")
    schema = about["schema"] | {"bots": [*about["schema"]["bots"], "9999_more"]}
    edit_description(folder, engine=about["engine"], schema=schema)
    assert_refused(
        folder, elsewhere, r"newer than this program, which does not know bots\.9999_more"
    )
    edit_description(folder, layout=99)
    assert_refused(folder, elsewhere, "made by a newer Cardroom")
    edit_description(
        folder, layout=1, schema=about["schema"], rows=about["rows"] | {"auth_user": 5}
    )
    assert_refused(folder, elsewhere, "The table auth_user has 0 rows, but the backup has 5")


def test_contradictory_records_are_refused(tmp_path: Path, elsewhere: str) -> None:
    make.finish_all(make.tournament(3, start=True))
    folder = backup(tmp_path)
    assert restore(folder, elsewhere, records=2).replayed == 2
    match = Match.objects.order_by("-pk").first()
    assert match is not None
    match.results.update(score=1)
    folder = backup(tmp_path / "more")
    with pytest.raises(BackupError, match=f"Match {match.pk} of .* does not agree with its record"):
        restore(folder, elsewhere, records=1, force=True)
    assert restore(folder, elsewhere, records=0, force=True).replayed == 0


def test_a_running_site_is_not_restored(tmp_path: Path, elsewhere: str) -> None:
    folder = backup(tmp_path)
    with (
        services.lock("http://localhost/"),
        pytest.raises(services.AlreadyRunningError, match="is already running"),
    ):
        restore(folder, elsewhere)
    restore(folder, elsewhere)
    with use_database(elsewhere), another_connection() as do:
        do("SELECT count(*) FROM auth_user")
        with pytest.raises(BackupError, match="use"):
            backups.restore(folder, force=True, records=0, say=quiet)


# --- all or nothing -----------------------------------------------------------------------------


def test_force_renames_a_database_that_is_not_empty(tmp_path: Path, elsewhere: str) -> None:
    old = backup(tmp_path)
    make.user("later")
    new = backup(tmp_path / "more")
    restore(new, elsewhere)
    with pytest.raises(BackupError, match=r"not empty\. --force renames it"):
        restore(old, elsewhere)
    restored = restore(old, elsewhere, force=True)
    with use_database(elsewhere):
        assert not User.objects.exists()
    with use_database(restored.old_database):
        assert User.objects.get().username == "later"


def test_a_backup_that_another_process_finishes_meanwhile_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.user("ada")
    finished = tmp_path / ".making-finished"
    monkeypatch.setattr(Path, "glob", lambda path, pattern: iter([finished]))
    folder, _ = backups.create(tmp_path, quiet)
    assert folder.is_dir()


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, OSError, Error])
def test_an_interrupted_restore_changes_nothing(
    tmp_path: Path,
    elsewhere: str,
    monkeypatch: pytest.MonkeyPatch,
    interruption: type[BaseException],
) -> None:
    def interrupt(*_: Any) -> None:
        raise interruption

    folder = backup(tmp_path)
    monkeypatch.setattr(restoring, "_verify_records", interrupt)
    with pytest.raises(interruption):
        restore(folder, elsewhere)
    with use_database(elsewhere):
        assert site_engine().is_empty()
    monkeypatch.undo()
    make.user("before")
    restore(backup(tmp_path / "more"), elsewhere)
    monkeypatch.setattr(restoring, "_verify_records", interrupt)
    before = _databases_beside(elsewhere)
    with pytest.raises(interruption):
        restore(folder, elsewhere, force=True)
    assert _databases_beside(elsewhere) == before
    with use_database(elsewhere):
        assert User.objects.get().username == "before"


def test_force_renames_a_damaged_database(tmp_path: Path, elsewhere: str) -> None:
    path = Path(elsewhere)
    files = {"": b"no database at all", ".restoring": b"of an interrupted restore"}
    for end, content in files.items():
        path.with_name(path.name + end).write_bytes(content)
    restored = restore(backup(tmp_path), elsewhere, force=True)
    old_database = Path(restored.old_database)
    assert old_database.read_bytes() == files[""]
    with use_database(elsewhere):
        assert not site_engine().is_empty()


def _databases_beside(name: str) -> set[str]:
    """All databases of the server; on SQLite, the files beside the database."""
    if connection.vendor == "postgresql":
        return _databases()
    connection.close()
    return {path.name for path in Path(name).parent.iterdir()}


# --- PostgreSQL's programs ----------------------------------------------------------------------


def test_the_nearest_version_of_pg_dump_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("14", "15", "17"):
        program = tmp_path / version / "bin" / "pg_dump"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\necho 'pg_dump (PostgreSQL) {version}.2 (Debian)'\n")
        program.chmod(0o755)
    monkeypatch.setattr(postgres, "_PROGRAM_FOLDERS", (f"{tmp_path}/*/bin",))
    monkeypatch.setenv("PATH", "/bin" if not Path("/bin/pg_dump").exists() else "")
    for server, expected in ((13, "14"), (15, "15"), (16, "17")):
        monkeypatch.setattr(postgres, "_version_number", lambda server=server: server * 10_000 + 4)
        assert postgres._program("pg_dump") == str(tmp_path / expected / "bin" / "pg_dump")
    monkeypatch.setattr(postgres, "_version_number", lambda: 180_001)
    with pytest.raises(BackupError, match=r"those here are older \(17\).*postgresql-client-18"):
        postgres._program("pg_dump")
    with pytest.raises(
        BackupError, match="pg_restore of PostgreSQL 18 or later, and there is none"
    ):
        postgres._program("pg_restore")


def test_a_password_is_on_no_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Connection:
        def get_connection_params(self) -> dict[str, Any]:
            address = {"host": "db", "user": "cardroom", "password": "hush", "sslmode": "require"}
            return address | {
                "dbname": "usual",
                "cursor_factory": object,
                "client_encoding": "UTF8",
            }

    monkeypatch.setattr(postgres, "connection", Connection())
    where, password = postgres._address("other")
    assert set(where.split()) == {"host=db", "user=cardroom", "sslmode=require", "dbname=other"}
    assert password == "hush"
