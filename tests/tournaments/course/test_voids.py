"""Void deal groups: entrants gain or lose only the points of the void group itself.

Every pairing system is played through with results and voids that hypothesis chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Format
from tournaments.course.course import Division, begun_stages, course, standings
from tournaments.course.divisions import Conditions, PairedGroup
from tournaments.course.stages import StagePlan
from tournaments.deal_groups import MatchResult, SideEntrants, group_score, members
from tournaments.pairing import count_valid_rounds
from tournaments.pairing.history import PairingHistory
from tournaments.standings import TIE_BREAKS, Row, cross_table

PAIRS, WIDE, QUADS = "cassino/standard/1v1", "cassino/standard/ffa3", "cassino/standard/2v2"
ALL = tuple(TIE_BREAKS)
Key = tuple[int, int, int, int, int]
"""The position of a deal group: stage, division, round, pairing, number in the pairing."""


def conditions(fmt: str, count: int, *plans: StagePlan, rotating: bool = False) -> Conditions:
    entrants = tuple(range(1, count + 1))
    return Conditions(Format.parse(fmt), "s", plans, entrants, ALL, rotating)


FIXED = {
    "round robin": conditions(PAIRS, 5, StagePlan(groups=2)),
    "even round robin": conditions(PAIRS, 4, StagePlan(settings={"meetings": 2}, groups=1)),
    "round robin of three sides": conditions(WIDE, 5, StagePlan(groups=1)),
    "changing partners": conditions(QUADS, 5, StagePlan(groups=1), rotating=True),
    "gauntlet": conditions(PAIRS, 5, StagePlan("gauntlet", groups=2)),
}
"""Systems that pair all rounds at the start."""
SWISSES = {
    "swiss": conditions(PAIRS, 7, StagePlan("swiss", {"rounds": 4}, groups=2)),
    "even swiss": conditions(PAIRS, 6, StagePlan("swiss", {"rounds": 3}, groups=1)),
    "swiss of three sides": conditions(WIDE, 7, StagePlan("swiss", {"rounds": 3}, groups=1)),
    "swiss with changing partners": conditions(
        QUADS, 9, StagePlan("swiss", {"rounds": 3}, groups=1), rotating=True
    ),
}
BRACKETS = {
    "knock-out": conditions(PAIRS, 6, StagePlan("knock-out", {"third": 1}, groups=2)),
    "double knock-out": conditions(PAIRS, 5, StagePlan("double-knock-out", groups=1)),
    "heats": conditions(WIDE, 7, StagePlan("knock-out", groups=1)),
}


class Simulation:
    """A tournament with random results; `void` decides by number which deal groups are void."""

    def __init__(self, of: Conditions, seed: int, void: Callable[[int], bool]) -> None:
        self.of = of
        self.rng = Random(seed)
        self.void = void
        self.groups: dict[Key, PairedGroup] = {}

    def advance(self, steps: int = 100) -> Simulation:
        """Play a number of steps, or to the end."""
        for _ in range(steps):
            if not self._step():
                return self
        return self

    def _step(self) -> bool:
        for divisions in course(self.of, self.groups.values()):
            pairings = [
                (division, *pairing) for division in divisions for pairing in division.upcoming()
            ]
            for division, (round_, pairing, number), entrants in pairings:
                teams = [
                    tuple(division.entrants[i] for i in team)
                    for team in division.state.teams(entrants)
                ]
                sides: tuple[SideEntrants, ...] = tuple(t[0] if len(t) == 1 else t for t in teams)
                place = division.stage, division.number, round_, pairing
                void = self.void(len(self.groups))
                matches = () if void else self._matches(sides)
                self.groups[(*place, number)] = PairedGroup(*place, sides, matches)
            if pairings:
                return True
        return False

    def _matches(self, sides: Sequence[SideEntrants]) -> tuple[MatchResult, ...]:
        results = []
        for turn in range(len(sides)):
            order = tuple(sides[(i - turn) % len(sides)] for i in range(len(sides)))
            scores = tuple(self.rng.randrange(3) for _ in order)
            ranks = tuple(1 + sum(other > score for other in scores) for score in scores)
            results.append(MatchResult(order, scores, ranks))
        return tuple(results)

    def with_voids(self, keys: Sequence[Key]) -> Simulation:
        """A copy in which these deal groups are void."""
        other = Simulation(self.of, 0, self.void)
        other.groups = {
            key: replace(group, matches=()) if key in keys else group
            for key, group in self.groups.items()
        }
        return other

    @property
    def stages(self) -> list[list[Division]]:
        return begun_stages(course(self.of, self.groups.values()))

    @property
    def rows(self) -> dict[object, Row]:
        return {row.entrant: row for row in standings(self.of, self.stages)}


def counted_points(simulation: Simulation) -> dict[object, list[float]]:
    """The points of each entrant's counted deal groups."""
    points_by_entrant: dict[object, list[float]] = {
        entrant: [] for entrant in simulation.of.entrants
    }
    for group in simulation.groups.values():
        if group.matches:
            score = group_score(group.matches)
            for side, points in zip(score.entrants, score.points, strict=True):
                for entrant in members(side):
                    points_by_entrant[entrant].append(points)
    return points_by_entrant


