"""`manage.py rebuild`: throw every projection away and make it anew."""

from typing import Any

from django.core.management.base import BaseCommand

from tournaments import projections


class Command(BaseCommand):
    help = "Recompute live ratings, their history and the fitted ratings from results."

    def handle(self, *_args: Any, **_options: Any) -> None:
        counted = projections.rebuild()
        self.stdout.write(f"Ratings are rebuilt from {counted} matches.")
