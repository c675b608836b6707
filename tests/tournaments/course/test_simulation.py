"""Simulating pairing systems with random results."""

from __future__ import annotations

from random import Random

import pytest

from tournaments.course.simulation import ByRatings, play_out
from tournaments.pairing import SYSTEMS, PairingStep, Round, State, System, count_valid_rounds


def test_two_sides_follow_the_elo_curve() -> None:
    draw = ByRatings([1200.0, 1000.0], Random("elo"))
    results = [draw([(0,), (1,)]) for _ in range(4000)]
    share = sum(group.points[0] for group in results) / len(results)
    assert share == pytest.approx(1 / (1 + 10 ** (-200 / 400)), abs=0.02)
    assert all(sum(group.points) == pytest.approx(1) for group in results)
    assert all(sum(group.differences) == pytest.approx(0) for group in results)


def test_a_side_is_as_strong_as_the_mean_of_its_members() -> None:
    draw = ByRatings([1400.0, 1000.0, 1200.0, 1200.0], Random("mean"))
    results = [draw([(0, 1), (2, 3)]) for _ in range(4000)]
    assert sum(group.points[0] for group in results) / len(results) == pytest.approx(0.5, abs=0.02)


def test_a_round_robin_is_played_to_its_end() -> None:
    system = SYSTEMS["round-robin"]
    state = State(entrants=6, sides=3, seed="s", groups=2)
    final_state = play_out(system, state, ByRatings([1000.0] * 6, Random(1)))
    assert len(final_state.rounds) == count_valid_rounds(system, final_state) == 10
    for meeting in (meeting for round_ in final_state.rounds for meeting in round_):
        assert meeting.groups == 2
        assert sum(meeting.points) == pytest.approx(3)  # two groups of three shares of ½ on average
        assert [len(side) for side in state.teams(meeting.entrants)] == [1, 1, 1]


def test_an_endless_system_raises_an_error() -> None:
    one: Round = ((0, 1),)
    forever = System("x", "x", "x", pair=lambda _: PairingStep((one,)))
    state = State(entrants=2, sides=2, seed="s")
    draw = ByRatings([0.0, 0.0], Random(1))
    assert len(play_out(forever, state, draw, max_rounds=7).rounds) == 7
    with pytest.raises(ValueError, match="never ends"):
        play_out(forever, state, draw)
