"""Creates accounts from a table, and prints a one-time link for each to set its password."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cardroom.actions.accounts import invite, read_invitations, site_address
from cardroom_base.core.errors import ActionError


class Command(BaseCommand):
    help = f"{__doc__} If any line is wrong, it creates no accounts."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", help="a CSV table with one row per account: name[,e-mail]; -: stdin"
        )
        parser.add_argument("--site", default=site_address(), help="the address of the site")

    def handle(self, *_: Any, file: str, site: str, **__: Any) -> None:
        try:
            text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8-sig")
            accounts = invite(read_invitations(text), None)
        except (OSError, UnicodeDecodeError, ActionError) as error:
            raise CommandError(str(error)) from error
        writer = csv.writer(self.stdout)
        writer.writerow(["name", "link"])
        writer.writerows((user.username, site.rstrip("/") + link) for user, link in accounts)
