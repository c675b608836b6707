"""Editions of rules: what changes them, the history of each game, and what a game does."""

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

TELL = "from engine import rules; import json; print(json.dumps(rules.editions()))"
GAMES = [registry.game(name) for name in registry.BUILT_IN]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A folder with a copy of the engine."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "engine", tmp_path / "engine", ignore=ignored)
    return tmp_path


def editions(folder: Path) -> dict[str, str]:
    """The editions of a program whose engine is in a folder, read by a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", TELL],
        env=os.environ | {"PYTHONPATH": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


def own() -> dict[str, str]:
    return {game.name: rules.edition(game.name) for game in GAMES}


def changed(folder: Path) -> set[str]:
    """The games whose edition is another one in that folder."""
    found = editions(folder)
    return {name for name, edition in own().items() if found[name] != edition}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_an_edition_is_version_and_digest() -> None:
    for game in GAMES:
        assert re.fullmatch(rf"{game.version} [0-9a-f]{{16}}", rules.edition(game.name))
        assert rules.version_of(rules.edition(game.name)) == game.version
    assert len(set(own().values())) == len(GAMES)
    assert [rules.version_of(text) for text in ("", "x", "² a", "9" * 40)] == [0, 0, 0, 0]
    with pytest.raises(ValueError, match="No game is called bridge"):
        rules.edition("bridge")


def test_the_same_sources_make_the_same_edition_wherever_they_lie(copied: Path) -> None:
    for path in copied.rglob("*.py"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert changed(copied) == set()


def test_a_changed_rule_of_one_game_changes_its_edition_alone(copied: Path) -> None:
    edit(copied / "engine/games/cassino/scoring.py", "return", "return ")
    assert changed(copied) == {"cassino"}


def test_what_all_games_share_changes_all(copied: Path) -> None:
    edit(copied / "engine/shuffle.py", "return", "return ")
    assert changed(copied) == set(registry.BUILT_IN)


def test_a_file_more_changes_the_edition(copied: Path) -> None:
    (copied / "engine/games/paks/more.py").touch()
    assert changed(copied) == {"paks"}


def test_a_game_of_another_package_has_the_digest_of_its_own_sources(tmp_path: Path) -> None:
    package = tmp_path / "sixth"
    shutil.copytree(ROOT / "tests/thirdparty/sixth", package)
    info = tmp_path / "sixth-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sixth\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[cardroom.games]\nsixth = sixth:GAME\n")
    (tmp_path / "engine").symlink_to(ROOT / "engine")
    first = editions(tmp_path)
    assert re.fullmatch("1 [0-9a-f]{16}", first["sixth"])
    assert first == {**own(), "sixth": first["sixth"]}
    edit(package / "__init__.py", "higher", "highest")
    assert editions(tmp_path)["sixth"] != first["sixth"]


def test_without_sources_the_files_count_and_without_files_the_distribution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "distribution", lambda _: "found 1.0")
    compiled = tmp_path / "found" / "__init__.so"
    compiled.parent.mkdir()
    seen = []
    for content in (b"one", b"two", None):
        compiled.write_bytes(content) if content else compiled.unlink()
        monkeypatch.setattr(rules, "_file_of", lambda module: str(compiled))
        monkeypatch.setattr(rules, "_package_of", lambda module: "found")
        seen.append(rules.digest.__wrapped__("cassino"))
    monkeypatch.setattr(registry, "distribution", lambda _: "found 1.1")
    seen.append(rules.digest.__wrapped__("cassino"))
    assert len(set(seen)) == 4


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_history_ends_with_the_version_and_stands_in_the_document(game: Any) -> None:
    assert [change.version for change in game.history] == list(range(1, game.version + 1))
    days = [date.fromisoformat(change.date) for change in game.history]
    assert days == sorted(days)
    section = text_of(game.document).partition(". History\n")[2]
    rows = re.findall(r"^\| (\d+) \| ([-\d]+) \| (.+) \|$", section, re.MULTILINE)
    assert [(int(number), day, text) for number, day, text in rows] == list(game.history)
    described = game.describe_game()
    assert described["version"] == game.version
    assert [each["changes"] for each in described["history"]] == [row[2] for row in rows]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_what_a_game_does_changes_with_its_version_only(game: Any) -> None:
    before, now = behaviour.kept()[game.name], behaviour.today(game)
    assert not (words := behaviour.undeclared(game, before, now)), words
    assert now == before, "A new version: `python -m tests.engine.behaviour` writes its hash down."


def test_a_change_without_a_new_version_is_told_what_to_do() -> None:
    game, before = GAMES[1], {"version": 2, "behaviour": "a"}
    assert behaviour.undeclared(game, before, before) == ""
    assert behaviour.undeclared(game, before, {"version": 3, "behaviour": "b"}) == ""
    words = behaviour.undeclared(game, before, {"version": 2, "behaviour": "b"})
    assert "Canasta.version" in words
    assert "docs/rules/canasta.md" in words
