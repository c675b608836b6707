"""`manage.py sweep`: run the periodic sweep now."""

from typing import Any

from django.core.management.base import BaseCommand

from cardroom_base.db import outbox
from tournaments import tasks
from tournaments.actions import sweep_attempts


class Command(BaseCommand):
    help = "Close lost attempts, advance stalled tournaments, wake workers for waiting work."

    def handle(self, *_args: Any, **_options: Any) -> None:
        counts = {
            "attempts lost": sweep_attempts(),
            "tournaments advanced": tasks.advance_stalled(),
        }
        try:
            counts["workers woken"] = tasks.announce_waiting()
        except Exception as error:  # noqa: BLE001 - brokers fail in many ways
            self.stderr.write(f"The broker cannot be reached: {error}")
        counts["messages sent"] = outbox.relay()
        counts["old messages deleted"] = outbox.purge()
        for name, count in counts.items():
            self.stdout.write(f"{name}: {count}")
