"""`manage.py grants`: the rights that a service's role needs in PostgreSQL."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from cardroom.grants import ROLES, statements


class Command(BaseCommand):
    help = "Print SQL for psql that gives a PostgreSQL role the rights of a service."

    def add_arguments(self, parser: CommandParser) -> None:
        services = "; ".join(f"{name}: {role.does}" for name, role in ROLES.items())
        parser.add_argument("service", choices=ROLES, help=services)
        parser.add_argument("--to", metavar="ROLE", help="the role; by default the service's name")

    def handle(self, *_args: Any, service: str, to: str | None, **_options: Any) -> None:
        self.stdout.write("BEGIN;")
        for statement in statements(service, to or service):
            self.stdout.write(f"{statement};")
        self.stdout.write("COMMIT;")
