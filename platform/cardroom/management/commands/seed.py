"""`manage.py seed`: install the house bots."""

from typing import Any

from django.core.management.base import BaseCommand

from seeds.demo import seed_house_bots


class Command(BaseCommand):
    help = "Install the house bots; a changed one becomes a new version."

    def handle(self, *_args: Any, **_options: Any) -> None:
        for version in seed_house_bots():
            self.stdout.write(f"{version.bot.name} v{version.number} is ready.")
