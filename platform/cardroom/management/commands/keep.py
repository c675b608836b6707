"""`manage.py keep`: rebuild cached data for which readers would wait too long."""

from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand

from cardroom.supervisor import stop_on_signals
from cardroom.tasks import KINDS
from cardroom_base.db import database
from tournaments.projections import tallies
from tournaments.reading.kept import make_due


class Command(BaseCommand):
    help = "Count new results of bots, and rebuild the tables and exports of their tournaments."

    def handle(self, *_args: Any, **_options: Any) -> None:
        stop_on_signals()
        counted = tables = 0
        # Interrupted, or without a database, it leaves the rest to the next one.
        with suppress(KeyboardInterrupt), database.skip_if_away(), database.patient():
            counted = tallies.count_new()
            tables = make_due(KINDS)
        self.stdout.write(f"{tables} rebuilt, {counted} matches counted.")
