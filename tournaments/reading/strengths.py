"""The strengths of a tournament's entries, by the ratings in its format's pool."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from tournaments.models import Entry, Rating, Tournament
from tournaments.pairing.ladder import UNSURE
from tournaments.projections.live_elo import pools_of
from tournaments.ratings.elo import START, half_width


@dataclass(frozen=True, slots=True)
class Strength:
    """The estimated strength of an entry; a team's is the mean of its members'."""

    rating: float = START
    """Elo points: the fitted rating, or live Elo before the first fit."""

    error: float = UNSURE
    """Half of the 95 % interval or, if one end is open, the width of its closed side."""

    low: float | None = START - UNSURE
    """Lower end of the 95 % interval; None: open."""

    high: float | None = START + UNSURE
    """Upper end of the 95 % interval; None: open."""

    fitted: bool = False
    """Whether all members have a fitted rating with an interval."""


def strengths(tournament: Tournament, entries: Iterable[Entry]) -> list[Strength]:
    """The strength of each entry; the caller has prefetched their mates."""
    teams = [[version for _, version in _members(entry)] for entry in entries]
    pool, _, _ = pools_of(tournament.format)
    ratings = Rating.objects.filter(pool=pool, kind=Rating.Kind.ALL)
    rows = ratings.values_list("version", "live", "fitted", "low", "high")
    by_version = {
        version: rating_strength(*values) for version, values in ((row[0], row[1:]) for row in rows)
    }
    return [
        team_strength([by_version.get(version, Strength()) for version in team]) for team in teams
    ]


def _members(entry: Entry) -> list[tuple[int, int]]:
    """Primary keys of the bots and versions of an entry."""
    mates = ((mate.bot_id, mate.version_id) for mate in entry.mates.all())
    return [(entry.bot_id, entry.version_id), *mates]


def rating_strength(
    live: float, fitted: float | None, low: float | None, high: float | None
) -> Strength:
    """The strength for a rating."""
    if fitted is None:
        return Strength(live, low=live - UNSURE, high=live + UNSURE)
    error = half_width(fitted, low, high)
    return Strength(fitted, UNSURE if error is None else error, low, high, fitted=True)


def team_strength(members: list[Strength]) -> Strength:
    """The strength of a team of independent members."""
    if len(members) == 1:
        return members[0]
    rating = fmean(member.rating for member in members)
    error = sqrt(sum(member.error**2 for member in members)) / len(members)
    return Strength(
        rating,
        error,
        None if any(member.low is None for member in members) else rating - error,
        None if any(member.high is None for member in members) else rating + error,
        fitted=all(member.fitted for member in members),
    )
