"""`manage.py env`: write the settings of a service on an installed site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cardroom import env_files
from cardroom.programs import SERVICES


class Command(BaseCommand):
    help = (
        "Write a service's settings file for systemd, and print SQL for psql (as a superuser) that "
        "creates the service's role in PostgreSQL."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("service", choices=SERVICES)
        parser.add_argument(
            "--host",
            default="",
            help="the site's host name, if a proxy on this machine serves it over HTTPS",
        )
        parser.add_argument(
            "--database",
            default=env_files.DATABASE,
            metavar="URL",
            help="without a user, such as postgres://10.0.0.5/cardroom; by default on this machine",
        )
        parser.add_argument("--redis", default=env_files.REDIS, metavar="URL")
        parser.add_argument("--to", type=Path, default=env_files.FOLDER, metavar="FOLDER")
        parser.add_argument(
            "--group", help="the group that can read the file; by default cardroom-SERVICE"
        )
        parser.add_argument("--force", action="store_true", help="replace an existing file")

    def handle(self, *_args: Any, **options: Any) -> None:
        file = env_files.EnvFile.new(
            options["service"], options["database"], options["redis"], options["host"]
        )
        group = options["group"] or file.user
        try:
            path = file.write(options["to"], group, force=options["force"])
        except env_files.EnvFileError as error:
            raise CommandError(str(error)) from error
        self.stderr.write(f"{path}: {', '.join(file.variables())}; the group {group} can read it.")
        for statement in file.role_statements():
            self.stdout.write(statement)