def group_counts(simulation: Simulation) -> dict[object, int]:
    """The number of each entrant's deal groups, counted or void."""
    entrants = [e for g in simulation.groups.values() for side in g.sides for e in members(side)]
    return {entrant: entrants.count(entrant) for entrant in simulation.of.entrants}


seeds = st.integers(0, 10**6)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(FIXED)), seeds, st.data())
def test_a_void_changes_rows_only_by_its_own_points(
    name: str, seed: int, data: st.DataObject
) -> None:
    simulation = Simulation(FIXED[name], seed, lambda _: False).advance()
    keys = data.draw(st.lists(st.sampled_from(sorted(simulation.groups)), unique=True))
    other = simulation.with_voids(keys)
    before, after = simulation.rows, other.rows
    gained, groups = counted_points(other), group_counts(other)
    hit = {e for key in keys for side in simulation.groups[key].sides for e in members(side)}
    for entrant, row in after.items():
        own_gain = gained[entrant]
        mean = sum(own_gain) / len(own_gain) if own_gain else 0.5
        assert row.points == pytest.approx(mean * groups[entrant], abs=1e-5)
        assert (row.groups, row.void) == (len(own_gain), groups[entrant] - len(own_gain))
        assert row.share == pytest.approx(mean if own_gain else 0, abs=1e-5)
        assert row.for_void == pytest.approx(mean * row.void, abs=1e-5)
        if entrant not in hit:
            assert (row.points, row.share) == (before[entrant].points, before[entrant].share)
            assert row.difference == before[entrant].difference


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(FIXED)), seeds, st.data())
def test_a_lead_larger_than_a_void_remains(name: str, seed: int, data: st.DataObject) -> None:
    simulation = Simulation(FIXED[name], seed, lambda _: False).advance()
    key = data.draw(st.sampled_from(sorted(simulation.groups)))
    before, after = simulation.rows, simulation.with_voids([key]).rows
    counted = counted_points(simulation)
    score = group_score(simulation.groups[key].matches)
    worth = {e: p for s, p in zip(score.entrants, score.points, strict=True) for e in members(s)}
    for entrant, points in worth.items():
        n = len(counted[entrant])
        mean = sum(counted[entrant]) / n
        moved = (mean - points) * n / (n - 1) if n > 1 else (0.5 - points)
        change = after[entrant].points - before[entrant].points
        assert change == pytest.approx(moved, abs=1e-5)
        if points >= mean:  # a good result there: no gain, and a loss of at most its points
            assert -points - 1e-5 <= change <= 1e-5
    for one, other in ((a, b) for a in before for b in before if a not in worth):
        if other not in worth and before[one].points > before[other].points:
            assert after[one].place < after[other].place


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(set(FIXED) - {"gauntlet"})), seeds, st.data())
def test_an_entrant_that_won_everything_stays_first(
    name: str, seed: int, data: st.DataObject
) -> None:
    simulation = Simulation(FIXED[name], seed, lambda _: False).advance()
    best = simulation.of.entrants[seed % len(simulation.of.entrants)]
    for key, group in simulation.groups.items():
        sides = [side for side in group.sides if best in members(side)]
        if sides:
            won = [
                MatchResult(
                    match.entrants,
                    tuple(9.0 if side == sides[0] else 1.0 for side in match.entrants),
                    tuple(1 if side == sides[0] else 2 for side in match.entrants),
                )
                for match in group.matches
            ]
            simulation.groups[key] = replace(group, matches=tuple(won))
    keys = data.draw(st.lists(st.sampled_from(sorted(simulation.groups)), unique=True))
    other = simulation.with_voids(keys)
    if counted_points(other)[best]:
        row = other.rows[best]
        assert row.points == simulation.rows[best].points
        assert all(row.points >= other_row.points for other_row in other.rows.values())
        assert (
            row.tie_breaks[ALL.index("wins")] == simulation.rows[best].tie_breaks[ALL.index("wins")]
        )


