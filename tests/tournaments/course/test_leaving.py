"""Entrants that leave in one stage have no place in the next one, and nothing gets stuck."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from tests.tournaments.course.test_voids import PAIRS, Played, conditions
from tournaments.course.stages import StagePlan
from tournaments.deal_groups import Entrant
from tournaments.pairing import SYSTEMS

ENDING = [name for name, system in SYSTEMS.items() if not system.endless]


def cup(first: str, second: str, *, take: int, divisions: int = 1) -> Played:
    """Two stages for seven entrants, played to the end of the first."""
    plans = StagePlan(first, groups=1, divisions=divisions), StagePlan(second, groups=1, take=take)
    played = Played(conditions(PAIRS, 7, plans[0]), 3, lambda _: False).go_on()
    played.of = replace(played.of, plans=plans)
    return played


def leave(played: Played, *entrants: Entrant) -> None:
    """They leave now."""
    at = max((key[0], key[2]) for key in played.groups)
    left = {**played.of.departures, **dict.fromkeys(entrants, at)}
    played.of = replace(played.of, withdrawn=frozenset(left), departures=left)


def ranked(played: Played) -> list[Entrant]:
    return list(played.rows)  # type: ignore[arg-type]


@pytest.mark.parametrize(("first", "second"), list(product(ENDING, ENDING)))
def test_a_place_goes_to_the_next_that_is_still_there(first: str, second: str) -> None:
    played = cup(first, second, take=3)
    places = ranked(played)
    leave(played, places[0], places[2])
    played.go_on()
    _, (final,) = played.stages
    assert final.entrants == (places[1], places[3], places[4])
    assert not final.upcoming()
    assert sorted(map(str, played.rows)) == sorted(map(str, places))


@pytest.mark.parametrize(("first", "second"), list(product(ENDING, ENDING)))
@pytest.mark.parametrize("stay", [0, 1])
def test_a_stage_that_too_few_are_left_for_is_not_played(
    first: str, second: str, stay: int
) -> None:
    played = cup(first, second, take=3)
    places = ranked(played)
    leave(played, *places[stay:])
    before = dict(played.groups)
    played.go_on()
    assert played.groups == before
    assert len(played.stages) == 1
    assert ranked(played) == places


def test_a_place_stays_in_its_division() -> None:
    played = cup("swiss", "swiss", take=4, divisions=2)
    one, other = ([row.entrant for row in stage.rows] for stage in played.stages[0])
    leave(played, one[0])
    played.go_on()
    assert played.stages[1][0].entrants == (one[1], other[0], one[2], other[1])


def test_an_entrant_that_leaves_later_keeps_its_place() -> None:
    played = cup("swiss", "swiss", take=4)
    places = ranked(played)
    played.go_on(1)
    leave(played, places[0])
    played.go_on()
    (final,) = played.stages[1]
    assert final.entrants == tuple(places[:4])
    assert not final.upcoming()


def test_the_last_of_a_stage_may_leave() -> None:
    played = cup("swiss", "swiss", take=4)
    places = ranked(played)
    played.go_on(1)
    leave(played, *places[:4])
    played.go_on()
    (final,) = played.stages[1]
    assert len(final.state.rounds) == 1
    assert not final.upcoming()
