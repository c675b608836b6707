"""The progress of matches at home."""

from __future__ import annotations

import time

import pytest
from rich.progress import Progress as Bar

from bots.referee import house
from bots.referee.outcome import MatchOutcome, Progress
from engine import Format, Record
from tournaments.home.elo_lead import EloLead
from tournaments.home.pace import Leader, Pace
from tournaments.home.play_command import _Run, _StatusLine, seatings
from tournaments.ratings.fit import chance_above_zero, fit
from tournaments.ratings.result_arrays import RatedMatch
from tournaments.ratings.sprt import Scores

FORMAT = Format.parse("cassino/standard/1v1")


@pytest.fixture
def _a_second_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 11.0)


@pytest.mark.usefixtures("_a_second_has_passed")
def test_the_pace_gives_the_time_left() -> None:
    pace = Pace(start_time=10.0)
    assert pace.words(300) == []
    pace.played = 4
    assert pace.words(300) == ["4.0 matches/s", "0:01:15 left"]
    assert pace.words(0) == []


def outcome(ranks: list[int]) -> MatchOutcome:
    record = Record(str(FORMAT), "s", [], [], result={"ranks": ranks, "scores": [0, 0]})
    return MatchOutcome(record, [])


@pytest.mark.usefixtures("_a_second_has_passed")
def test_the_line_of_play_has_points_lead_pace_and_time_left() -> None:
    players = house.load_players(["house:random", "house:greedy"])
    matches = seatings(FORMAT, 2, "s", 8)
    run = _Run(FORMAT, players, "s", matches, EloLead(Scores()), None)
    bar = Bar(disable=True)
    status = _StatusLine(bar, bar.add_task("", total=None), run, Pace(start_time=10.0))
    assert status.text() == "0 of 8 matches, Elo –"
    for ranks in ([1, 2], [2, 1], [1, 2], [1, 1]):  # the sides rotate
        run._add_outcome(outcome(ranks))
        run.finished += 1
    text = status.text()
    assert text == (
        "4 of 8 matches, 3.5 : 0.5, Elo +338 (at least -67), LOS 94%, 4.0 matches/s, 0:00:01 left"
    )
    status.show_match(matches[4], Progress(7, 1, [3, 2], []))
    assert bar.tasks[0].description == f"{text}; match 5: 1 deal, 7 moves, 3 : 2"


def test_the_line_of_a_tournament_names_the_leader() -> None:
    leader = Leader()
    assert leader.text() == ""
    for group, (first, second) in enumerate((("a", "b"), ("b", "c"), ("a", "c"), ("a", "b"))):
        leader.add(RatedMatch(((first,), (second,)), (1, 2), group))
    leader.add(RatedMatch((("c",), ("a",)), (1, 1), 4))
    text = leader.text()
    assert text.startswith("a leads: 3.5 points, Elo ")
    assert "LOS " in text


def test_the_leader_is_compared_only_with_bots_that_matches_connect() -> None:
    leader = Leader()
    for group, (first, second) in enumerate([("a", "b"), ("b", "c"), *[("d", "e")] * 9]):
        leader.add(RatedMatch(((first,), (second,)), (1, 2), group))
    fitted = fit(leader.games)
    assert next(iter(fitted.ratings)) == "d"
    superiority = chance_above_zero(*fitted.difference("a", "b"))
    text = leader.text()
    assert text.startswith("a leads: 1 points")
    assert text.endswith(f"LOS {superiority:.0%}")
