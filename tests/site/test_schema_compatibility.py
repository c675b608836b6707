"""schema_compatibility: a database of another version is refused and left unchanged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from cardroom import schema_compatibility
from tests.sites import Site, migrate


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A site with a database of an earlier checkout."""
    old_site = Site(tmp_path)
    migrate(tmp_path)
    with closing(sqlite3.connect(tmp_path / "cardroom.sqlite3")) as database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES "
            "('bots', '0002_activations', '2025-01-01'), ('tournaments', '0017_kept', '2025-01-01')"
        )
        database.commit()
    yield old_site
    old_site.end()


def content(site: Site) -> list[str]:
    with closing(sqlite3.connect(site.var / "cardroom.sqlite3")) as database:
        return list(database.iterdump())


def test_a_site_of_an_earlier_checkout_is_refused(site: Site) -> None:
    before = content(site)
    for command in (("migrate",), ("demo", "--once")):  # `demo` begins as `up` does
        process = site.run(*command, check=False)
        assert process.returncode == 1
        assert process.stderr.startswith(f"CommandError: The database {site.var}")
        assert "it does not know the migration bots.0002_activations and 1 more." in process.stderr
        assert f"move {site.var} aside" in process.stderr
        assert "Traceback" not in process.stderr
        assert content(site) == before


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("statement", "misfit"),
    [
        (
            "ALTER TABLE tournaments_kept DROP COLUMN seconds",
            "there is no column seconds in tournaments_kept.",
        ),
        ("DROP TABLE tournaments_exportchunk", "there is no table tournaments_exportchunk."),
    ],
)
def test_a_changed_schema_is_found(statement: str, misfit: str) -> None:
    assert schema_compatibility.refusal() == ""
    with connection.cursor() as cursor:
        cursor.execute(statement)
        assert schema_compatibility.misfit() == misfit
        cursor.execute("DELETE FROM django_migrations WHERE app = 'tournaments'")
        assert schema_compatibility.misfit() == ""  # the migration will create it


@pytest.mark.django_db
def test_migrate_refuses_unknown_migrations() -> None:
    MigrationRecorder(connection).record_applied("tournaments", "9999_of_tomorrow")
    remedy = "move .* aside" if connection.vendor == "sqlite" else "name an empty database"
    pattern = (
        rf"the migration tournaments\.9999_of_tomorrow\. Nothing has been changed\. .*{remedy}"
    )
    with pytest.raises(CommandError, match=pattern):
        call_command("migrate", verbosity=0)


@pytest.mark.django_db
def test_migrations_of_other_packages_are_ignored() -> None:
    MigrationRecorder(connection).record_applied("auth", "9999_of_tomorrow")
    assert schema_compatibility.misfit() == ""
