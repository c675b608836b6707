"""`manage.py doctor`, `cardroom doctor`: list the problems of this host."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cardroom import doctor
from cardroom.env_files import FOLDER

TITLES = {
    doctor.Severity.STOPS: "Does not work",
    doctor.Severity.ENDANGERS: "Data or secrets are at risk",
    doctor.Severity.WEAKENS: "Could be better",
}


class Command(BaseCommand):
    help = (
        "List the problems of this host, most serious first, each with the command that fixes it. "
        "The exit status is 1 if something does not work or is at risk, else 0."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")
        parser.add_argument(
            "--settings-in",
            type=Path,
            default=FOLDER,
            metavar="FOLDER",
            help=f"the folder in which `manage.py env` wrote the settings ({FOLDER})",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        folder = options["settings_in"]
        if os.geteuid() != 0 and any(folder.glob("*.env")):
            raise CommandError(f"Only root can read {folder}.")
        findings = doctor.examine(folder)
        if options["json"]:
            self.stdout.write(json.dumps([finding.as_json() for finding in findings], indent=2))
        else:
            for level, title in TITLES.items():
                self._write(title, [finding for finding in findings if finding.level == level])
            if not findings:
                self.stdout.write("No problems were found.")
        if any(finding.level < doctor.Severity.WEAKENS for finding in findings):
            sys.exit(1)

    def _write(self, title: str, findings: list[doctor.Finding]) -> None:
        if findings:
            self.stdout.write(f"{title}:")
        for finding in findings:
            service = f"{finding.service}: " if finding.service else ""
            self.stdout.write(f"  {service}{finding.what}\n      {finding.fix}")
