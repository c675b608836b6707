"""The opponent scale: seven levels with the same names, in measured order."""

from __future__ import annotations

import pytest

from cardroom_base.core.names import LEVELS, looks_like_display_name
from cardroom_tables.strength import bots_of_format, describe, other_bots, scale, wins_of_next_level
from engine import Format, all_formats
from engine.registry import BUILT_IN


@pytest.mark.parametrize("fmt", all_formats(), ids=str)
def test_every_format_has_the_same_seven_levels(fmt: Format) -> None:
    levels = scale(fmt)
    assert [level.number for level in levels] == [1, 2, 3, 4, 5, 6, 7]
    assert [level.name for level in levels] == list(LEVELS.values())
    assert len({level.words for level in levels}) == 7


@pytest.mark.parametrize("game", BUILT_IN)
def test_levels_are_in_measured_order(game: str) -> None:
    fmt = _main(game)
    steps = fmt.spec.levels.rating_steps
    assert len(steps) == 6
    assert min(steps) >= 0
    for number, step in enumerate(steps, 1):
        assert (wins_of_next_level(fmt, number) or 0) >= (5 if step else 0)
    assert wins_of_next_level(fmt, 7) is None


@pytest.mark.parametrize("game", BUILT_IN)
def test_other_house_bots_are_listed_by_name(game: str) -> None:
    names = other_bots(_main(game))
    assert names[0] == f"house:{game}"
    assert not set(names) & set(LEVELS)
    assert [bot for bot in names if bot.removeprefix("house:") in BUILT_IN] == [names[0]]
    assert bots_of_format(_main(game)) == [*reversed(list(LEVELS)), *names]
    assert describe(names[0], _main(game))


def test_levels_describe_their_weaknesses() -> None:
    one, other = (scale(_main(game))[1].more for game in ("cassino", "spoon-eye"))
    assert one != other
    assert scale(_main("paks"))[5].more == "It overlooks nothing."


def test_names_of_levels_are_reserved() -> None:
    for name in (*LEVELS.values(), "novice", "The H0use"):
        assert looks_like_display_name(name), name
    assert not looks_like_display_name("Bernhard")


def _main(game: str) -> Format:
    return next(fmt for fmt in all_formats() if fmt.game == game)
