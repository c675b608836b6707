"""Restores a backup next to the site's database, verifies it, then replaces the site's."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Final

from django.core.management import call_command
from django.db import connection

from cardroom import schema_compatibility, services
from cardroom.backups import about as about_file
from cardroom.backups import secret_key
from cardroom.backups.about import About, BackupError
from cardroom.backups.databases import count_rows, refuse_newer, use_database
from cardroom.backups.disk import ProgressReporter, Say
from cardroom.backups.engines import Engine, site_engine
from cardroom_base.db import database
from cardroom_base.db.db_time import now
from tournaments.models import KeptExport, Ledger, Match
from tournaments.models.ratings import new_epoch
from tournaments.reading.records import disagreement

_ATTEMPTS: Final = "tournaments_attempt"
_SKIPPED_ATTEMPTS: Final = 1_000_000
"""Attempt numbers to skip: more than the attempts between a backup and its restore."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The outcome of a restore."""

    about: About
    old_database: str
    """The earlier database, as a path or a name; empty if there was none."""
    key_changed: bool
    """Whether the secret key has changed."""
    replayed: int
    """The number of replayed records."""
    finished: int
    """The number of records of finished matches."""
    playing: int
    """Matches that were running when the backup was made."""


def restore(folder: Path, *, force: bool, records: int | None, say: Say) -> Restored:
    """Replace the site's database by a backup, migrated to this program's schema and verified.

    `records`: the number of finished matches to replay, None for all. A database that is not empty
    needs `force`, and is renamed. After a BackupError, OSError or database error, nothing has
    changed.
    """
    engine = site_engine()
    about = _read_checked(folder, engine)
    with ExitStack() as stack:
        stack.enter_context(services.lock("restoring a backup"))
        engine.refuse_open_database()
        occupied = not engine.is_empty()
        if occupied and not force:
            raise BackupError(
                "There is already a database, and it is not empty. --force renames it and puts the "
                "backup in its place."
            )
        new = stack.enter_context(
            engine.fill_database(folder / engine.FILE, occupied=occupied, say=say)
        )
        with use_database(new), database.long_timeouts():
            verified = _migrate_and_verify(about, engine, records, say)
            playing = Match.objects.filter(state=Match.State.PLAYING).count()
            stamp = f"{now():%Y%m%d-%H%M%S}"
        key = secret_key.prepare(folder, stamp)
        old_name = engine.put_in_place(new, occupied=occupied, stamp=stamp)
        if key is not None:
            secret_key.put_in_place(key)
    return Restored(about, old_name, key is not None, *verified, playing)


def _migrate_and_verify(
    about: About, engine: Engine, records: int | None, say: Say
) -> tuple[int, int]:
    """Migrate the restored database to this program's schema, and verify it; returns the numbers
    of `_verify_records`."""
    _verify_rows(about.rows)
    if misfit := schema_compatibility.misfit():
        raise BackupError(f"This version of Cardroom cannot bring the backup up to date: {misfit}")
    say("Bringing the schema up to date …")
    call_command("migrate", interactive=False, verbosity=0)
    _separate_history(engine)
    verified = _verify_records(records, say)
    call_command("check", databases=["default"], stdout=StringIO())
    return verified


def _read_checked(folder: Path, engine: Engine) -> About:
    """The backup's description; BackupError if it is damaged or of another kind of database."""
    about = about_file.read(folder)
    if about.engine != engine.NAME:
        raise BackupError(
            f"This is a backup of {about.engine}, and DATABASE_URL names a database of "
            f"{engine.NAME}; one cannot be restored into the other."
        )
    refuse_newer(about.schema)
    if engine.FILE not in about.files:
        raise BackupError(f"{folder / about_file.NAME} does not mention {engine.FILE}.")
    about_file.refuse_changed(folder, about.files)
    return about


def _verify_rows(expected: Mapping[str, int]) -> None:
    """Raise BackupError unless each table has the expected number of rows."""
    with connection.cursor() as cursor:
        counts = count_rows(cursor, connection.introspection.table_names(cursor))
    for table, rows in expected.items():
        if counts.get(table) != rows:
            raise BackupError(
                f"The table {table} has {counts.get(table, 'no')} rows, but the backup has {rows}."
            )


def _separate_history(engine: Engine) -> None:
    """Keep events after the backup apart from events after the restore.

    Workers' copies of results become void, and the numbers of attempts after the backup are not
    reused, so a late result matches no attempt. Export files are deleted, because the backup may
    lack their content.
    """
    KeptExport.objects.all().delete()
    Ledger.objects.update(epoch=new_epoch())
    engine.skip_numbers(_ATTEMPTS, _SKIPPED_ATTEMPTS)


def _verify_records(limit: int | None, say: Say) -> tuple[int, int]:
    """Replay evenly spaced records, among them the newest; returns their number and the total."""
    progress = ProgressReporter(say)
    finished = Match.objects.filter(state=Match.State.FINISHED)
    keys = list(finished.order_by("-pk").values_list("pk", flat=True))
    limit = len(keys) if limit is None else limit
    sample = keys[:: -(-len(keys) // limit)] if keys and limit else []
    for count, key in enumerate(sample):
        match = finished.select_related("tournament", "deal_group").get(pk=key)
        if problem := disagreement(match):
            raise BackupError(
                f"Match {key} of {match.tournament.slug} does not agree with its record: {problem} "
                "If this program has other rules than the one that made the backup, "
                "restore with that one, or with --records 0."
            )
        progress.report(f"… {count + 1} of {len(sample)} records agree")
    return len(sample), len(keys)
