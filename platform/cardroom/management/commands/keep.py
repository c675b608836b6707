"""`manage.py keep`: count new results, and rebuild cached data that is slow to compute."""

import logging
import os
import select
import sys
from contextlib import suppress
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandParser
from django.db import connections

from cardroom.supervisor import stop_on_signals
from cardroom.tasks import KINDS
from cardroom_base.db import database
from tournaments.projections import tallies
from tournaments.reading.content_cache import compute_due

log = logging.getLogger(__name__)

MAX_RUNS: Final = 100
"""The number of runs after which `--listen` ends, because a new process uses less memory."""
IDLE_SECONDS: Final = 600.0
"""Seconds without a request after which `--listen` ends."""


class Command(BaseCommand):
    help = "Count new results of bots, and rebuild the tables and exports of their tournaments."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--listen",
            action="store_true",
            help="do this for every write to standard input, until it is closed",
        )

    def handle(self, *_args: Any, listen: bool = False, **_options: Any) -> None:
        stop_on_signals()
        # If interrupted, or without a database, it leaves the rest to the next run.
        with suppress(KeyboardInterrupt):
            if not listen:
                self._keep()
                return
            for _ in range(MAX_RUNS):
                if not _wait_for_request():
                    return
                self._keep()
                connections.close_all()

    def _keep(self) -> None:
        matches = tables = 0
        try:
            with database.skip_if_unavailable(), database.long_timeouts():
                matches = tallies.count_new()
                tables = compute_due(KINDS)
        finally:
            log.info("%s tables and exports rebuilt, %s matches counted.", tables, matches)


def _wait_for_request() -> bool:
    """Wait for a request, and take all waiting ones as one. False if there will be none."""
    poll = select.poll()
    poll.register(sys.stdin, select.POLLIN)
    return bool(poll.poll(IDLE_SECONDS * 1000.0) and os.read(sys.stdin.fileno(), 4096))
