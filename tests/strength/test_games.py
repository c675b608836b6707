"""The measurement of strength at small size: groups are played, counted and repeatable."""

from __future__ import annotations

import math

import pytest

from engine import Match
from tests.strength.games import GroupOutcome, GroupTotals, play_group
from tests.strength.players import player

SHORT = "cassino/standard/1v1?deals=1"


def test_groups_are_repeatable_and_the_expert_beats_random() -> None:
    groups = [play_group(SHORT, "expert:24", "house:random", "small", n) for n in (0, 1, 0)]
    assert groups[0].ahead == groups[2].ahead
    assert groups[0].ahead > 0
    assert groups[1].ahead > 0


def test_the_expert_plays_without_parts() -> None:
    group = play_group(SHORT, "expert:8,flat,plain", "expert:8,blind", "small", 0)
    assert group.decisions > 20


@pytest.mark.parametrize("text", ["search", "expert:many", "expert:8,wings"])
def test_an_unknown_player_is_refused(text: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        player(text, SHORT, 0, "seed", Match(SHORT))


def test_a_player_that_sees_all_cards_plays_better() -> None:
    groups = [play_group(SHORT, "expert:24,seeing", "expert:24", "sees", n) for n in range(2)]
    assert sum(group.ahead for group in groups) > 0


def test_groups_are_counted() -> None:
    tally = GroupTotals([])
    for number, ahead in enumerate((3.0, -1.0, 0.0, 2.0)):
        tally.add(GroupOutcome(number, ahead, 10, 1.0))
    assert (tally.won, tally.share, tally.mean) == (2.5, 0.625, 1.0)
    low, high = tally.interval
    assert 0.2 < low < 0.625 < high < 0.95
    assert tally.elo(tally.share) == pytest.approx(400 * math.log10(5 / 3))
    assert [tally.elo(1.0), -tally.elo(0.0)] == pytest.approx([400 * math.log10(7)] * 2)
    assert tally.error == pytest.approx(1.96 * (10 / 3 / 4) ** 0.5)
