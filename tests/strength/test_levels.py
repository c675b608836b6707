"""The measurement of levels at small size."""

from __future__ import annotations

from tests.strength.levels import play_pair, players


def test_without_a_ladder_the_levels_play() -> None:
    assert players([]) == [f"house:expert-{number}" for number in (1, 2, 3, 4, 5)]
    assert players(["4,0.9", "20,0"]) == ["expert:4,0.9", "expert:20"]


def test_a_player_that_overlooks_less_is_stronger() -> None:
    weaker, better = players(["4,0.9", "20,0.1"])
    tally = play_pair("cassino/standard/1v1?deals=1", weaker, better, 3, 1)
    assert len(tally.ahead) == 3
    assert tally.mean > 0
