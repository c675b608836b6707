"""The evidence of a trial: scores of deal groups, and the sequential test on them.

Scores of finished deal groups are stored (`TrialGroup`), so each step reads only new ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Sum

from tournaments.course.divisions import PairedGroup
from tournaments.deal_groups import MatchResult, SideEntrants, group_score
from tournaments.models import DealGroup, Entry, Match, Seat, Trial, TrialGroup
from tournaments.ratings.sprt import (
    Scores,
    SprtBounds,
    Verdict,
    bounds,
    elo_of,
    field_llr,
    llr,
    verdict,
)
from tournaments.reading.course import paired_groups


@dataclass(frozen=True, slots=True)
class Evidence:
    """The results of a trial so far."""

    direct: Scores
    """The candidate's scores against the stable version in deal groups with both at the table."""

    field: tuple[tuple[float, float], ...]
    """(points of the candidate, points of the stable version) for each pair of deal groups in which
    they met the same opponent."""

    llr: float
    bounds: SprtBounds

    @property
    def groups(self) -> int:
        """Number of deal groups used."""
        return self.direct.groups + 2 * len(self.field)

    @property
    def verdict(self) -> Verdict:
        """The verdict of the sequential test so far."""
        return verdict(self.llr, self.groups, self.bounds)

    @property
    def gain(self) -> float | None:
        """The candidate's estimated lead over the stable version, in Elo points.

        None before the first group, and if one of them won all points.
        """
        mean = self.direct.mean
        return elo_of(mean) if self.direct.groups and 0 < mean < 1 else None


MIN_DIRECT_GROUPS = 4
"""Direct deal groups needed to estimate the pace of a trial."""
PER_GAIN = 415_000
"""A trial's mean number of direct deal groups is this, divided by the square of the gain that
it tests for, in Elo points. Measured by simulation; it depends on the sequential test's bounds."""


def usual_groups(gain: float, max_groups: int) -> int:
    """The usual number of direct deal groups of a trial that tests for `gain`, or `max_groups`.

    >>> usual_groups(50, 4000), usual_groups(20, 4000), usual_groups(5, 4000)
    (170, 1000, 4000)
    """
    return min(max_groups, int(float(f"{PER_GAIN / gain**2:.2g}")))


def seconds_left(evidence: Evidence, gain: float, max_groups: int, elapsed: float) -> float | None:
    """Estimated remaining time of a trial at its pace so far; None while unknown. Pure.

    `elapsed`: seconds since its start.
    """
    direct = evidence.direct.groups
    if direct < MIN_DIRECT_GROUPS or elapsed <= 0:
        return None
    return elapsed / direct * max(1, usual_groups(gain, max_groups) - direct)


def rivals(trial: Trial) -> list[tuple[Entry, bool]]:
    """(entry, whether it is playing in the trial now) for each bot of the field, in order."""
    playing = Seat.objects.filter(entry=OuterRef("pk"), match__state=Match.State.PLAYING)
    entries = Entry.objects.filter(tournament=trial.tournament_id).order_by("number")
    opponents: Any = entries.annotate(playing=Exists(playing)).select_related("bot")
    return [(entry, entry.playing) for entry in opponents if entry.bot_id != trial.candidate.bot_id]


def evidence_of(trial: Trial) -> Evidence:
    """The evidence from the stored scores (`store_scores`)."""
    scores = trial.scores.filter(score__isnull=False)
    sums = scores.filter(opponent=None).aggregate(
        groups=Count("pk"), total=Sum("score"), squares=Sum(F("score") * F("score"))
    )
    direct = Scores(sums["groups"], sums["total"] or 0.0, sums["squares"] or 0.0)
    points: dict[tuple[int, bool], list[float]] = {}
    rows = scores.filter(opponent__isnull=False).order_by("deal_group__number")
    for opponent, candidate, score in rows.values_list("opponent", "candidate", "score"):
        points.setdefault((opponent, candidate), []).append(score or 0.0)
    field = [
        pair
        for opponent in sorted({opponent for opponent, _ in points})
        for pair in zip(  # one version may have played one group more
            points.get((opponent, True), ()), points.get((opponent, False), ()), strict=False
        )
    ]
    value = llr(direct, trial.elo0, trial.elo1) + field_llr(field, trial.elo0, trial.elo1)
    return Evidence(direct, tuple(field), value, bounds(trial.alpha, trial.beta))


def store_scores(trial: Trial) -> int:
    """Store the scores of deal groups that have finished since the last call; return their number.

    Scores of groups that were played again are replaced. The caller has locked the tournament.
    """
    groups = DealGroup.objects.filter(tournament=trial.tournament_id, retired__isnull=True)
    trial.scores.exclude(deal_group__in=groups.filter(finished=F("trial_group__finished"))).delete()
    new_groups = groups.filter(finished__isnull=False, trial_group=None)
    keys: dict[int, int] = {}
    finished: dict[int, datetime] = {}
    for number, pk, at in new_groups.values_list("number", "pk", "finished"):
        if at is not None:
            keys[number], finished[pk] = pk, at
    if not keys:
        return 0
    entries = Entry.objects.filter(tournament=trial.tournament_id)
    sides = dict(entries.filter(bot=trial.candidate.bot).values_list("candidate", "pk"))
    deal_groups = DealGroup.objects.filter(pk__in=finished)
    TrialGroup.objects.bulk_create(
        TrialGroup(trial=trial, deal_group_id=pk, finished=finished[pk], **fields)
        for pk, fields in (
            (keys[number], _score_fields(group, sides[True], sides[False]))
            for number, group in zip(sorted(keys), paired_groups(deal_groups), strict=True)
        )
    )
    return len(keys)


def _score_fields(
    group: PairedGroup, candidate: SideEntrants, stable: SideEntrants
) -> dict[str, Any]:
    """The score of a deal group, as fields of a `TrialGroup`."""
    is_complete = len(group.matches) == len(group.sides)
    if candidate in group.sides and stable in group.sides:
        score = _share_ahead(group.matches, candidate, stable) if is_complete else None
        return {"score": score}
    own_side = candidate if candidate in group.sides else stable
    (opponent,) = (side for side in group.sides if side != own_side)
    values = {"opponent_id": opponent, "candidate": own_side == candidate}
    if not is_complete:
        return values
    result = group_score(group.matches)
    return values | {"score": dict(zip(result.entrants, result.points, strict=True))[own_side]}


def _share_ahead(
    matches: Sequence[MatchResult], candidate: SideEntrants, stable: SideEntrants
) -> float:
    """The share of matches in which the candidate came before the stable version; ½ for a tie."""
    total = 0.0
    for match in matches:
        candidate_rank = match.ranks[match.entrants.index(candidate)]
        stable_rank = match.ranks[match.entrants.index(stable)]
        total += 0.5 if candidate_rank == stable_rank else float(candidate_rank < stable_rank)
    return total / len(matches)
