"""The image of the engine: complete, without the platform, apart for each interpreter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bots.sandbox import cache, image, interpreter

PYTHON = interpreter.running()


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path)
    return tmp_path


def built(version: str = PYTHON.version) -> Path:
    """As another process would: nothing is remembered."""
    return image.ensure_image.__wrapped__(replace(PYTHON, version=version))


def test_holds_engine_and_runner_and_nothing_else() -> None:
    tree = built()
    names = {path.name for path in tree.iterdir()}
    assert {"engine", "runner.py", image.START} <= names
    assert not names & {"bots", "tournaments", "cardroom"}
    assert (tree / "engine" / "__init__.py").read_bytes()
    assert list((tree / "engine" / "__pycache__").glob("__init__.*.pyc"))


def test_is_built_once_and_apart_for_each_interpreter() -> None:
    first = built()
    made = (first / image.START).stat().st_ctime_ns
    assert built() == first
    assert (first / image.START).stat().st_ctime_ns == made
    assert built("another") != first
