"""What the workflows of a public repository call is there, and news fragments have known kinds."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / ".github").rglob("*.yml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_they_can_be_read(path: Path) -> None:
    assert isinstance(yaml.safe_load(path.read_text()), dict)


def test_they_call_targets_that_make_has() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    called = [re.findall(r"run:.*\bmake ([a-z]+)", path.read_text()) for path in FILES]
    asked = {target for some in called for target in some}
    assert {"test", "hostile", "audit", "dist"} <= asked
    assert asked <= targets


def test_news_fragments_have_known_kinds() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["towncrier"]
    kinds = {kind["directory"] for kind in settings["type"]}
    fragments = [path for path in (ROOT / "changes").iterdir() if path.name != "README.md"]
    wrong = [path.name for path in fragments if path.name.split(".")[1] not in kinds]
    assert wrong == []
    assert settings["start_string"] in (ROOT / "CHANGELOG.md").read_text()
