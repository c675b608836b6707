"""What is known of a tournament before it is played."""

from __future__ import annotations

import pytest

from tournaments.course.forecast import MIN_RUNS, RUNS, Field, forecast, multiply_groups
from tournaments.course.stages import StagePlan
from tournaments.pairing import SYSTEMS

ENDING = [name for name, system in SYSTEMS.items() if not system.endless]


def test_a_round_robin_is_counted_exactly() -> None:
    found = forecast([StagePlan(groups=3)], (1, 1), Field.unknown(7), runs=5)
    assert (found.matches.low, found.matches.mean, found.matches.high) == (126, 126, 126)
    assert found.groups.mean == 63
    assert found.rounds.mean == 7
    assert found.hours(2.0, 2) == pytest.approx(126 / 3600)
    wide = forecast([StagePlan(groups=2)], (1, 1, 1), Field.unknown(5), runs=5)
    assert wide.matches.mean == 10 * 2 * 3


def test_a_knock_out_has_extra_groups_now_and_then() -> None:
    found = forecast([StagePlan("knock-out", groups=2)], (1, 1), Field.unknown(8))
    assert found.matches.low >= 7 * 2 * 2
    assert found.matches.low < found.matches.mean < found.matches.high


@pytest.mark.parametrize("name", ["round-robin", "swiss", "knock-out"])
def test_more_groups_find_the_best_more_surely(name: str) -> None:
    plans = [StagePlan(name, groups=1)]
    few = forecast(plans, (1, 1), Field.unknown(10))
    many = forecast(multiply_groups(plans, 16), (1, 1), Field.unknown(10), runs=100)
    assert many.best_wins > few.best_wins + few.error
    assert many.best_in_top >= few.best_in_top
    assert few.best_in_top > few.best_wins


@pytest.mark.parametrize("name", [name for name in ENDING if name != "gauntlet"])
def test_the_strongest_by_far_wins(name: str) -> None:
    """Not a gauntlet: there only challengers meet many."""
    field = Field((2200.0, *[1200.0] * 8), (0.0,) * 9)
    found = forecast([StagePlan(name, groups=2)], (1, 1), field, runs=20)
    assert found.best_wins > 0.9
    assert found.best_in_top >= found.best_wins


def test_equals_win_by_lot() -> None:
    field = Field((1200.0,) * 8, (1e-6,) * 8)
    found = forecast([StagePlan(groups=1)], (1, 1), field)
    assert found.best_wins == pytest.approx(1 / 8, abs=0.09)
    assert found.best_in_top == pytest.approx(3 / 8, abs=0.13)


def test_stages_are_played_one_after_the_other() -> None:
    plans = [StagePlan(groups=1, divisions=2), StagePlan("knock-out", groups=1, take=4)]
    found = forecast(plans, (1, 1), Field.unknown(8), runs=30)
    assert found.groups.low >= 2 * 6 + 3
    assert found.rounds.mean == pytest.approx(3 + 2, abs=0.5)
    partners = forecast([StagePlan(groups=1)], (2, 2), Field.unknown(8), runs=5)
    assert partners.matches.mean == 14 * 2


def test_the_same_seed_gives_the_same_forecast_and_large_ones_fewer_runs() -> None:
    plans = [StagePlan("swiss", groups=2)]
    one = forecast(plans, (1, 1), Field.unknown(20), runs=20)
    assert forecast(plans, (1, 1), Field.unknown(20), runs=20) == one
    assert forecast(plans, (1, 1), Field.unknown(20), runs=20, seed="other") != one
    assert one.matches.mean == one.rounds.mean * 10 * 2 * 2
    large = forecast([StagePlan(groups=2)], (1,) * 6, Field.unknown(14))
    assert MIN_RUNS <= large.runs < RUNS


def test_what_cannot_be_forecast_is_refused() -> None:
    with pytest.raises(ValueError, match="needs 3 entrants or more"):
        forecast([StagePlan()], (1, 1, 1), Field.unknown(2))
    for name in SYSTEMS.keys() - set(ENDING):
        with pytest.raises(ValueError, match="no fixed end"):
            forecast([StagePlan(name)], (1, 1), Field.unknown(8))
