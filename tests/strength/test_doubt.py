"""The measurement of the first look's errors, on artificial trials and at small size."""

from __future__ import annotations

import pytest

from engine import Format
from tests.strength.doubt import SampledDecision, report, trials


def test_playouts_correct_a_first_look_that_is_wrong() -> None:
    """The second move looks one point worse but is two points better, on every guess."""
    trial = SampledDecision([0.0, -1.0], [[luck, luck + 2.0] for luck in (0.0, 3.0, -1.0, 5.0)])
    assert trial.gain(2, trust=3) == 2.0
    assert trial.gain(2, trust=30) == 0.0
    assert next(report([trial, trial], 2)) == "2 decisions: doubt 3.00, spread 0.00"


@pytest.mark.parametrize("fmt", ["zwicker/grupp/ffa4?deals=1", "canasta/classic/2v2?deals=1"])
def test_trials_of_real_games(fmt: str) -> None:
    trial = next(trials(Format.parse(fmt), 1, 1.0, 4))
    assert trial.looks[0] == 0.0
    assert all(look <= 0 for look in trial.looks)
    assert 2 < len(trial.rounds) <= 4
