"""The score of a challenge: points of each deal group, their mean and its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import sqrt
from statistics import fmean, variance
from typing import Final

from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import Q, QuerySet

from bots.models import BotVersion
from tournaments.deal_groups import match_points
from tournaments.models import Challenge, Match
from tournaments.ratings.elo import Z95
from tournaments.reading.matches import MatchRow, match_rows
from tournaments.visibility import AnyViewer, visible_to

FICTITIOUS_POINTS: Final = (1.0, 1.0, 0.0, 0.0)
"""Points of fictitious groups added for the interval (Agresti and Coull 1998), which make it valid
for few groups and for groups with equal points."""


@dataclass(frozen=True, slots=True)
class ChallengeGroup:
    """A deal group of a challenge."""

    number: int
    matches: Sequence[MatchRow]
    points: float | None
    """The challenger's share of the matches, 0 to 1; a tie is half. None unless all matches have a
    result, because the score of half a group depends on the cards."""


@dataclass(frozen=True, slots=True)
class Score:
    """The challenger's score in the finished deal groups."""

    groups: Sequence[ChallengeGroup]
    """All deal groups, in their order."""
    won: int
    level: int
    lost: int
    share: float | None
    """The challenger's mean points, 0 to 1; None before the first group is over."""
    interval: tuple[float, float] | None
    """The 95 % interval of `share`."""

    @property
    def low(self) -> float | None:
        """Lower end of the interval."""
        return self.interval[0] if self.interval else None

    @property
    def high(self) -> float | None:
        """Upper end of the interval."""
        return self.interval[1] if self.interval else None

    @property
    def matches(self) -> list[int]:
        """Primary keys of all matches, group by group."""
        return [row.pk for group in self.groups for row in group.matches]

    @property
    def over(self) -> int:
        """Number of groups that are over."""
        return self.won + self.level + self.lost

    @property
    def better(self) -> bool | None:
        """Whether the challenger is better than its opponent; None while chance may explain the
        score."""
        if self.interval is None or self.interval[0] <= 0.5 <= self.interval[1]:
            return None
        return self.interval[0] > 0.5


def challenges(viewer: AnyViewer) -> QuerySet[Challenge]:
    """The challenges that the viewer may see, newest first, with bots and tournament."""
    rows = Challenge.objects.select_related(
        "tournament", "candidate__bot__owner", "opponent__bot__owner", "by"
    )
    visible = visible_to(viewer).filter(trial=True)
    return rows.filter(tournament__in=visible.values("pk")).order_by("-pk")


def own_challenges(user: AbstractBaseUser) -> QuerySet[Challenge]:
    """The challenges that the user made, or that one of the user's bots got; newest first."""
    own_versions = BotVersion.objects.filter(bot__owner=user.pk).values("pk")
    return challenges(user).filter(Q(by=user.pk) | Q(opponent__in=own_versions))


def score_of(challenge: Challenge) -> Score:
    """The score from all matches of a challenge; takes four queries."""
    own = (challenge.candidate.bot.slug, challenge.candidate.number)
    matches = Match.objects.filter(
        tournament=challenge.tournament_id, deal_group__retired__isnull=True
    )
    keys = matches.order_by("deal_group__number", "rotation").values_list("pk", flat=True)
    rows = match_rows(list(keys))
    return total_score(
        [
            group_of(number, list(group_rows), own)
            for number, group_rows in groupby(rows, lambda row: row.fixture)
        ]
    )


def group_of(
    number: int, matches: Sequence[MatchRow], challenger: tuple[str, int]
) -> ChallengeGroup:
    """A deal group; `challenger`: its slug and the number of its version. Pure."""
    if any(row.state != Match.State.FINISHED for row in matches):
        return ChallengeGroup(number, matches, None)
    return ChallengeGroup(number, matches, fmean(_points(row, challenger) for row in matches))


def _points(row: MatchRow, challenger: tuple[str, int]) -> float:
    side = next(seat.side for seat in row.seats if (seat.slug, seat.version) == challenger)
    return match_points([result.rank for result in row.results])[side]


def total_score(groups: Sequence[ChallengeGroup]) -> Score:
    """The score of these deal groups together. Pure."""
    points = [group.points for group in groups if group.points is not None]
    return Score(
        groups=groups,
        won=sum(point > 0.5 for point in points),
        level=sum(point == 0.5 for point in points),
        lost=sum(point < 0.5 for point in points),
        share=fmean(points) if points else None,
        interval=_interval(points) if points else None,
    )


def _interval(points: Sequence[float]) -> tuple[float, float]:
    values = [*points, *FICTITIOUS_POINTS]
    mean, margin = fmean(values), Z95 * sqrt(variance(values) / len(values))
    return max(0.0, mean - margin), min(1.0, mean + margin)
