"""`manage.py backup`: copy database and secret key while the site runs."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import Error

from cardroom import backups, last_runs
from cardroom.backups.disk import size
from cardroom.supervisor import stop_on_signals

DEFAULT_KEEP: Final = 7
_COUNTED_TABLES: Final = {
    "accounts": "auth_user",
    "bots": "bots_bot",
    "tournaments": "tournaments_tournament",
    "matches": "tournaments_match",
    "records": "tournaments_storedrecord",
}


class Command(BaseCommand):
    help = "Copy the database and the secret key while the site runs; `restore` puts them back."

    def add_arguments(self, parser: ArgumentParser) -> None:
        default_folder = Path(settings.VAR_DIR) / "backups"
        parser.add_argument("--to", type=Path, default=default_folder, metavar="FOLDER")
        parser.add_argument(
            "--keep",
            type=int,
            nargs="?",
            const=DEFAULT_KEEP,
            metavar="N",
            help=f"delete all but the newest N backups in the folder ({DEFAULT_KEEP})",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        stop_on_signals()
        if options["keep"] is not None and options["keep"] < 1:
            raise CommandError("--keep must be 1 or more.")
        try:
            folder, about = backups.create(options["to"], self._say)
        except backups.FAILURES as error:
            raise CommandError(f"No backup was created: {error}") from error
        except KeyboardInterrupt:
            raise CommandError("No backup was created: the command was interrupted.") from None
        rows = ", ".join(
            f"{about.rows.get(table, 0)} {name}" for name, table in _COUNTED_TABLES.items()
        )
        try:
            last_runs.record(last_runs.BACKUP)
        except Error as error:  # such as before `migrate`
            self._say(f"The status page will not show this backup: {error}")
        total = sum(path.stat().st_size for path in folder.iterdir())
        self._say(f"{folder}: {rows}; {size(total)}, verified.")
        if "secret-key" not in about.files:
            self._say(
                "The backup does not contain the secret key from the environment. Save that, too."
            )
        if options["keep"] is not None:
            for old in backups.prune(options["to"], options["keep"]):
                self._say(f"Deleted {old}.")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
