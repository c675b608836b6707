"""House bots: all can be found by name and played."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.limits import PackageError
from bots.referee import house


def test_a_house_bot_is_found_by_name() -> None:
    assert "random" in house.names()
    package = house.find("house:random")
    assert package is house.load("random")
    assert "bot.py" in package.files
    assert package.manifest.claimed()


def test_every_house_bot_can_be_read() -> None:
    for name in house.names():
        assert house.load(name).manifest.name


@pytest.mark.parametrize("name", ["randm", "", "../random", "random/bot.py"])
def test_an_unknown_name_lists_the_known_ones(name: str) -> None:
    with pytest.raises(PackageError, match=r"No house bot is called .* (Did you mean|There are)"):
        house.find(f"house:{name}")


def test_anything_else_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("def choose(view, legal):\n    return legal[0]\n")
    assert house.find(str(tmp_path)).name == tmp_path.name
