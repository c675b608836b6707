"""`manage.py adopt_rules`: put this program's rules into force when it is deployed."""

from typing import Any

from django.core.management.base import BaseCommand

from tournaments.actions import adopt_rules


class Command(BaseCommand):
    help = "Put this program's rules into force. Running tournaments of the same version continue."

    def handle(self, *_args: Any, **_options: Any) -> None:
        for sentence in adopt_rules():
            self.stdout.write(sentence)
