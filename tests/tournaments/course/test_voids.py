"""Deal groups that are void: nobody gains or loses by one but what its own points explain.

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
from tournaments.deal_groups import MatchResult, Side, group_score, members
from tournaments.pairing import count_valid_rounds
from tournaments.pairing.history import PairingHistory
from tournaments.standings import TIE_BREAKS, Row, cross_table

PAIRS, WIDE, QUADS = "cassino/standard/1v1", "cassino/standard/ffa3", "cassino/standard/2v2"
ALL = tuple(TIE_BREAKS)
Key = tuple[int, int, int, int, int]
"""Where a deal group stands: stage, division, round, pairing, number in the pairing."""


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
"""Systems in which all rounds are known at the start."""
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


class Played:
    """A tournament whose results a seed decides, and whose voids `void` does."""

    def __init__(self, of: Conditions, seed: int, void: Callable[[int], bool]) -> None:
        self.of = of
        self.rng = Random(seed)
        self.void = void
        self.groups: dict[Key, PairedGroup] = {}

    def go_on(self, steps: int = 100) -> Played:
        """Play so many steps, or to the end."""
        for _ in range(steps):
            if not self._step():
                return self
        return self

    def _step(self) -> bool:
        for divisions in course(self.of, self.groups.values()):
            wanted = [(each, *what) for each in divisions for what in each.upcoming()]
            for division, (round_, pairing, number), entrants in wanted:
                teams = [
                    tuple(division.entrants[i] for i in team)
                    for team in division.state.teams(entrants)
                ]
                sides: tuple[Side, ...] = tuple(t[0] if len(t) == 1 else t for t in teams)
                place = division.stage, division.number, round_, pairing
                void = self.void(len(self.groups))
                matches = () if void else self._matches(sides)
                self.groups[(*place, number)] = PairedGroup(*place, sides, matches)
            if wanted:
                return True
        return False

    def _matches(self, sides: Sequence[Side]) -> tuple[MatchResult, ...]:
        found = []
        for turn in range(len(sides)):
            order = tuple(sides[(i - turn) % len(sides)] for i in range(len(sides)))
            scores = tuple(self.rng.randrange(3) for _ in order)
            ranks = tuple(1 + sum(other > score for other in scores) for score in scores)
            found.append(MatchResult(order, scores, ranks))
        return tuple(found)

    def voided(self, keys: Sequence[Key]) -> Played:
        """The same with these results taken back."""
        other = Played(self.of, 0, self.void)
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


def counted(played: Played) -> dict[object, list[float]]:
    """The points of each entrant's deal groups that count."""
    found: dict[object, list[float]] = {each: [] for each in played.of.entrants}
    for group in played.groups.values():
        if group.matches:
            score = group_score(group.matches)
            for side, points in zip(score.entrants, score.points, strict=True):
                for entrant in members(side):
                    found[entrant].append(points)
    return found


def all_groups(played: Played) -> dict[object, int]:
    """How many deal groups each entrant has, counting or not."""
    there = [e for g in played.groups.values() for side in g.sides for e in members(side)]
    return {entrant: there.count(entrant) for entrant in played.of.entrants}


seeds = st.integers(0, 10**6)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(FIXED)), seeds, st.data())
def test_a_void_changes_nobody_but_by_its_own_points(
    name: str, seed: int, data: st.DataObject
) -> None:
    played = Played(FIXED[name], seed, lambda _: False).go_on()
    keys = data.draw(st.lists(st.sampled_from(sorted(played.groups)), unique=True))
    other = played.voided(keys)
    before, after = played.rows, other.rows
    gained, groups = counted(other), all_groups(other)
    hit = {e for key in keys for side in played.groups[key].sides for e in members(side)}
    for entrant, row in after.items():
        mine = gained[entrant]
        mean = sum(mine) / len(mine) if mine else 0.5
        assert row.points == pytest.approx(mean * groups[entrant], abs=1e-5)
        assert (row.groups, row.void) == (len(mine), groups[entrant] - len(mine))
        assert row.share == pytest.approx(mean if mine else 0, abs=1e-5)
        assert row.for_void == pytest.approx(mean * row.void, abs=1e-5)
        if entrant not in hit:
            assert (row.points, row.share) == (before[entrant].points, before[entrant].share)
            assert row.difference == before[entrant].difference


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(FIXED)), seeds, st.data())
def test_who_led_by_more_than_a_void_explains_still_leads(
    name: str, seed: int, data: st.DataObject
) -> None:
    played = Played(FIXED[name], seed, lambda _: False).go_on()
    key = data.draw(st.sampled_from(sorted(played.groups)))
    before, after = played.rows, played.voided([key]).rows
    own = counted(played)
    score = group_score(played.groups[key].matches)
    worth = {e: p for s, p in zip(score.entrants, score.points, strict=True) for e in members(s)}
    for entrant, points in worth.items():
        n = len(own[entrant])
        mean = sum(own[entrant]) / n
        moved = (mean - points) * n / (n - 1) if n > 1 else (0.5 - points)
        change = after[entrant].points - before[entrant].points
        assert change == pytest.approx(moved, abs=1e-5)
        if points >= mean:  # whoever did well there gains nothing, and loses at most the group
            assert -points - 1e-5 <= change <= 1e-5
    for one, other in ((a, b) for a in before for b in before if a not in worth):
        if other not in worth and before[one].points > before[other].points:
            assert after[one].place < after[other].place


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(set(FIXED) - {"gauntlet"})), seeds, st.data())
def test_who_won_everything_stays_first_whatever_is_void(
    name: str, seed: int, data: st.DataObject
) -> None:
    played = Played(FIXED[name], seed, lambda _: False).go_on()
    best = played.of.entrants[seed % len(played.of.entrants)]
    for key, group in played.groups.items():
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
            played.groups[key] = replace(group, matches=tuple(won))
    keys = data.draw(st.lists(st.sampled_from(sorted(played.groups)), unique=True))
    other = played.voided(keys)
    if counted(other)[best]:
        row = other.rows[best]
        assert row.points == played.rows[best].points
        assert all(row.points >= each.points for each in other.rows.values())
        assert row.tie_breaks[ALL.index("wins")] == played.rows[best].tie_breaks[ALL.index("wins")]


