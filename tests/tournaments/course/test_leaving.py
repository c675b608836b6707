"""Entrants that leave in a stage have no place in the next one, and nothing gets stuck."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from tests.tournaments.course.test_voids import PAIRS, Simulation, conditions
from tournaments.course.stages import StagePlan
from tournaments.deal_groups import Entrant
from tournaments.pairing import SYSTEMS

ENDING = [name for name, system in SYSTEMS.items() if not system.endless]


def cup(first: str, second: str, *, take: int, divisions: int = 1) -> Simulation:
    """A simulation of two stages for seven entrants, played to the end of the first stage."""
    plans = StagePlan(first, groups=1, divisions=divisions), StagePlan(second, groups=1, take=take)
    simulation = Simulation(conditions(PAIRS, 7, plans[0]), 3, lambda _: False).advance()
    simulation.of = replace(simulation.of, plans=plans)
    return simulation


def leave(simulation: Simulation, *entrants: Entrant) -> None:
    """Let entrants leave now."""
    moment = max((key[0], key[2]) for key in simulation.groups)
    departures = {**simulation.of.departures, **dict.fromkeys(entrants, moment)}
    simulation.of = replace(simulation.of, withdrawn=frozenset(departures), departures=departures)


def ranking(simulation: Simulation) -> list[Entrant]:
    return list(simulation.rows)  # type: ignore[arg-type]


@pytest.mark.parametrize(("first", "second"), list(product(ENDING, ENDING)))
def test_a_place_goes_to_the_next_present_entrant(first: str, second: str) -> None:
    simulation = cup(first, second, take=3)
    places = ranking(simulation)
    leave(simulation, places[0], places[2])
    simulation.advance()
    _, (final,) = simulation.stages
    assert final.entrants == (places[1], places[3], places[4])
    assert not final.upcoming()
    assert sorted(map(str, simulation.rows)) == sorted(map(str, places))


@pytest.mark.parametrize(("first", "second"), list(product(ENDING, ENDING)))
@pytest.mark.parametrize("stay", [0, 1])
def test_a_stage_with_too_few_entrants_is_not_played(first: str, second: str, stay: int) -> None:
    simulation = cup(first, second, take=3)
    places = ranking(simulation)
    leave(simulation, *places[stay:])
    groups = dict(simulation.groups)
    simulation.advance()
    assert simulation.groups == groups
    assert len(simulation.stages) == 1
    assert ranking(simulation) == places


def test_a_place_stays_in_its_division() -> None:
    simulation = cup("swiss", "swiss", take=4, divisions=2)
    one, other = ([row.entrant for row in stage.rows] for stage in simulation.stages[0])
    leave(simulation, one[0])
    simulation.advance()
    assert simulation.stages[1][0].entrants == (one[1], other[0], one[2], other[1])


def test_an_entrant_that_leaves_later_keeps_its_place() -> None:
    simulation = cup("swiss", "swiss", take=4)
    places = ranking(simulation)
    simulation.advance(1)
    leave(simulation, places[0])
    simulation.advance()
    (final,) = simulation.stages[1]
    assert final.entrants == tuple(places[:4])
    assert not final.upcoming()


def test_an_entrant_may_leave_after_the_last_round() -> None:
    simulation = cup("swiss", "swiss", take=4)
    places = ranking(simulation)
    simulation.advance(1)
    leave(simulation, *places[:4])
    simulation.advance()
    (final,) = simulation.stages[1]
    assert len(final.state.rounds) == 1
    assert not final.upcoming()
