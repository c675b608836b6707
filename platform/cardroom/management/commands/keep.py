"""`manage.py keep`: remake what readers would wait for too long."""

from typing import Any

from django.core.management.base import BaseCommand

from bots import database
from cardroom.tasks import KINDS
from tournaments.reading.kept import make_due


class Command(BaseCommand):
    help = "Remake the tables and exports of tournaments that have new results."

    def handle(self, *_args: Any, **_options: Any) -> None:
        with database.patient():
            made = make_due(KINDS)
        self.stdout.write(f"{made} made.")