@pytest.mark.parametrize("name", sorted(set(FIXED) - {"gauntlet"}))
def test_nobody_is_ahead_when_all_is_void(name: str) -> None:
    played = Played(FIXED[name], 1, lambda _: True).go_on()
    rows = played.rows.values()
    assert {row.place for row in rows} == {1}
    assert {(row.points * 2, row.groups) for row in rows} == {(all_groups(played)[1], 0)}
    assert cross_table(played.of.entrants, [g.matches for g in played.groups.values()])[1] == {}


def test_a_void_treats_both_sides_alike() -> None:
    """With all results turned round, everything is turned round."""
    played = Played(FIXED["even round robin"], 5, lambda number: number % 4 == 1).go_on()
    turned = Played(played.of, 0, played.void)
    for key, group in played.groups.items():
        matches = [
            replace(
                match,
                scores=tuple(-score for score in match.scores),
                ranks=match.ranks if match.ranks[0] == match.ranks[1] else match.ranks[::-1],
            )
            for match in group.matches
        ]
        turned.groups[key] = replace(group, matches=tuple(matches))
    scheduled = all_groups(played)[1]
    for entrant, row in played.rows.items():
        assert turned.rows[entrant].points == pytest.approx(scheduled - row.points)
        assert turned.rows[entrant].difference == pytest.approx(-row.difference)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(FIXED | SWISSES)), seeds, st.data())
def test_the_order_of_voids_does_not_matter(name: str, seed: int, data: st.DataObject) -> None:
    played = Played((FIXED | SWISSES)[name], seed, lambda _: False).go_on()
    keys = data.draw(st.lists(st.sampled_from(sorted(played.groups)), unique=True, max_size=4))
    stage = Played(played.of, 0, played.void)
    stage.groups = dict(reversed(played.groups.items()))
    one, two = played, stage
    for key in keys:
        one = one.voided([key])
    for key in reversed(keys):
        two = two.voided([key])
    assert one.rows == two.rows


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(SWISSES)), seeds, st.sets(st.integers(0, 20)))
def test_a_swiss_goes_on_after_voids_as_its_standings_say(
    name: str, seed: int, void: set[int]
) -> None:
    """No second bye before all have had one, no rematch, points as in the standings."""
    played = Played(SWISSES[name], seed, void.__contains__).go_on()
    [[division]] = played.stages
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
    played = Played(SWISSES["even swiss"], 3, lambda number: number == 0).go_on(1)
    [[division]] = played.stages
    history = PairingHistory.from_state(division.state)
    first, second = division.state.rounds[0][0].entrants
    assert history.byes == (0,) * 6
    assert history.meetings[min(first, second), max(first, second)] == 0
    assert history.points[first] == history.points[second] == 0.5


def test_a_swiss_round_that_is_void_pairs_nobody_as_a_loser() -> None:
    """P1: the pair of a voided pairing met those with nothing."""
    played = Played(SWISSES["even swiss"], 0, lambda _: False).go_on(1)
    for number, (key, group) in enumerate(played.groups.items()):
        one, two = group.sides
        won = (MatchResult((one, two), (9, 1), (1, 2)), MatchResult((two, one), (1, 9), (2, 1)))
        played.groups[key] = replace(group, matches=won if number else ())
    [[division]] = played.stages
    history = PairingHistory.from_state(division.state)
    first, second = division.state.rounds[0][0].entrants
    assert [history.points[i] for i in (first, second)] == [0.5, 0.5]
    played.go_on(1)
    again = [g.sides for key, g in played.groups.items() if key[2] == 2]
    assert any({division.entrants[first], division.entrants[second]} == set(s) for s in again)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(BRACKETS)), seeds, st.sets(st.integers(0, 25)))
