"""`manage.py dump`: run the nightly dump now."""

import logging
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from cardroom import last_runs
from cardroom.supervisor import stop_on_signals
from engine import RecordError
from tournaments.exports.dump import dump

log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Write results, deals and moves of all public matches as JSON lines and Parquet."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", type=Path, default=settings.DUMP_DIR, metavar="DIR")

    def handle(self, *_args: Any, **options: Any) -> None:
        stop_on_signals()
        try:
            path, counts = dump(options["to"], settings.DUMPS_KEPT, licence=settings.DUMP_LICENCE)
        except (OSError, RecordError) as error:
            raise CommandError(f"No dump was created: {error}") from error
        except KeyboardInterrupt:
            raise CommandError("No dump was created: the command was interrupted.") from None
        last_runs.record(last_runs.DUMP)
        rows = ", ".join(f"{count} {name}" for name, count in counts.items())
        log.info("%s: %s", path, rows)
