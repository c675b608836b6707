"""Running matches as far as people may watch them.

Two things keep a live picture from helping anybody who plays. It shows what all seats of the match
know already, never a hand (`engine.seen`). And it is shown only of the match that is the last of
its deal group: as long as another one is to be played with the same cards, nothing is shown. The
organizer's delay comes on top.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Exists, OuterRef, QuerySet

from bots.moments import now
from tournaments.models import Attempt, LiveMoves, Match


def last_of_groups() -> QuerySet[Match]:
    """Matches in play whose deal groups have no other match that is still to be finished."""
    others = Match.objects.filter(
        deal_group=OuterRef("deal_group"), state__in=Match.UNFINISHED
    ).exclude(pk=OuterRef("pk"))
    return Match.objects.filter(~Exists(others), state=Match.State.PLAYING)


@dataclass(frozen=True, slots=True)
class Shown:
    """The moves of a running attempt that may be shown now."""

    attempt: int
    first: int
    """Number of the first of `moves` in the match."""
    moves: list[str]


def shown_moves(match: int, delay: int, known: tuple[int, int] | None = None) -> Shown | None:
    """What may be shown of a running match, `delay` seconds after it was written.

    `known`: an attempt and how many of its moves the caller has; only later ones are read, if
    the attempt is still that one. None: nothing may be shown, or nothing yet.
    """
    attempts = Attempt.objects.filter(match=match, outcome=Attempt.Outcome.RUNNING)
    attempt = attempts.filter(match__in=last_of_groups()).values_list("pk", flat=True).first()
    if attempt is None:
        return None
    first = known[1] if known is not None and known[0] == attempt else 0
    rows = LiveMoves.objects.filter(
        attempt=attempt, first__gte=first, written__lte=now() - timedelta(seconds=delay)
    )
    moves = [
        move for some in rows.order_by("first").values_list("moves", flat=True) for move in some
    ]
    return Shown(attempt, first, moves) if moves or first else None
