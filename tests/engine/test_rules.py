"""Editions of rules: changes, the history of each game, and behaviour."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from engine import registry, rules
from tests.engine import behaviour
from tests.engine.documents import ROOT, text_of

PRINT_EDITIONS = "from engine import rules; import json; print(json.dumps(rules.editions()))"
GAMES = [registry.game(name) for name in registry.BUILT_IN]


@pytest.fixture
def engine_copy(tmp_path: Path) -> Path:
    """A folder with a copy of the engine."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "engine", tmp_path / "engine", ignore=ignored)
    return tmp_path


def editions(folder: Path) -> dict[str, str]:
    """The editions of an engine in a folder, read by a separate process."""
    process = subprocess.run(
        [sys.executable, "-c", PRINT_EDITIONS],
        env=os.environ | {"PYTHONPATH": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    editions_by_game: dict[str, str] = json.loads(process.stdout)
    return editions_by_game


def own_editions() -> dict[str, str]:
    return {game.name: rules.edition(game.name) for game in GAMES}


def changed_games(folder: Path) -> set[str]:
    """The games whose edition differs in that folder."""
    editions_there = editions(folder)
    return {name for name, edition in own_editions().items() if editions_there[name] != edition}


def edit(path: Path, old_text: str, new_text: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old_text in text
    path.write_text(text.replace(old_text, new_text), encoding="utf-8")


def test_an_edition_is_version_and_digest() -> None:
    for game in GAMES:
        assert re.fullmatch(rf"{game.version} [0-9a-f]{{16}}", rules.edition(game.name))
        assert rules.version_of(rules.edition(game.name)) == game.version
    assert len(set(own_editions().values())) == len(GAMES)
    assert [rules.version_of(text) for text in ("", "x", "² a", "9" * 40)] == [0, 0, 0, 0]
    with pytest.raises(ValueError, match="No game is called bridge"):
        rules.edition("bridge")


def test_the_edition_does_not_depend_on_the_folder(engine_copy: Path) -> None:
    for path in engine_copy.rglob("*.py"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert changed_games(engine_copy) == set()


def test_a_change_in_one_game_changes_only_its_edition(engine_copy: Path) -> None:
    edit(engine_copy / "engine/games/cassino/scoring.py", "return", "return ")
    assert changed_games(engine_copy) == {"cassino"}


def test_a_change_in_shared_code_changes_all_editions(engine_copy: Path) -> None:
    edit(engine_copy / "engine/shuffle.py", "return", "return ")
    assert changed_games(engine_copy) == set(registry.BUILT_IN)


def test_an_additional_file_changes_the_edition(engine_copy: Path) -> None:
    (engine_copy / "engine/games/paks/more.py").touch()
    assert changed_games(engine_copy) == {"paks"}


def test_a_game_of_another_package_has_the_digest_of_its_own_sources(tmp_path: Path) -> None:
    package = tmp_path / "sixth"
    shutil.copytree(ROOT / "tests/thirdparty/sixth", package)
    info = tmp_path / "sixth-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sixth\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[cardroom.games]\nsixth = sixth:GAME\n")
    (tmp_path / "engine").symlink_to(ROOT / "engine")
    before = editions(tmp_path)
    assert re.fullmatch("1 [0-9a-f]{16}", before["sixth"])
    assert before == {**own_editions(), "sixth": before["sixth"]}
    edit(package / "__init__.py", "higher", "highest")
    assert editions(tmp_path)["sixth"] != before["sixth"]


def test_without_sources_files_or_the_distribution_are_hashed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "distribution", lambda _: "found 1.0")
    compiled = tmp_path / "found" / "__init__.so"
    compiled.parent.mkdir()
    digests = []
    for content in (b"one", b"two", None):
        compiled.write_bytes(content) if content else compiled.unlink()
        monkeypatch.setattr(rules, "_file_of", lambda module: str(compiled))
        monkeypatch.setattr(rules, "_package_of", lambda module: "found")
        digests.append(rules.digest.__wrapped__("cassino"))
    monkeypatch.setattr(registry, "distribution", lambda _: "found 1.1")
    digests.append(rules.digest.__wrapped__("cassino"))
    assert len(set(digests)) == 4


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_history_ends_with_the_version_and_is_in_the_document(game: Any) -> None:
    assert [change.version for change in game.history] == list(range(1, game.version + 1))
    days = [date.fromisoformat(change.date) for change in game.history]
    assert days == sorted(days)
    section = text_of(game.document).partition(". History\n")[2]
    rows = re.findall(r"^\| (\d+) \| ([-\d]+) \| (.+) \|$", section, re.MULTILINE)
    assert [(int(number), day, text) for number, day, text in rows] == list(game.history)
    described = game.describe_game()
    assert described["version"] == game.version
    assert [entry["changes"] for entry in described["history"]] == [row[2] for row in rows]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_behaviour_changes_only_with_the_version(game: Any) -> None:
    stored, now = behaviour.stored_behaviour()[game.name], behaviour.current_behaviour(game)
    assert not (message := behaviour.undeclared(game, stored, now)), message
    assert now == stored, "a new version: `python -m tests.engine.behaviour` stores its hash"


def test_a_change_without_a_new_version_is_explained() -> None:
    game, stored = GAMES[1], {"version": 2, "behaviour": "a"}
    assert behaviour.undeclared(game, stored, stored) == ""
    assert behaviour.undeclared(game, stored, {"version": 3, "behaviour": "b"}) == ""
    message = behaviour.undeclared(game, stored, {"version": 2, "behaviour": "b"})
    assert "Canasta.version" in message
    assert "docs/rules/canasta.md" in message
