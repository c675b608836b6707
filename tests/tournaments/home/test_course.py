"""The matches at home and their order."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from engine import Format
from tests.tournaments.home.drawn import play_through
from tournaments.course.stages import StagePlan
from tournaments.deal_groups import group_seed
from tournaments.home import HomeTournament, Setup
from tournaments.pairing import SYSTEMS

PAIRS = Format.parse("cassino/standard/2v2")
SINGLES = Format.parse("cassino/standard/1v1")


def new_setup(fmt: Format, entries: int, *plans: StagePlan, **settings: object) -> Setup:
    names = tuple(f"bot{i}" for i in range(entries))
    return Setup(fmt, names, "s", plans, **settings)  # type: ignore[arg-type]


def test_a_round_robin_plays_every_pair_with_every_rotation() -> None:
    setup = new_setup(PAIRS, 4, StagePlan(groups=3))
    matches = HomeTournament(setup).next_matches()
    assert len(matches) == 6 * 3 * 2
    assert len({match.seed for match in matches}) == 18
    pairs = Counter(tuple(sorted({entry for entry, _ in match.seats})) for match in matches)
    assert pairs == dict.fromkeys(combinations(range(4), 2), 6)
    assert all(match.seats[0] == match.seats[2] for match in matches)
    assert len({match.name for match in matches}) == 36
    assert HomeTournament(setup).next_matches() == matches


def test_seeds_equal_those_of_a_site() -> None:
    match = next(iter(HomeTournament(new_setup(SINGLES, 4, StagePlan(groups=2))).next_matches()))
    assert match.seed == group_seed("s", match.round, match.pairing, match.number_in_pairing)


@pytest.mark.parametrize("name", [name for name, system in SYSTEMS.items() if not system.endless])
def test_every_system_is_played_to_its_end(name: str) -> None:
    course = play_through(new_setup(SINGLES, 7, StagePlan(name)))
    rows = course.standings()
    assert sorted(str(row.entrant) for row in rows) == sorted(course.setup.names)
    assert rows[0].place == 1
    assert not course.next_matches()
    assert all(row.groups for row in rows)
    seats = [entry for match in course.played for entry, _ in match.plan.seats]
    assert set(seats) == set(range(7))


@pytest.mark.parametrize("name", [name for name, system in SYSTEMS.items() if system.endless])
def test_endless_systems_stop_after_the_given_rounds(name: str) -> None:
    course = play_through(new_setup(SINGLES, 6, StagePlan(name, groups=1), max_rounds=8))
    [[division]] = course.stages
    assert 8 <= len(division.state.rounds) < 20
    assert len(division.state.ratings) == 6


def test_groups_lead_to_a_final() -> None:
    plans = (StagePlan(groups=1, divisions=2), StagePlan("knock-out", groups=2, take=4))
    course = play_through(new_setup(SINGLES, 8, *plans))
    groups, [final] = course.stages
    firsts = [[row.entrant for row in group.rows[:2]] for group in groups]
    # Winners of divisions are seeded before runners-up.
    assert final.entrants == (firsts[0][0], firsts[1][0], firsts[0][1], firsts[1][1])
    rows = course.standings()
    assert {row.entrant for row in rows[:4]} == set(final.entrants)
    assert rows[0].entrant == final.rows[0].entrant
    seeds = {(match.plan.seed, match.plan.turn) for match in course.played}
    assert len(seeds) == len(course.played)


def test_partners_rotate() -> None:
    course = play_through(new_setup(PAIRS, 8, StagePlan(groups=2), rotating=True))
    partners: Counter[frozenset[int]] = Counter()
    for match in course.played:
        assert len({entry for entry, _ in match.plan.seats}) == 4
        for team in match.plan.teams:
            partners[frozenset(team)] += 1
    assert set(partners.values()) == {4}  # one pairing each: two deal groups of two matches
    assert len(partners) == 28
    assert len(course.standings()) == 8


def test_fixed_teams_have_their_own_seats() -> None:
    course = play_through(new_setup(PAIRS, 3, StagePlan(groups=1), bots=2))
    for match in course.played:
        a, b, c, d = match.plan.seats
        assert a[0] == c[0] != b[0] == d[0]
        assert {a[1], c[1]} == {b[1], d[1]} == {0, 1}


def test_invalid_setups_are_refused() -> None:
    with pytest.raises(ValueError, match="needs 4 entrants or more; 3 have entered"):
        HomeTournament(new_setup(PAIRS, 3, StagePlan(), rotating=True))
    with pytest.raises(ValueError, match="does not support rotating partners"):
        HomeTournament(new_setup(PAIRS, 8, StagePlan("knock-out"), rotating=True))


def test_a_stage_that_could_not_be_paired_is_refused_at_the_start() -> None:
    final = StagePlan("gauntlet", {"challengers": 4}, take=4)
    with pytest.raises(ValueError, match="Stage 2: A gauntlet with 4 of the seeds as challengers"):
        HomeTournament(new_setup(SINGLES, 6, StagePlan(), final))
