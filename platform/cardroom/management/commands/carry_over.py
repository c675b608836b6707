"""`manage.py carry_over`: continue a running tournament under the rules in force."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from cardroom_base.core.errors import ActionError
from tournaments.actions import carry_over
from tournaments.models import Tournament


class Command(BaseCommand):
    help = "Continue a running tournament or trial under the rules in force; its log records that."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the tournament's name in addresses")
        parser.add_argument("--reason", default="The site's staff decided it.")

    def handle(self, *_args: Any, **options: Any) -> None:
        tournament = Tournament.objects.filter(slug=options["slug"]).first()
        if tournament is None:
            raise CommandError(f"There is no tournament {options['slug']}.")
        try:
            carried = carry_over(tournament, None, options["reason"])
        except ActionError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{carried.name} continues under version {carried.rules}.")
