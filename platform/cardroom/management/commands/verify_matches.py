"""`manage.py verify_matches`: replay every stored record, and check the commitments."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet

from cardroom_base.db import database
from tournaments.models import Match, Tournament
from tournaments.reading.records import disagreement


class Command(BaseCommand):
    help = "Replay every stored record; report the first that does not agree."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tournament", metavar="SLUG", help="only matches of this tournament")

    def handle(self, *_args: Any, **options: Any) -> None:
        matches = Match.objects.filter(state=Match.State.FINISHED).order_by("pk")
        matches = matches.select_related("tournament", "deal_group")
        if slug := options["tournament"]:
            tournament = Tournament.objects.filter(slug=slug).first()
            if tournament is None:
                raise CommandError(f"There is no tournament {slug}.")
            matches = matches.filter(tournament=tournament)
        with database.long_timeouts():  # one statement reads all matches
            count = _verify(matches)
        self.stdout.write(f"{count} matches; every record agrees.")


def _verify(matches: QuerySet[Match]) -> int:
    """Check matches and return their number; CommandError at the first that does not agree."""
    count = 0
    for match in matches.iterator(chunk_size=200):
        if problem := disagreement(match):
            raise CommandError(
                f"Match {match.pk} of {match.tournament.slug} does not agree: {problem} "
                f"(The {count} matches before it agree.)"
            )
        count += 1
    return count
