"""`manage.py migrate`: Django's, without bounds on how long a statement takes."""

from typing import Any

from django.core.management.commands import migrate

from bots import database


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        with database.patient():
            super().handle(*args, **options)
