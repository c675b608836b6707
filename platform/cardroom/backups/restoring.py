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
from cardroom.backups import about as abouts
from cardroom.backups import keys
from cardroom.backups.about import About, BackupError
from cardroom.backups.databases import count_rows, refuse_newer, working_in
from cardroom.backups.engines import Engine, engine
from cardroom.backups.files import ProgressReporter, Say
from cardroom_base.db import database
from cardroom_base.db.db_time import now
from tournaments.models import KeptExport, Ledger, Match
from tournaments.models.ratings import new_epoch
from tournaments.reading.records import disagreement

_ATTEMPTS: Final = "tournaments_attempt"
_GAP: Final = 1_000_000
"""A gap in attempts' numbers that exceeds the attempts made between a backup and its restore."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The outcome of a restore."""

    about: About
    kept: str
    """The earlier database, as a file or a database's name; empty if there was none."""
    key: bool
    """Whether the secret key has changed."""
    records: int
    """The number of records that were replayed."""
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
    kind = engine()
    about = _read_checked(folder, kind)
    with ExitStack() as stack:
        stack.enter_context(services.lock("restoring a backup"))
        kind.refuse_in_use()
        occupied = not kind.empty()
        if occupied and not force:
            raise BackupError(
                "There is already a database, and it is not empty. --force renames it and puts the "
                "backup in its place."
            )
        new = stack.enter_context(kind.filled(folder / kind.FILE, occupied=occupied, say=say))
        with working_in(new), database.long_timeouts():
            verified = _migrate_and_verify(about, kind, records, say)
            playing = Match.objects.filter(state=Match.State.PLAYING).count()
            stamp = f"{now():%Y%m%d-%H%M%S}"
        key = keys.prepare(folder, stamp)
        old_name = kind.put_in_place(new, occupied=occupied, stamp=stamp)
        if key is not None:
            keys.put_in_place(key)
    return Restored(about, old_name, key is not None, *verified, playing)


def _migrate_and_verify(
    about: About, kind: Engine, records: int | None, say: Say
) -> tuple[int, int]:
    """Migrate the restored database to this program's schema and verify it; see
    `_verify_records`."""
    _verify_rows(about.rows)
    if why := schema_compatibility.misfit():
        raise BackupError(f"This version of Cardroom cannot bring the backup up to date: {why}")
    say("Bringing the schema up to date …")
    call_command("migrate", interactive=False, verbosity=0)
    _separate_history(kind)
    verified = _verify_records(records, say)
    call_command("check", databases=["default"], stdout=StringIO())
    return verified


def _read_checked(folder: Path, kind: Engine) -> About:
    """The backup's description; BackupError if it is damaged or of another kind of database."""
    about = abouts.read(folder)
    if about.engine != kind.NAME:
        raise BackupError(
            f"This is a backup of {about.engine}, and DATABASE_URL names a database of "
            f"{kind.NAME}; one cannot be restored into the other."
        )
    refuse_newer(about.schema)
    if kind.FILE not in about.files:
        raise BackupError(f"{folder / abouts.NAME} does not mention {kind.FILE}.")
    abouts.refuse_changed(folder, about.files)
    return about


def _verify_rows(expected: Mapping[str, int]) -> None:
    with connection.cursor() as cursor:
        counts = count_rows(cursor, connection.introspection.table_names(cursor))
    for table, rows in expected.items():
        if counts.get(table) != rows:
            raise BackupError(
                f"The table {table} has {counts.get(table, 'no')} rows, but the backup has {rows}."
            )


def _separate_history(kind: Engine) -> None:
    """Keep events after the backup apart from events after the restore.

    Workers' copies of results become void, and the numbers of attempts after the backup are not
    reused, so a late result matches no attempt. Export files are deleted, because the backup may
    lack their content.
    """
    KeptExport.objects.all().delete()
    Ledger.objects.update(epoch=new_epoch())
    kind.skip_numbers(_ATTEMPTS, _GAP)


def _verify_records(most: int | None, say: Say) -> tuple[int, int]:
    """Replay an even sample of records, with the newest; returns the sample's size and the
    total."""
    progress = ProgressReporter(say)
    finished = Match.objects.filter(state=Match.State.FINISHED)
    every = list(finished.order_by("-pk").values_list("pk", flat=True))
    most = len(every) if most is None else most
    sample = every[:: -(-len(every) // most)] if every and most else []
    for count, key in enumerate(sample):
        match = finished.select_related("tournament", "deal_group").get(pk=key)
        if wrong := disagreement(match):
            raise BackupError(
                f"Match {key} of {match.tournament.slug} does not agree with its record: {wrong} "
                "If this program has other rules than the one that made the backup, "
                "restore with that one, or with --records 0."
            )
        progress.tell(f"… {count + 1} of {len(sample)} records agree")
    return len(sample), len(every)