def test_a_bracket_comes_to_its_end_whatever_is_void(name: str, seed: int, void: set[int]) -> None:
    played = Played(BRACKETS[name], seed, void.__contains__).go_on()
    [[division]] = played.stages
    assert not division.upcoming()
    places = division.system.places
    assert places is not None
    levels = places(division.state)
    assert len(levels[0]) == 1
    assert sorted(i for level in levels for i in level) == list(range(len(division.entrants)))
    # A pairing is decided by what counts, for both sides alike; nothing is made up for the rest.
    gained = counted(played)
    for row in division.rows:
        assert (row.void, row.for_void) == (0, 0)
        assert row.points == pytest.approx(sum(gained[row.entrant]), abs=1e-5)


@pytest.mark.parametrize("name", ["knock-out", "double knock-out", "heats"])
def test_a_final_that_is_void_is_played_again_and_a_semifinal_takes_it_with_it(name: str) -> None:
    played = Played(BRACKETS[name], 11, lambda _: False).go_on()
    last = max(key[2] for key in played.groups)
    final = [key for key in played.groups if key[2] == last]
    [[division]] = played.voided(final).stages
    assert {slot[0] for slot, _ in division.upcoming()} == {last}
    assert count_valid_rounds(division.system, division.state) == last
    before = [key for key in played.groups if key[2] == last - 1]
    [[division]] = played.voided(before).stages
    assert count_valid_rounds(division.system, division.state) == last - 1  # the final goes
    kept = replace(division.state, rounds=division.state.rounds[: last - 1])
    assert division.system.pair(kept).more  # another deal group, before any final


@settings(max_examples=40, deadline=None)
@given(seeds, st.sets(st.integers(0, 30)))
def test_stages_take_the_best_by_the_same_rule(seed: int, void: set[int]) -> None:
    of = conditions(
        PAIRS, 8, StagePlan(groups=1, divisions=2), StagePlan("knock-out", groups=1, take=4)
    )
    played = Played(of, seed, void.__contains__).go_on()
    first, second = played.stages
    taken = {entrant for division in first for entrant in [r.entrant for r in division.rows][:2]}
    assert set(second[0].entrants) == taken
    for division in first:
        gained, groups = counted(played), all_groups(played)
        means = [row.points / 3 for row in division.rows]  # each meets the three others
        assert means == sorted(means, reverse=True)
        assert all(gained[row.entrant] or row.points == 1.5 for row in division.rows)
        assert all(groups[row.entrant] >= 3 for row in division.rows)


def test_the_virtual_opponent_of_a_void_pairing_gives_no_more_than_draws() -> None:
    """The one who won all others meets a virtual opponent with half of what it could have."""
    played = Played(conditions(PAIRS, 3, StagePlan(groups=1)), 0, lambda _: False).go_on()
    for key, group in played.groups.items():
        low, high = sorted(group.sides, key=str)
        won = tuple(MatchResult(s, (9, 1), (1, 2)) for s in [(low, high)])
        won += tuple(MatchResult(s, (1, 9), (2, 1)) for s in [(high, low)])
        played.groups[key] = replace(group, matches=won)
    void = next(key for key, group in played.groups.items() if set(group.sides) == {1, 2})
    rows = played.voided([void]).rows
    buchholz = ALL.index("buchholz")
    sonneborn = ALL.index("sonneborn-berger")
    # 1 beat 3 (1 of 1, so 2 of 2), 2 beat 3: virtual opponents of one point each.
    assert [(rows[i].points, rows[i].groups) for i in (1, 2, 3)] == [(2, 1), (2, 1), (0, 2)]
    assert [rows[i].tie_breaks[buchholz] for i in (1, 2, 3)] == [1, 1, 4]
    assert [rows[i].tie_breaks[sonneborn] for i in (1, 2, 3)] == [1, 1, 0]
    assert [rows[i].place for i in (1, 2, 3)] == [1, 1, 3]


def test_rounds_that_were_paired_by_the_rules_before_still_follow() -> None:
    """An update of the site takes no round away that was played."""
    old = replace(SWISSES["swiss"], scoring=1)
    for seed in range(12):
        played = Played(old, seed, lambda number: number in {0, 1, 4}).go_on()
        [[division]] = played.stages
        new = replace(division.state, scoring=2)
        assert count_valid_rounds(division.system, new) == len(new.rounds)
