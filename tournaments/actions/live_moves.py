"""Store the moves of running attempts for spectators, and delete them afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from django.db import transaction

from tournaments.models import Attempt, LiveMoves, Match
from tournaments.reading.live import last_of_groups

MOST: Final = 20_000
"""Maximum number of moves stored for an attempt."""


@transaction.atomic
def append(attempt: int, match: int, first: int, moves: Sequence[str]) -> None:
    """Store moves, of which the first has the number `first`, and the total number of moves."""
    written = list(moves[: max(0, MOST - first)])
    if written:
        LiveMoves.objects.create(attempt_id=attempt, first=first, moves=written)
    playing = Match.objects.filter(pk=match, state=Match.State.PLAYING)
    playing.update(moves_played=first + len(moves))


def watched_attempts(attempts: Iterable[int]) -> list[int]:
    """The attempts among these that run and whose moves people may have watched.

    Their cards must not be played again.
    """
    watched = Attempt.objects.filter(pk__in=list(attempts), outcome=Attempt.Outcome.RUNNING)
    watched = watched.filter(match__in=last_of_groups(), live_moves__isnull=False)
    return list(watched.order_by("pk").values_list("pk", flat=True).distinct())


def tidy_live_moves() -> int:
    """Delete the moves of attempts that no longer run; return the number of rows."""
    ended = LiveMoves.objects.exclude(attempt__outcome=Attempt.Outcome.RUNNING)
    return ended.delete()[0]
