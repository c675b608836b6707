"""Check archives of tournaments in `cardroom verify`."""

from __future__ import annotations

from typing import IO

from rich.progress import TextColumn

from bots.cli import verify
from bots.cli.common import progress_bar
from tournaments import archive


def check_archive(file: IO[bytes]) -> tuple[bool, str]:
    """Verify an archive; return (whether it is correct, a sentence with its contents or the first
    error)."""
    with progress_bar(TextColumn("{task.completed} records checked")) as bar:
        task = bar.add_task("records", total=None)
        try:
            report = archive.verify(file, on_match=lambda: bar.advance(task))
        except archive.ArchiveError as error:
            return False, str(error)
    counts = f"{report.entries} entries, {report.groups} deal groups, {report.records} records."
    limits = ""
    if report.hidden:
        limits += (
            f" The cards of {report.hidden} deal groups are still secret and were not checked."
        )
    if report.by_rating:
        limits += " Pairings and places follow from ratings and were not checked."
    text = f"agrees: {report.slug}, {report.state}, {counts}{limits}"
    return True, text


def register() -> None:
    """Register `check_archive` with `cardroom verify`."""
    if check_archive not in verify.zip_checks:
        verify.zip_checks.append(check_archive)
