import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from engine import registry

ROOT = Path(__file__).parents[2]


@pytest.fixture
def brought(monkeypatch: Any) -> Any:
    """Pretend that other packages bring these entry points."""

    def bring(**values: str) -> None:
        entries = [EntryPoint(name, value, registry.GROUP) for name, value in values.items()]
        monkeypatch.setattr(registry, "entry_points", lambda group: entries)
        registry._foreign_entries.cache_clear()
        registry.game.cache_clear()

    yield bring
    monkeypatch.undo()
    registry._foreign_entries.cache_clear()
    registry.game.cache_clear()


def test_a_game_from_another_package_joins_the_built_in_ones(brought: Any) -> None:
    # loaded by path: the tests are no package
    sys.path.insert(0, str(ROOT / "tests" / "engine"))
    try:
        brought(highcard="highcard:GAME", cassino="no.such:GAME")
        names = [game.name for game in registry.games()]
    finally:
        sys.path.pop(0)
    assert names == [*registry.BUILT_IN, "highcard"]
    assert registry.game("cassino").title == "Cassino"


def test_a_broken_package_does_not_stop_the_others(brought: Any) -> None:
    brought(broken="no_such_module_at_all:GAME")
    with pytest.warns(RuntimeWarning, match="The game broken cannot be used"):
        names = [game.name for game in registry.games()]
    assert names == list(registry.BUILT_IN)


def test_a_game_must_call_itself_what_its_entry_says(brought: Any) -> None:
    brought(poker="engine.games.cassino:GAME")
    with pytest.raises(ValueError, match="calls itself cassino"):
        registry.game("poker")


def test_built_in_games_need_only_the_folder(tmp_path: Any) -> None:
    # as in a sandbox: nothing installed, only `engine` on the path
    (tmp_path / "engine").symlink_to(ROOT / "engine")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from engine import Match; "
        "m = Match('cassino/standard/1v1', seed='x'); m.play(m.legal_moves()[0]); print(m.turn)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert (done.stdout.strip(), done.stderr) == ("1", "")
