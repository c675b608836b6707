"""`manage.py sweep`: run the periodic sweep now."""

from typing import Any

from django.core.management.base import BaseCommand

from cardroom_base.db import outbox
from tournaments import tasks
from tournaments.actions import sweep_attempts


class Command(BaseCommand):
    help = "Close lost attempts, move stalled tournaments on, wake workers where work waits."

    def handle(self, *_args: Any, **_options: Any) -> None:
        done = {
            "attempts lost": sweep_attempts(),
            "tournaments moved on": tasks.advance_stalled(),
        }
        try:
            done["workers woken"] = tasks.wake()
        except Exception as error:  # noqa: BLE001 - brokers fail in many ways
            self.stderr.write(f"The broker cannot be asked: {error}")
        done["messages sent"] = outbox.relay()
        done["old messages deleted"] = outbox.purge()
        for what, count in done.items():
            self.stdout.write(f"{what}: {count}")
