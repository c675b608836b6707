"""`manage.py restore`: put a verified backup in place, or change nothing."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from cardroom import backups
from cardroom.supervisor import stop_on_signals

DEFAULT_RECORDS: Final = 200


class Command(BaseCommand):
    help = "Verify a backup and put it in place of the database, while the site is stopped."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder that `manage.py backup` created")
        parser.add_argument(
            "--force",
            action="store_true",
            help="replace a database that is not empty, and keep it under another name",
        )
        parser.add_argument(
            "--records",
            type=_parse_records,
            default=DEFAULT_RECORDS,
            metavar="N",
            help=f"the number of records to verify by replaying them, or `all` ({DEFAULT_RECORDS})",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        stop_on_signals()
        try:
            outcome = backups.restore(
                options["folder"],
                force=options["force"],
                records=options["records"],
                say=self._say,
            )
        except backups.FAILURES as error:
            raise CommandError(f"Nothing was restored. {error}") from error
        except KeyboardInterrupt:
            raise CommandError("Nothing was restored: the command was interrupted.") from None
        self._report(outcome)

    def _report(self, outcome: backups.Restored) -> None:
        """Print the outcome and the next steps."""
        self._say(
            f"Restored the backup of {outcome.about.made}. Verified: the files, all rows of "
            f"{len(outcome.about.rows)} tables, {outcome.replayed} of {outcome.finished} records "
            "by replaying them, the settings."
        )
        if outcome.old_database:
            self._say(f"The earlier database is kept: {outcome.old_database}")
        if outcome.key_changed:
            self._say("The secret key is now the backup's; copy it to the other web servers.")
        if outcome.playing:
            self._say(
                f"{outcome.playing} matches were running at that time; when their leases end, they "
                "will be played again."
            )
        self._say(
            "Now start the site. Everything since the backup is lost: uploads, results, "
            "changed passwords and revoked tokens."
        )

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _parse_records(text: str) -> int | None:
    if text == "all":
        return None
    if not text.isdecimal():
        raise ArgumentTypeError("a number, or `all`")
    return int(text)
