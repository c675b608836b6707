"""Store the moves of running attempts for spectators, and delete them afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from django.db import transaction

from tournaments.models import Attempt, LiveMoves, Match
from tournaments.reading.live import last_of_groups

MAX_MOVES: Final = 20_000
"""Maximum number of moves stored for an attempt."""


@transaction.atomic
def append_moves(attempt: int, match: int, first: int, moves: Sequence[str]) -> None:
    """Store moves and the new number of moves played. `first`: the number of the first move."""
    stored_moves = list(moves[: max(0, MAX_MOVES - first)])
    if stored_moves:
        LiveMoves.objects.create(attempt_id=attempt, first=first, moves=stored_moves)
    playing = Match.objects.filter(pk=match, state=Match.State.PLAYING)
    playing.update(moves_played=first + len(moves))


def watched_attempts(attempts: Iterable[int]) -> list[int]:
    """The attempts among these that run and whose moves people may have watched.

    Their cards must not be played again.
    """
    rows = Attempt.objects.filter(pk__in=list(attempts), outcome=Attempt.Outcome.RUNNING)
    rows = rows.filter(match__in=last_of_groups(), live_moves__isnull=False)
    return list(rows.order_by("pk").values_list("pk", flat=True).distinct())


def delete_ended_moves() -> int:
    """Delete the moves of attempts that no longer run; return the number of rows."""
    rows = LiveMoves.objects.exclude(attempt__outcome=Attempt.Outcome.RUNNING)
    return rows.delete()[0]
