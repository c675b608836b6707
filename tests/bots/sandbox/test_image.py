"""The image of the engine: complete, without the platform, one for each interpreter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bots.sandbox import image, interpreter, shared_folders

PYTHON = interpreter.running()


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(shared_folders, "cache_folder", lambda: tmp_path)
    return tmp_path


def build_afresh(version: str = PYTHON.version) -> Path:
    """Ensure the image without a cache, as another process would."""
    return image.ensure_image.__wrapped__(replace(PYTHON, version=version))


def test_the_image_has_only_engine_and_runner() -> None:
    tree = build_afresh()
    names = {path.name for path in tree.iterdir()}
    assert {"engine", "runner.py", image.START} <= names
    assert not names & {"bots", "tournaments", "cardroom"}
    assert (tree / "engine" / "__init__.py").read_bytes()
    assert list((tree / "engine" / "__pycache__").glob("__init__.*.pyc"))


def test_the_image_is_built_once_for_each_interpreter() -> None:
    first = build_afresh()
    built_at = (first / image.START).stat().st_ctime_ns
    assert build_afresh() == first
    assert (first / image.START).stat().st_ctime_ns == built_at
    assert build_afresh("another") != first
