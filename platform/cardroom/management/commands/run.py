"""`manage.py run`: run one process of a site. systemd and containers call it."""

from __future__ import annotations

import os
import sys
from argparse import REMAINDER
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from cardroom.programs import PROGRAMS, command, environment


class Command(BaseCommand):
    help = "Run one process of a site until SIGTERM or Ctrl-C; `up` starts all of them."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        purpose = "; ".join(f"{name}: {program.purpose}" for name, program in PROGRAMS.items())
        parser.add_argument("program", choices=PROGRAMS, help=purpose)
        parser.add_argument(
            "more",
            nargs=REMAINDER,
            metavar="...",
            help="further options for `manage.py serve` or Celery",
        )

    def handle(self, *_args: Any, program: str, more: list[str], **_options: Any) -> None:
        arguments = command(program, *more)
        sys.stdout.flush()
        os.execve(arguments[0], arguments, {**os.environ, **environment()})  # noqa: S606 - our own program
