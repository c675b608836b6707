"""Workflows are valid and call existing targets of make, and news fragments have known kinds."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / ".github").rglob("*.yml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_workflows_are_valid_yaml(path: Path) -> None:
    assert isinstance(yaml.safe_load(path.read_text()), dict)


def test_workflows_call_existing_targets_of_make() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    calls = [re.findall(r"run:.*\bmake ([a-z]+)", path.read_text()) for path in FILES]
    called_targets = {target for names in calls for target in names}
    assert {"test", "hostile", "audit", "dist"} <= called_targets
    assert called_targets <= targets


def test_news_fragments_have_known_kinds() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["towncrier"]
    kinds = {kind["directory"] for kind in settings["type"]}
    fragments = [path for path in (ROOT / "changes").iterdir() if path.name != "README.md"]
    wrong = [path.name for path in fragments if path.name.split(".")[1] not in kinds]
    assert wrong == []
    assert settings["start_string"] in (ROOT / "CHANGELOG.md").read_text()