@pytest.mark.parametrize("name", sorted(set(FIXED) - {"gauntlet"}))
def test_all_are_equal_when_everything_is_void(name: str) -> None:
    simulation = Simulation(FIXED[name], 1, lambda _: True).advance()
    rows = simulation.rows.values()
    assert {row.place for row in rows} == {1}
    assert {(row.points * 2, row.groups) for row in rows} == {(group_counts(simulation)[1], 0)}
    assert (
        cross_table(simulation.of.entrants, [g.matches for g in simulation.groups.values()])[1]
        == {}
    )


def test_a_void_treats_both_sides_alike() -> None:
    """Reversing all results reverses the standings."""
    simulation = Simulation(FIXED["even round robin"], 5, lambda number: number % 4 == 1).advance()
    turned = Simulation(simulation.of, 0, simulation.void)
    for key, group in simulation.groups.items():
        matches = [
            replace(
                match,
                scores=tuple(-score for score in match.scores),
                ranks=match.ranks if match.ranks[0] == match.ranks[1] else match.ranks[::-1],
            )
            for match in group.matches
        ]
        turned.groups[key] = replace(group, matches=tuple(matches))
    scheduled = group_counts(simulation)[1]
    for entrant, row in simulation.rows.items():
        assert turned.rows[entrant].points == pytest.approx(scheduled - row.points)
        assert turned.rows[entrant].difference == pytest.approx(-row.difference)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(FIXED | SWISSES)), seeds, st.data())
def test_the_order_of_voids_does_not_matter(name: str, seed: int, data: st.DataObject) -> None:
    simulation = Simulation((FIXED | SWISSES)[name], seed, lambda _: False).advance()
    keys = data.draw(st.lists(st.sampled_from(sorted(simulation.groups)), unique=True, max_size=4))
    stage = Simulation(simulation.of, 0, simulation.void)
    stage.groups = dict(reversed(simulation.groups.items()))
    one, two = simulation, stage
    for key in keys:
        one = one.with_voids([key])
    for key in reversed(keys):
        two = two.with_voids([key])
    assert one.rows == two.rows


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(SWISSES)), seeds, st.sets(st.integers(0, 20)))
def test_a_swiss_with_voids_pairs_by_its_standings(name: str, seed: int, void: set[int]) -> None:
    """Byes, rematches and points are those of the standings."""
    simulation = Simulation(SWISSES[name], seed, void.__contains__).advance()
    [[division]] = simulation.stages
    state = division.state
    assert len(state.rounds) == state.settings["rounds"]
    history = PairingHistory.from_state(state)
    assert max(history.byes) - min(history.byes) <= 1
    for row in division.rows:
        index = division.entrants.index(row.entrant)
        assert row.points == pytest.approx(history.points[index], abs=1e-5)
    if state.seats == 2:
        assert max(history.meetings.values(), default=0) <= 1
    assert count_valid_rounds(division.system, state) == len(state.rounds)


def test_a_void_pairing_is_no_bye_and_no_meeting() -> None:
    simulation = Simulation(SWISSES["even swiss"], 3, lambda number: number == 0).advance(1)
    [[division]] = simulation.stages
    history = PairingHistory.from_state(division.state)
    first, second = division.state.rounds[0][0].entrants
    assert history.byes == (0,) * 6
    assert history.meetings[min(first, second), max(first, second)] == 0
    assert history.points[first] == history.points[second] == 0.5


def test_a_void_pairing_does_not_count_as_lost_in_a_swiss() -> None:
    """P1: entrants of a voided pairing were paired with those without points."""
    simulation = Simulation(SWISSES["even swiss"], 0, lambda _: False).advance(1)
    for number, (key, group) in enumerate(simulation.groups.items()):
        one, two = group.sides
        won = (MatchResult((one, two), (9, 1), (1, 2)), MatchResult((two, one), (1, 9), (2, 1)))
        simulation.groups[key] = replace(group, matches=won if number else ())
    [[division]] = simulation.stages
    history = PairingHistory.from_state(division.state)
    first, second = division.state.rounds[0][0].entrants
    assert [history.points[i] for i in (first, second)] == [0.5, 0.5]
    simulation.advance(1)
    pairs = [g.sides for key, g in simulation.groups.items() if key[2] == 2]
    assert any({division.entrants[first], division.entrants[second]} == set(s) for s in pairs)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(BRACKETS)), seeds, st.sets(st.integers(0, 25)))
