"""What is to be played next: stages, divisions, rounds and deal groups, out of the results so far.

The same pure systems, seatings and seeds as on a site: a tournament with the same seed and the
same order of entries has the same deals there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tournaments.course.divisions import listed, merged, salt
from tournaments.course.stages import check_stages, divide, qualified
from tournaments.deal_groups import group_seed, seatings
from tournaments.home.part import Part
from tournaments.home.setup import PlannedMatch, PlayedMatch, Setup
from tournaments.pairing import Pairing
from tournaments.ratings.fit import fit
from tournaments.standings import Row


class Course:
    """A tournament as it is played: `next` says what, `take` takes the results in."""

    def __init__(self, setup: Setup) -> None:
        """ValueError where the stages cannot be played by these entries."""
        sides = len(setup.fmt.sides)
        check_stages(setup.plans, sides, rotating=setup.rotating)
        needed = sum(setup.common.sizes)
        if len(setup.names) < needed:
            raise ValueError(
                f"{setup.fmt} needs {needed} entrants or more; {len(setup.names)} "
                f"{'has' if len(setup.names) == 1 else 'have'} entered."
            )
        self.setup = setup
        self.stages: list[list[Part]] = []
        self.played: list[PlayedMatch] = []
        self._groups = 0

    def next(self) -> list[PlannedMatch]:
        """The matches that can be played now; none: all is done. Give their results to `take`."""
        if not self.stages:
            self._enter(list(range(len(self.setup.names))))
        while True:
            matches = [match for part in self.stages[-1] for match in self._matches(part)]
            if matches or len(self.stages) == len(self.setup.plans):
                return matches
            ranked = [[str(row.entrant) for row in part.rows()] for part in self.stages[-1]]
            take = self.setup.plans[len(self.stages)].take or sum(map(len, ranked))
            self._enter([self.setup.names.index(name) for name in qualified(ranked, take)])

    def take(self, matches: Iterable[PlayedMatch]) -> None:
        """Results of matches that `next` gave."""
        for match in matches:
            plan = match.plan
            part = self.stages[plan.stage - 1][plan.division - 1]
            part.take(plan, match.result)
            self.played.append(match)
        self._rate()

    def standings(self) -> list[Row]:
        """Who plays a later stage stands before all who do not; divisions beside each other."""
        return merged([[part.rows() for part in stage] for stage in self.stages])

    def _enter(self, entrants: Sequence[int]) -> None:
        stage = 1 + len(self.stages)
        divided = divide(entrants, self.setup.plans[stage - 1].divisions)
        self.stages.append(
            [Part(self.setup, stage, n, tuple(part)) for n, part in enumerate(divided, 1)]
        )

    def _matches(self, part: Part) -> Iterator[PlannedMatch]:
        drawn = salt(part.stage, part.number)
        for (round_, pairing, group), entrants in part.next():
            self._groups += 1
            seed = group_seed(self.setup.seed, *drawn, round_, pairing, group)
            teams = listed(part.teams(entrants), group)
            seated = [self._members(team) for team in teams]
            for turn, seats in enumerate(seatings(self.setup.fmt.sides, seated, group - 1), 1):
                yield PlannedMatch(
                    stage=part.stage,
                    division=part.number,
                    round=round_,
                    pairing=pairing,
                    turn=turn,
                    group=self._groups,
                    of_pairing=group,
                    seed=seed,
                    teams=teams,
                    seats=tuple(seats),
                )

    def _members(self, team: Pairing) -> list[tuple[int, int]]:
        """Who can sit on a side's seats: entries with the number of their bot."""
        if len(team) > 1:
            return [(entry, 0) for entry in team]
        return [(team[0], bot) for bot in range(self.setup.bots)]

    def _rate(self) -> None:
        """Tell endless systems how strong everybody is; the others do not ask."""
        for part in self.stages[-1]:
            if part.plan.pairing.endless:
                found = fit(match.game for match in self.played).ratings
                part.ratings = {
                    name: (each.rating, (each.high - each.low) / 2) for name, each in found.items()
                }
