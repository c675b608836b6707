"""`manage.py rebuild`: discard every projection and compute it again."""

from typing import Any

from django.core.management.base import BaseCommand

from cardroom_base.db import database
from tournaments import projections
from tournaments.projections import tallies
from tournaments.reading import kinds
from tournaments.reading.content_cache import recompute_all


class Command(BaseCommand):
    help = "Recompute ratings, their history and cached tables of tournaments from results."

    def handle(self, *_args: Any, **_options: Any) -> None:
        matches = projections.rebuild()
        self.stdout.write(f"Ratings were rebuilt from {matches} matches.")
        with database.long_timeouts():
            tallies.delete_totals_and_figures()
            matches = tallies.count_new()
        self.stdout.write(f"The totals of the bots were recounted from {matches} matches.")
        with database.long_timeouts():
            tables = recompute_all(kinds.KINDS)
        self.stdout.write(f"{tables} tables were rebuilt.")