def test_a_bracket_with_voids_ends(name: str, seed: int, void: set[int]) -> None:
    simulation = Simulation(BRACKETS[name], seed, void.__contains__).advance()
    [[division]] = simulation.stages
    assert not division.upcoming()
    places = division.system.places
    assert places is not None
    levels = places(division.state)
    assert len(levels[0]) == 1
    assert sorted(i for level in levels for i in level) == list(range(len(division.entrants)))
    # Counted groups decide a pairing, for both sides alike; void groups are not replaced.
    gained = counted_points(simulation)
    for row in division.rows:
        assert (row.void, row.for_void) == (0, 0)
        assert row.points == pytest.approx(sum(gained[row.entrant]), abs=1e-5)


@pytest.mark.parametrize("name", ["knock-out", "double knock-out", "heats"])
def test_a_void_final_is_replayed_and_a_void_semifinal_retires_it(name: str) -> None:
    simulation = Simulation(BRACKETS[name], 11, lambda _: False).advance()
    final_round = max(key[2] for key in simulation.groups)
    final = [key for key in simulation.groups if key[2] == final_round]
    [[division]] = simulation.with_voids(final).stages
    assert {slot[0] for slot, _ in division.upcoming()} == {final_round}
    assert count_valid_rounds(division.system, division.state) == final_round
    semifinals = [key for key in simulation.groups if key[2] == final_round - 1]
    [[division]] = simulation.with_voids(semifinals).stages
    assert (
        count_valid_rounds(division.system, division.state) == final_round - 1
    )  # the final is retired
    state = replace(division.state, rounds=division.state.rounds[: final_round - 1])
    assert division.system.pair(state).more  # another deal group before the final


@settings(max_examples=40, deadline=None)
@given(seeds, st.sets(st.integers(0, 30)))
def test_the_next_stage_takes_the_best_of_each_division(seed: int, void: set[int]) -> None:
    two_stages = conditions(
        PAIRS, 8, StagePlan(groups=1, divisions=2), StagePlan("knock-out", groups=1, take=4)
    )
    simulation = Simulation(two_stages, seed, void.__contains__).advance()
    first, second = simulation.stages
    qualified = {
        entrant for division in first for entrant in [r.entrant for r in division.rows][:2]
    }
    assert set(second[0].entrants) == qualified
    for division in first:
        gained, groups = counted_points(simulation), group_counts(simulation)
        means = [row.points / 3 for row in division.rows]  # each meets three others
        assert means == sorted(means, reverse=True)
        assert all(gained[row.entrant] or row.points == 1.5 for row in division.rows)
        assert all(groups[row.entrant] >= 3 for row in division.rows)


def test_the_virtual_opponent_of_a_void_pairing_is_limited_to_draws() -> None:
    """The winner of all others meets a virtual opponent with half of the possible points."""
    simulation = Simulation(conditions(PAIRS, 3, StagePlan(groups=1)), 0, lambda _: False).advance()
    for key, group in simulation.groups.items():
        low, high = sorted(group.sides, key=str)
        won = tuple(MatchResult(s, (9, 1), (1, 2)) for s in [(low, high)])
        won += tuple(MatchResult(s, (1, 9), (2, 1)) for s in [(high, low)])
        simulation.groups[key] = replace(group, matches=won)
    void = next(key for key, group in simulation.groups.items() if set(group.sides) == {1, 2})
    rows = simulation.with_voids([void]).rows
    buchholz = ALL.index("buchholz")
    sonneborn = ALL.index("sonneborn-berger")
    # 1 beat 3 (1 of 1, so 2 of 2), 2 beat 3: virtual opponents of one point each.
    assert [(rows[i].points, rows[i].groups) for i in (1, 2, 3)] == [(2, 1), (2, 1), (0, 2)]
    assert [rows[i].tie_breaks[buchholz] for i in (1, 2, 3)] == [1, 1, 4]
    assert [rows[i].tie_breaks[sonneborn] for i in (1, 2, 3)] == [1, 1, 0]
    assert [rows[i].place for i in (1, 2, 3)] == [1, 1, 3]


def test_rounds_paired_by_earlier_rules_remain_valid() -> None:
    """An update of the site retires no played rounds."""
    old_conditions = replace(SWISSES["swiss"], scoring=1)
    for seed in range(12):
        simulation = Simulation(old_conditions, seed, lambda number: number in {0, 1, 4}).advance()
        [[division]] = simulation.stages
        new_state = replace(division.state, scoring=2)
        assert count_valid_rounds(division.system, new_state) == len(new_state.rounds)
