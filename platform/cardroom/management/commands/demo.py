"""`manage.py demo`: play tournaments of the house bots on a new site, and serve it."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from bots.cli.common import Screen
from cardroom import services
from cardroom.management.commands import up
from cardroom.supervisor import Supervisor
from seeds.demo import demo_analyses, demo_ladders, demo_tournaments, seed_house_bots
from tournaments import projections, reading
from tournaments.models import Analysis, Attempt, Entry, Match, Rating, Tournament
from tournaments.ratings.elo import interval_text

State = Tournament.State
ANALYSE_SECONDS = 40
"""Seconds for which the start of the ladders waits for analyses."""


class Command(BaseCommand):
    help = "Seed the site, play tournaments of the house bots, show the tables, serve."

    def add_arguments(self, parser: ArgumentParser) -> None:
        up.add_arguments(parser)
        parser.add_argument(
            "--groups", type=int, help="number of deal groups per pairing in a new tournament"
        )
        parser.add_argument("--once", action="store_true", help="print the tables and stop")

    def handle(self, *_args: Any, **options: Any) -> None:
        console = Screen()
        host = options["host"]
        port = None if options["once"] else _port(host, options["port"])
        try:
            with up.running(self, host, port, options["workers"]) as supervisor:
                seed_house_bots()
                tournaments = demo_tournaments(options["groups"])
                play(tournaments, supervisor, console)
                for tournament in tournaments:
                    console.print(rating_table(tournament))
                first = f"tournaments/{tournaments[0].slug}/"
                if port is None:
                    demo_ladders()  # they start to play when the site is served
                    console.print(f"\n`make demo` serves this site; start at /{first}")
                    console.print("`make demo PORT=8080` serves it on another port.")
                    return
                console.print(f"\nOpen {up.address(host, port)}{first}")
                analyse(tournaments, console)
                demo_ladders()
                console.print("Press Ctrl-C to stop everything.")
                up.serve(supervisor)
        except KeyboardInterrupt:
            console.print("\nStopped.")


def analyse(tournaments: Sequence[Tournament], console: Screen) -> None:
    """Wait up to `ANALYSE_SECONDS` for analyses of a match of each game, before ladders start."""
    keys = {analysis.pk for analysis in demo_analyses(tournaments)}
    console.print(f"Analysing {len(keys)} of the matches.")
    deadline = time.monotonic() + ANALYSE_SECONDS
    unfinished = Analysis.objects.filter(pk__in=keys, finished=None)
    while unfinished.exists() and time.monotonic() < deadline:
        time.sleep(1)


def _port(host: str, first: int) -> int:
    """The first free port from `first` on; CommandError if there is none."""
    try:
        return services.free_port(host, first)
    except services.PortTakenError as error:
        raise CommandError(str(error)) from error


def play(tournaments: Sequence[Tournament], supervisor: Supervisor, console: Screen) -> None:
    """Wait until all tournaments are over, and show progress; CommandError if one cannot end."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    draws_bars = console.is_terminal  # otherwise, print a line per finished tournament
    if not draws_bars:
        console.print(f"Playing {len(tournaments)} tournaments: a minute or two.")
    with Progress(*columns, console=console, disable=not draws_bars) as progress:
        bars = {
            cup: progress.add_task(f"{cup.name}: {cup.format}", total=None) for cup in tournaments
        }
        while True:
            supervisor.tick()
            if report := supervisor.crash_report():
                raise CommandError(report)
            for tournament, bar in bars.items():
                before = tournament.state
                show_progress(tournament, progress, bar)
                if not draws_bars and before == State.RUNNING != tournament.state:
                    played = progress.tasks[bar].completed
                    console.print(f"{tournament.name}: {tournament.format}, {played:.0f} matches")
            if all(tournament.state != State.RUNNING for tournament in tournaments):
                break
            time.sleep(0.5)  # each poll costs several queries for each tournament
    projections.refresh()


def show_progress(tournament: Tournament, progress: Progress, bar: TaskID) -> None:
    """Update a tournament's bar; CommandError if one of its matches is stuck."""
    if tournament.state != State.RUNNING and progress.tasks[bar].finished:
        return
    tournament.refresh_from_db(fields=["state"])
    refuse_stuck(tournament)
    matches = tournament.matches.exclude(state=Match.State.VOID)
    finished = matches.filter(state=Match.State.FINISHED).count()
    progress.update(bar, completed=finished, total=matches.count())


def refuse_stuck(tournament: Tournament) -> None:
    """Raise CommandError with the causes if a match is stuck."""
    stuck = tournament.matches.filter(state=Match.State.STUCK).first()
    if stuck is not None:
        causes = Attempt.objects.filter(match=stuck).values_list("cause", flat=True)
        raise CommandError(f"Match {stuck.pk} cannot be played: {'; '.join(set(causes))}")


def rating_table(tournament: Tournament) -> Table:
    """Ratings in the tournament's pool, and each bot's results in the tournament."""
    pool = projections.pools_of(tournament.format)[0]
    rows = {row.entrant: row for row in reading.tournament_standings(tournament)}
    entries = Entry.objects.filter(tournament=tournament).select_related("bot")
    by_version = {entry.version_id: entry for entry in entries}
    table = Table(title=f"{pool}: ratings after {tournament.name}")
    for name in ("", "Bot", "Rating", "95 %", "Groups", "Won", "Drawn", "Lost"):
        table.add_column(name, justify="left" if name == "Bot" else "right")
    ratings = Rating.objects.filter(pool=pool, kind="all", version__in=by_version).order_by(
        "-fitted"
    )
    for place, rating in enumerate(ratings, 1):
        row = rows[by_version[rating.version_id].pk]
        table.add_row(
            str(place),
            by_version[rating.version_id].bot.name,
            f"{rating.fitted:.0f}",
            interval_text(rating.low, rating.high),
            *(str(number) for number in (row.groups, row.won, row.drawn, row.lost)),
        )
    return table
