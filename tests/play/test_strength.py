"""Which house bots are offered for a game, in which order."""

from __future__ import annotations

import pytest

from cardroom.play.strength import for_format, in_words
from engine import Format, all_formats
from engine.registry import BUILT_IN


@pytest.mark.parametrize("game", BUILT_IN)
def test_opponents_stand_in_order_of_strength(game: str) -> None:
    found = for_format(_main(game))
    assert found[0] == "house:random"
    assert found[-2:] == [f"house:{game}", "house:expert"]
    levels = [bot for bot in found if bot.startswith("house:expert-")]
    assert levels == sorted(levels)
    assert len(found) == len(set(found)) == 10


def test_levels_say_what_they_overlook_at_this_game() -> None:
    assert in_words("house:expert-1", _main("cassino")) != in_words(
        "house:expert-1", _main("spoon-eye")
    )
    assert "nothing" in in_words("house:expert-5", _main("paks"))


def _main(game: str) -> Format:
    return next(fmt for fmt in all_formats() if fmt.game == game)
