"""Select running matches that people may watch, and their public moves.

Two rules keep live views from helping players. A live view shows only facts that all seats of the
match know already, never a hand (`engine.player_view`). And only the last match of its deal group
is shown, so that nothing is visible while another match with the same cards is unfinished. In
addition, the organizer can set a delay.
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
    group_is_over,
)
from tournaments.visibility import public_unfrozen_tournaments

LATEST: Final = 100
"""Number of latest matches that are searched for the most dramatic one."""


def last_of_groups() -> QuerySet[Match]:
    """Matches in play whose deal groups have no other unfinished match."""
    others = Match.objects.filter(
        deal_group=OuterRef("deal_group"), state__in=Match.UNFINISHED
    ).exclude(pk=OuterRef("pk"))
    # Select by attempts: no index covers the few matches in play.
    running = Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING).values("match")
    return Match.objects.filter(~Exists(others), pk__in=running, state=Match.State.PLAYING)


@dataclass(frozen=True, slots=True)
class ShownMoves:
    """The moves of a running attempt that may be shown now."""

    attempt: int
    first: int
    """The number, in the match, of the first move in `moves`."""
    moves: list[str]


def shown_moves(
    match: int, delay: int, position: tuple[int, int] | None = None
) -> ShownMoves | None:
    """The public moves of a running match, written at least `delay` seconds ago.

    `position`: (attempt, number of its moves that the caller already has); if that attempt still
    runs, only later moves are read, maybe none. None if the match may not be shown, or if no move
    is old enough.
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
        move for chunk in rows.order_by("first").values_list("moves", flat=True) for move in chunk
    ]
    return ShownMoves(attempt, first, moves) if moves or first else None


def strongest_live(tournament: Tournament | None = None) -> int | None:
    """The running match with the strongest bots, of those that everybody may watch; None if there
    is none. `tournament`: consider its matches only."""
    rows = LiveMoves.objects.filter(
        attempt__outcome=Attempt.Outcome.RUNNING,
        attempt__match__in=last_of_groups(),
        attempt__match__tournament__in=_watchable_tournaments(tournament),
    )
    delays = rows.order_by().values_list("attempt__match", "attempt__match__tournament__live_delay")
    time = now()
    candidates = [
        match
        for match, delay, written in delays.annotate(first_written=Min("written"))
        if written <= time - timedelta(seconds=delay)
    ]
    return _strongest(candidates) if len(candidates) > 1 else next(iter(candidates), None)


def most_dramatic(tournament: Tournament | None = None) -> int | None:
    """The most dramatic match with a public replay among the `LATEST` finished ones; None if none
    of these has one.

    `tournament`: consider its matches only.
    """
    finished = Match.objects.filter(state=Match.State.FINISHED, finished__isnull=False)
    if tournament is not None:
        finished = finished.filter(tournament=tournament)
    latest = finished.order_by("-finished", "-pk").values("pk")[:LATEST]
    matches = Match.objects.filter(
        group_is_over("deal_group"), tournament__in=_watchable_tournaments(tournament)
    )
    candidates = matches.filter(pk__in=latest)
    return candidates.order_by("-drama", "-finished", "-pk").values_list("pk", flat=True).first()


def _watchable_tournaments(tournament: Tournament | None) -> QuerySet[Tournament]:
    """The given tournament, which the caller must be allowed to show, or all public ones; never one
    whose standings are frozen."""
    if tournament is None:
        return public_unfrozen_tournaments()
    return Tournament.objects.listed().filter(pk=tournament.pk, frozen__isnull=True)


def _strongest(matches: Sequence[int]) -> int:
    """The match with the highest mean rating of its seats, in the pool of its format."""
    seats = Seat.objects.filter(match__in=matches).values_list("match", "version", "match__format")
    seats_and_pools = [(match, version, fmt.partition("?")[0]) for match, version, fmt in seats]
    ratings_of_versions = Rating.objects.filter(
        kind=Rating.Kind.ALL, version__in={row[1] for row in seats_and_pools}
    )
    live_ratings = {
        (version, pool): rating
        for version, pool, rating in ratings_of_versions.values_list("version", "pool", "live")
    }
    ratings: dict[int, list[float]] = defaultdict(list)
    for match, version, pool in seats_and_pools:
        ratings[match].append(live_ratings.get((version, pool), 0.0))
    return max(ratings, key=lambda match: (sum(ratings[match]) / len(ratings[match]), -match))
