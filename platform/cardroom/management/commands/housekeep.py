"""`manage.py housekeep`: do what is due from time to time, until told to stop."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand

from cardroom import housekeeping
from cardroom.checks import log_at_start


class Command(BaseCommand):
    help = "Move tournaments on, sweep, fit ratings, dump; until SIGTERM or Ctrl-C."

    def handle(self, *_args: Any, **_options: Any) -> None:
        log_at_start()
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        housekeeping.keep(stop)
