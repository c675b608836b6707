"""Plays tournaments whose winners a test chooses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests import factories
from tournaments import actions
from tournaments.models import Match, Tournament


def win(match: Match, attempt: int, winners: Sequence[str]) -> None:
    """Store a result of two sides; the side whose bot comes first in `winners` wins."""
    outcome: Any = factories.outcome(match)
    names = [seat.version.bot.name for seat in match.seats.order_by("index")]
    first = min(names, key=winners.index) == names[0]
    outcome.record.result = outcome.record.result | {
        "scores": [21, 3] if first else [3, 21],
        "ranks": [1, 2] if first else [2, 1],
    }
    assert actions.store_result(attempt, outcome)


def play_round(tournament: Tournament, winners: Sequence[str]) -> None:
    """Play the waiting matches, and advance the tournament."""
    for attempt in actions.claim("test/1", 1000):
        win(attempt.match, attempt.pk, winners)
    actions.advance(tournament.pk)
    tournament.refresh_from_db()


def play_out(tournament: Tournament, winners: Sequence[str]) -> None:
    """Play a tournament to its end."""
    for _ in range(50):
        if tournament.state != Tournament.State.RUNNING:
            return
        play_round(tournament, winners)
    raise AssertionError(f"{tournament} does not end.")
