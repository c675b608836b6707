"""Compute the next matches of a tournament at home from the results so far.

Course, seatings and seeds are the same as on a site: a site's tournament with the same seed and the
same order of entries has the same deals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tournaments.course import divisions
from tournaments.course.course import (
    Division,
    begun_stages,
    course,
    first_groups_of_later_stages,
    standings,
)
from tournaments.course.divisions import PairedGroup, Slot, order_sides, seed_suffix
from tournaments.course.stages import check_stages
from tournaments.deal_groups import Entrant, MatchResult, SideEntrants, group_seed, seatings
from tournaments.home.setup import PlannedMatch, PlayedMatch, Setup
from tournaments.pairing import Pairing
from tournaments.pairing.ladder import UNSURE
from tournaments.ratings.elo import half_width
from tournaments.ratings.fit import Fit, fit
from tournaments.standings import Cell, Row, cross_table


class HomeTournament:
    """A tournament during play."""

    def __init__(self, setup: Setup) -> None:
        """ValueError if these entries cannot play the stages."""
        sides = len(setup.fmt.sides)
        check_stages(setup.plans, sides, rotating=setup.rotating)
        entries_needed = sum(setup.conditions.sizes)
        if len(setup.names) < entries_needed:
            raise ValueError(
                f"{setup.fmt} needs {entries_needed} entrants or more; {len(setup.names)} "
                f"{'has' if len(setup.names) == 1 else 'have'} entered."
            )
        self.setup = setup
        self.played: list[PlayedMatch] = []
        self._numbers = {name: number for number, name in enumerate(setup.names)}
        self._groups: dict[
            tuple[int, int, Slot], tuple[tuple[SideEntrants, ...], list[MatchResult]]
        ] = {}
        """By (stage, division, slot): (the sides in the order of the pairing, the results)."""
        first_groups_of_later_stages(self._course())

    @property
    def stages(self) -> list[list[Division]]:
        """The divisions of each stage that has been paired."""
        return begun_stages(self._course())

    def next_matches(self) -> list[PlannedMatch]:
        """The matches that can be played now; empty at the end."""
        for stage in self._course():
            matches = [match for division in stage for match in self._matches(division)]
            if matches:
                return matches
        return []

    def add_results(self, matches: Iterable[PlayedMatch]) -> None:
        """Add the results of matches that `next_matches` returned."""
        for match in matches:
            plan = match.plan
            slot = plan.round, plan.pairing, plan.number_in_pairing
            _, results = self._groups[plan.stage, plan.division, slot]
            results.append(match.result)
            self.played.append(match)

    def standings(self) -> list[Row]:
        """The standings: entries that reached a later stage rank above all others; divisions are
        merged place by place."""
        return standings(self.setup.conditions, self.stages)

    def _course(self) -> Iterator[list[Division]]:
        groups = [
            PairedGroup(
                stage,
                division,
                slot[0],
                slot[1],
                sides,
                tuple(results),
                open=len(results) < len(sides),
            )
            for (stage, division, slot), (sides, results) in self._groups.items()
        ]
        return course(self._rated_conditions(), groups)

    def _matches(self, division: Division) -> Iterator[PlannedMatch]:
        """The matches of the deal groups that a division plays next."""
        rounds = len(division.state.rounds)
        if division.system.endless and rounds >= self.setup.max_rounds:
            return
        suffix = seed_suffix(division.stage, division.number)
        for slot, entrants in division.upcoming():
            round_, pairing, group = slot
            teams = [self._team(division, team) for team in division.state.teams(entrants)]
            sides = tuple(self.setup.side(team) for team in teams)
            self._groups[division.stage, division.number, slot] = sides, []
            order = order_sides(teams, group)
            members = [self._members(team) for team in order]
            for turn, seats in enumerate(seatings(self.setup.fmt.sides, members, group - 1), 1):
                yield PlannedMatch(
                    stage=division.stage,
                    division=division.number,
                    round=round_,
                    pairing=pairing,
                    turn=turn,
                    group=len(self._groups),
                    number_in_pairing=group,
                    seed=group_seed(self.setup.seed, *suffix, *slot),
                    teams=order,
                    seats=tuple(seats),
                )

    def _team(self, division: Division, team: Pairing) -> Pairing:
        """The entries (numbers) of a side."""
        return tuple(self._numbers[str(division.entrants[i])] for i in team)

    def _members(self, team: Pairing) -> list[tuple[int, int]]:
        """The bots for a side's seats: (entry, number of its bot)."""
        if len(team) > 1:
            return [(entry, 0) for entry in team]
        return [(team[0], bot) for bot in range(self.setup.bots)]

    def _rated_conditions(self) -> divisions.Conditions:
        """The conditions, with the entrants' ratings if a pairing system needs them."""
        if not self.played or not any(plan.pairing.endless for plan in self.setup.plans):
            return self.setup.conditions
        fitted = fit(match.game for match in self.played).ratings
        ratings: Mapping[Entrant, tuple[float, float]] = {
            name: (rating.rating, half_width(rating.rating, rating.low, rating.high) or UNSURE)
            for name, rating in fitted.items()
        }
        return replace(self.setup.conditions, ratings=ratings)


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a tournament."""

    setup: Setup
    matches: tuple[PlayedMatch, ...]
    standings: list[Row]
    """The standings of the whole tournament."""
    divisions: list[Division]
    """The divisions of all stages."""

    cross_table: dict[Entrant, dict[Entrant, Cell]]
    """The cross table in the order of the standings."""

    fit: Fit


def report(course: HomeTournament) -> Report:
    """Standings, cross table and ratings from the matches played."""
    groups: dict[int, list[MatchResult]] = {}
    for match in course.played:
        groups.setdefault(match.plan.group, []).append(match.result)
    rows = course.standings()
    return Report(
        setup=course.setup,
        matches=tuple(course.played),
        standings=rows,
        divisions=[division for stage in course.stages for division in stage],
        cross_table=cross_table([row.entrant for row in rows], groups.values()),
        fit=fit(match.game for match in course.played),
    )
