"""The speed of matches at home, the time left, and the leader of a tournament."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from tournaments.deal_groups import Entrant, match_points
from tournaments.ratings.elo import interval_text
from tournaments.ratings.fit import fit
from tournaments.ratings.fit_result import chance_above_zero
from tournaments.ratings.result_arrays import RatedMatch

_REST: Final = 20.0
"""Pause between two estimates, in units of the time that the last one took."""


@dataclass(slots=True)
class Pace:
    """The speed of play since `start_time`."""

    played: int = 0
    start_time: float = field(default_factory=time.monotonic)

    def words(self, remaining: int | None) -> list[str]:
        """Matches per second and, if the number of remaining matches is known, the time left."""
        elapsed = time.monotonic() - self.start_time
        if not self.played or not remaining or elapsed <= 0:
            return []
        speed = self.played / elapsed
        return [f"{speed:.1f} matches/s", f"{timedelta(seconds=round(remaining / speed))} left"]


@dataclass(slots=True)
class Leader:
    """The bot with the highest rating so far, in the largest group that matches connect."""

    games: list[RatedMatch] = field(default_factory=list)
    points: dict[Entrant, float] = field(default_factory=dict)
    _text: str = ""
    _not_before: float = 0.0

    def add(self, game: RatedMatch) -> None:
        """Add a match."""
        self.games.append(game)
        for members, points in zip(game.sides, match_points(game.ranks), strict=True):
            for member in members:
                self.points[member] = self.points.get(member, 0.0) + points

    def text(self) -> str:
        """Points, rating and likelihood of superiority of the leader, recomputed at intervals that
        grow with the time it takes."""
        start_time = time.monotonic()
        if self.games and start_time >= self._not_before:
            self._text = self._estimate()
            self._not_before = start_time + _REST * (time.monotonic() - start_time)
        return self._text

    def _estimate(self) -> str:
        fitted = fit(self.games)
        ((largest, _),) = Counter(fitted.parts.tolist()).most_common(1)
        rivals = [rating for rating in fitted.ratings.values() if rating.component == largest]
        if len(rivals) < 2:
            return ""
        first, second = rivals[:2]
        superiority = chance_above_zero(*fitted.difference(first.entrant, second.entrant))
        return (
            f"{first.entrant} leads: {self.points[first.entrant]:g} points, Elo "
            f"{first.rating:.0f} ({interval_text(first.low, first.high)}), LOS {superiority:.0%}"
        )
