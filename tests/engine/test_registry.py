import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from engine import registry

ROOT = Path(__file__).parents[2]


@pytest.fixture
def install_entry_points(monkeypatch: Any) -> Any:
    """A function that simulates entry points of other packages."""

    def bring(**values: str) -> None:
        entries = [EntryPoint(name, value, registry.GROUP) for name, value in values.items()]
        monkeypatch.setattr(registry, "entry_points", lambda group: entries)
        registry._foreign_entries.cache_clear()
        registry.game.cache_clear()

    yield bring
    monkeypatch.undo()
    registry._foreign_entries.cache_clear()
    registry.game.cache_clear()


def test_a_game_from_another_package_joins_the_built_in_ones(install_entry_points: Any) -> None:
    # loaded by path: the tests are no package
    sys.path.insert(0, str(ROOT / "tests" / "engine"))
    try:
        install_entry_points(highcard="highcard:GAME", cassino="no.such:GAME")
        names = [game.name for game in registry.games()]
    finally:
        sys.path.pop(0)
    assert names == [*registry.BUILT_IN, "highcard"]
    assert registry.game("cassino").title == "Cassino"


def test_a_broken_package_does_not_stop_the_others(install_entry_points: Any) -> None:
    install_entry_points(broken="no_such_module_at_all:GAME")
    with pytest.warns(RuntimeWarning, match="The game broken cannot be used"):
        names = [game.name for game in registry.games()]
    assert names == list(registry.BUILT_IN)


def test_a_games_name_must_equal_its_entry_point(install_entry_points: Any) -> None:
    install_entry_points(poker="engine.games.cassino:GAME")
    with pytest.raises(ValueError, match="calls itself cassino"):
        registry.game("poker")


def test_built_in_games_need_only_the_folder(tmp_path: Any) -> None:
    # as in a sandbox: only `engine` on the path
    (tmp_path / "engine").symlink_to(ROOT / "engine")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from engine import Match; "
        "m = Match('cassino/standard/1v1', seed='x'); m.play(m.legal_moves()[0]); print(m.turn)"
    )
    process = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert (process.stdout.strip(), process.stderr) == ("1", "")
