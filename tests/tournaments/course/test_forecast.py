"""Forecasts of tournaments."""

from __future__ import annotations

import pytest

from tournaments.course.forecast import MIN_RUNS, RUNS, Field, forecast, multiply_groups
from tournaments.course.stages import StagePlan
from tournaments.pairing import SYSTEMS

ENDING = [name for name, system in SYSTEMS.items() if not system.endless]


def test_the_size_of_a_round_robin_is_exact() -> None:
    result = forecast([StagePlan(groups=3)], (1, 1), Field.unknown(7), runs=5)
    assert (result.matches.low, result.matches.mean, result.matches.high) == (126, 126, 126)
    assert result.groups.mean == 63
    assert result.rounds.mean == 7
    assert result.hours(2.0, 2) == pytest.approx(126 / 3600)
    wide = forecast([StagePlan(groups=2)], (1, 1, 1), Field.unknown(5), runs=5)
    assert wide.matches.mean == 10 * 2 * 3


def test_a_knock_out_may_have_extra_groups() -> None:
    result = forecast([StagePlan("knock-out", groups=2)], (1, 1), Field.unknown(8))
    assert result.matches.low >= 7 * 2 * 2
    assert result.matches.low < result.matches.mean < result.matches.high


@pytest.mark.parametrize("name", ["round-robin", "swiss", "knock-out"])
def test_with_more_groups_the_best_wins_more_often(name: str) -> None:
    plans = [StagePlan(name, groups=1)]
    one_group = forecast(plans, (1, 1), Field.unknown(10))
    sixteen_groups = forecast(multiply_groups(plans, 16), (1, 1), Field.unknown(10), runs=100)
    assert sixteen_groups.best_wins > one_group.best_wins + one_group.error
    assert sixteen_groups.best_in_top >= one_group.best_in_top
    assert one_group.best_in_top > one_group.best_wins


@pytest.mark.parametrize("name", [name for name in ENDING if name != "gauntlet"])
def test_a_much_stronger_entrant_wins(name: str) -> None:
    """Gauntlets are excluded: there only challengers meet many opponents."""
    field = Field((2200.0, *[1200.0] * 8), (0.0,) * 9)
    result = forecast([StagePlan(name, groups=2)], (1, 1), field, runs=20)
    assert result.best_wins > 0.9
    assert result.best_in_top >= result.best_wins


def test_equals_win_by_lot() -> None:
    field = Field((1200.0,) * 8, (1e-6,) * 8)
    result = forecast([StagePlan(groups=1)], (1, 1), field)
    assert result.best_wins == pytest.approx(1 / 8, abs=0.09)
    assert result.best_in_top == pytest.approx(3 / 8, abs=0.13)


def test_stages_are_simulated_in_order() -> None:
    plans = [StagePlan(groups=1, divisions=2), StagePlan("knock-out", groups=1, take=4)]
    result = forecast(plans, (1, 1), Field.unknown(8), runs=30)
    assert result.groups.low >= 2 * 6 + 3
    assert result.rounds.mean == pytest.approx(3 + 2, abs=0.5)
    partners = forecast([StagePlan(groups=1)], (2, 2), Field.unknown(8), runs=5)
    assert partners.matches.mean == 14 * 2


def test_forecasts_are_repeatable_and_large_ones_have_fewer_runs() -> None:
    plans = [StagePlan("swiss", groups=2)]
    one = forecast(plans, (1, 1), Field.unknown(20), runs=20)
    assert forecast(plans, (1, 1), Field.unknown(20), runs=20) == one
    assert forecast(plans, (1, 1), Field.unknown(20), runs=20, seed="other") != one
    assert one.matches.mean == one.rounds.mean * 10 * 2 * 2
    large_result = forecast([StagePlan(groups=2)], (1,) * 6, Field.unknown(14))
    assert MIN_RUNS <= large_result.runs < RUNS


def test_invalid_forecasts_are_refused() -> None:
    with pytest.raises(ValueError, match="needs 3 entrants or more"):
        forecast([StagePlan()], (1, 1, 1), Field.unknown(2))
    for name in SYSTEMS.keys() - set(ENDING):
        with pytest.raises(ValueError, match="no fixed end"):
            forecast([StagePlan(name)], (1, 1), Field.unknown(8))
