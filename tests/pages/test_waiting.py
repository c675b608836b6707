"""Why matches wait, in one line."""

from __future__ import annotations

import pytest

from cardroom.display.numbers import rough_duration
from cardroom.pages.common.wait_text import bot_waits, wait_text
from tests import factories as make
from tournaments import actions
from tournaments.queue.waits import Wait
from tournaments.visibility import NOBODY

WHY = "All 2 workers are busy, with 4 matches."


@pytest.mark.parametrize(
    ("wait", "words"),
    [
        (Wait(0, 0.0, ""), ""),
        (Wait(1, 5.0, WHY), f"One match in the queue, less than a minute. {WHY}"),
        (Wait(1200, 90.0, WHY), f"1,200 matches in the queue, about 2 minutes. {WHY}"),
        (Wait(2, None, WHY), f"2 matches in the queue, unknown time. {WHY}"),
    ],
)
def test_a_line_names_the_wait_its_length_and_its_reason(wait: Wait, words: str) -> None:
    assert wait_text(wait) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "less than a minute"),
        (60, "about 1 minute"),
        (89 * 60, "about 89 minutes"),
        (90 * 60, "about 2 hours"),
        (24 * 3600, "about 24 hours"),
    ],
)
def test_durations_are_rounded(seconds: float, words: str) -> None:
    assert rough_duration(seconds) == words


@pytest.mark.django_db
def test_a_bot_waits_in_its_tournaments() -> None:
    own, mate, other = make.bot(), make.bot(), make.bot()
    cup = make.tournament([own, other], start=True)
    stages = [{"system": "ladder", "groups": 1}]
    pairs = make.tournament(
        format="cassino/standard/2v2?deals=1", partners="fixed", stages=stages, rated=True
    )
    team = actions.enter_team(pairs, [mate, own], None)
    actions.enter_team(pairs, [make.bot(), make.bot()], None)
    actions.start(pairs, None)
    assert [wait.tournament for wait in bot_waits(own, NOBODY)] == [pairs, cup]
    assert all(" in the queue" in wait.text for wait in bot_waits(own, NOBODY))
    assert [wait.tournament for wait in bot_waits(other, NOBODY)] == [cup]
    actions.withdraw_team(team, None)
    actions.cancel(cup, None)
    assert bot_waits(own, NOBODY) == []
