"""`manage.py migrate`: Django's command without time limits for statements; it refuses a database
that this program cannot migrate."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate

from cardroom import schema_compatibility
from cardroom_base.db import database


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        if refusal := schema_compatibility.refusal():
            raise CommandError(refusal)
        with database.long_timeouts():
            super().handle(*args, **options)
