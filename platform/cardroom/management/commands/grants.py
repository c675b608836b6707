"""`manage.py grants`: print SQL that grants services' roles their privileges in PostgreSQL."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cardroom.grants import ROLES, statements


class Command(BaseCommand):
    help = "Print SQL for psql that gives PostgreSQL roles the privileges of their services."

    def add_arguments(self, parser: CommandParser) -> None:
        services = "; ".join(f"{name}: {role.purpose}" for name, role in ROLES.items())
        parser.add_argument("service", nargs="?", choices=ROLES, help=f"by default all. {services}")
        parser.add_argument("--to", metavar="ROLE", help="the role; by default cardroom-SERVICE")

    def handle(self, *_args: Any, service: str | None, to: str | None, **_options: Any) -> None:
        if to and not service:
            raise CommandError("--to needs a service.")
        self.stdout.write("BEGIN;")
        for name in [service] if service else ROLES:
            for statement in statements(name, to or f"cardroom-{name}"):
                self.stdout.write(f"{statement};")
        self.stdout.write("COMMIT;")
