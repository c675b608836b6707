"""Running matches as far as people may watch them.

Two things keep a live picture from helping anybody who plays. It shows what all seats of the match
know already, never a hand (`engine.player_view`). And it is shown only of the last match of its
deal group: as long as another one is to be played with the same cards, nothing is shown. The
organizer's delay comes on top.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db.models import Exists, Min, OuterRef, QuerySet

from cardroom_base.db.db_time import now
from tournaments.models import (
    Attempt,
    LiveMoves,
    Match,
    Rating,
    Seat,
    Tournament,
    over,
)

LATEST: Final = 100
"""How many matches that ended last are searched for the most dramatic one."""


def last_of_groups() -> QuerySet[Match]:
    """Matches in play whose deal groups have no other match that is still to be finished."""
    others = Match.objects.filter(
        deal_group=OuterRef("deal_group"), state__in=Match.UNFINISHED
    ).exclude(pk=OuterRef("pk"))
    # Not by state: no index leads to the few that are in play.
    running = Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING).values("match")
    return Match.objects.filter(~Exists(others), pk__in=running, state=Match.State.PLAYING)


@dataclass(frozen=True, slots=True)
class ShownMoves:
    """The moves of a running attempt that may be shown now."""

    attempt: int
    first: int
    """Number of the first of `moves` in the match."""
    moves: list[str]


def shown_moves(
    match: int, delay: int, position: tuple[int, int] | None = None
) -> ShownMoves | None:
    """The public part of a running match, `delay` seconds after it was written.

    `position`: an attempt and how many of its moves the caller has; only later ones are read, if
    the attempt is still that one. None: nothing may be shown, or nothing yet.
    """
    attempts = Attempt.objects.filter(match=match, outcome=Attempt.Outcome.RUNNING)
    attempt = attempts.filter(match__in=last_of_groups()).values_list("pk", flat=True).first()
    if attempt is None:
        return None
    first = position[1] if position is not None and position[0] == attempt else 0
    rows = LiveMoves.objects.filter(
        attempt=attempt, first__gte=first, written__lte=now() - timedelta(seconds=delay)
    )
    moves = [
        move for some in rows.order_by("first").values_list("moves", flat=True) for move in some
    ]
    return ShownMoves(attempt, first, moves) if moves or first else None


def strongest_live(tournament: Tournament | None = None) -> int | None:
    """The running match to show to visitors: of the matches that everybody may watch
    (of the tournament), the one with the strongest bots; None if there is none."""
    rows = LiveMoves.objects.filter(
        attempt__outcome=Attempt.Outcome.RUNNING,
        attempt__match__in=last_of_groups(),
        attempt__match__tournament__in=_everybodys(tournament),
    )
    begun = rows.order_by().values_list("attempt__match", "attempt__match__tournament__live_delay")
    moment = now()
    candidates = [
        match
        for match, delay, written in begun.annotate(first_written=Min("written"))
        if written <= moment - timedelta(seconds=delay)
    ]
    return _strongest(candidates) if len(candidates) > 1 else next(iter(candidates), None)


def most_dramatic(tournament: Tournament | None = None) -> int | None:
    """Of the matches that ended last (of the tournament) and whose replays are open, the most
    dramatic; None if there is none."""
    finished = Match.objects.filter(state=Match.State.FINISHED, finished__isnull=False)
    if tournament is not None:
        finished = finished.filter(tournament=tournament)
    latest = finished.order_by("-finished", "-pk").values("pk")[:LATEST]
    matches = Match.objects.filter(over("deal_group"), tournament__in=_everybodys(tournament))
    best = matches.filter(pk__in=latest)
    return best.order_by("-drama", "-finished", "-pk").values_list("pk", flat=True).first()


def _everybodys(tournament: Tournament | None) -> QuerySet[Tournament]:
    tournaments = Tournament.objects.visible_to(None).listed()
    return tournaments if tournament is None else tournaments.filter(pk=tournament.pk)


def _strongest(matches: Sequence[int]) -> int:
    """By the mean rating of the seats in the form that is played."""
    seats = Seat.objects.filter(match__in=matches).values_list("match", "version", "match__format")
    placed = [(match, version, form.partition("?")[0]) for match, version, form in seats]
    rated = Rating.objects.filter(kind=Rating.Kind.ALL, version__in={row[1] for row in placed})
    by_version = {
        (version, pool): live
        for version, pool, live in rated.values_list("version", "pool", "live")
    }
    ratings: dict[int, list[float]] = defaultdict(list)
    for match, version, pool in placed:
        ratings[match].append(by_version.get((version, pool), 0.0))
    return max(ratings, key=lambda match: (sum(ratings[match]) / len(ratings[match]), -match))
