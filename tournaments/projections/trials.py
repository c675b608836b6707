"""What the results of a trial say: scores of deal groups, and the sequential test on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tournaments.deal_groups import MatchResult, Side, final_ranks, group_score
from tournaments.divisions import Group
from tournaments.models import Entry, Trial
from tournaments.projections.course import groups_of
from tournaments.sprt import Bounds, Verdict, bounds, elo_of, field_llr, llr, verdict


@dataclass(frozen=True, slots=True)
class Evidence:
    """What has been played of a trial."""

    direct: tuple[float, ...]
    """Of each deal group with both at the table: the candidate's score against the stable."""

    field: tuple[tuple[float, float], ...]
    """Of each two groups against the same opponent: the candidate's points and the stable's."""

    llr: float
    bounds: Bounds

    @property
    def groups(self) -> int:
        """Deal groups behind it."""
        return len(self.direct) + 2 * len(self.field)

    @property
    def verdict(self) -> Verdict:
        """What the test has found."""
        return verdict(self.llr, self.groups, self.bounds)

    @property
    def gain(self) -> float | None:
        """How much better the candidate did against the stable version, Elo points.

        None before the first group, and where all or nothing was won.
        """
        mean = sum(self.direct) / len(self.direct) if self.direct else 0.0
        return elo_of(mean) if 0 < mean < 1 else None


def evidence_of(trial: Trial) -> Evidence:
    """Read the finished deal groups of a trial; those that lack a match do not count."""
    entries = Entry.objects.filter(tournament=trial.tournament_id)
    sides = dict(entries.filter(bot=trial.candidate.bot).values_list("candidate", "pk"))
    groups = [
        group for group in groups_of(trial.tournament) if len(group.matches) == len(group.sides)
    ]
    return weigh(trial, groups, sides[True], sides[False])


def weigh(trial: Trial, groups: Iterable[Group], candidate: Side, stable: Side) -> Evidence:
    """The evidence of complete deal groups."""
    direct: list[float] = []
    points: dict[tuple[Side, Side], list[float]] = {}
    for group in groups:
        if candidate in group.sides and stable in group.sides:
            direct.append(_ahead(group.matches, candidate, stable))
            continue
        own = candidate if candidate in group.sides else stable
        (other,) = (side for side in group.sides if side != own)
        score = group_score(group.matches)
        gained = dict(zip(score.entrants, score.points, strict=True))
        points.setdefault((own, other), []).append(gained[own])
    opponents = sorted({other for _, other in points}, key=str)
    field = [
        pair
        for other in opponents
        for pair in zip(  # one of them may be a group behind
            points.get((candidate, other), ()), points.get((stable, other), ()), strict=False
        )
    ]
    value = llr(direct, trial.elo0, trial.elo1) + field_llr(field, trial.elo0, trial.elo1)
    return Evidence(tuple(direct), tuple(field), value, bounds(trial.alpha, trial.beta))


def _ahead(matches: Sequence[MatchResult], candidate: Side, stable: Side) -> float:
    """In which share of the matches the candidate came before the stable version; ½ for a tie."""
    total = 0.0
    for match in matches:
        ranks = final_ranks(match.ranks, match.faults)
        mine = ranks[match.entrants.index(candidate)]
        theirs = ranks[match.entrants.index(stable)]
        total += 0.5 if mine == theirs else float(mine < theirs)
    return total / len(matches)
