"""The runtime image: complete, out of others' reach, rebuilt when damaged; and its interpreter."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from bots.sandbox import SandboxUnavailable, image, interpreter

PYTHON = Path(sys.executable)


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(image, "cache_folder", lambda: tmp_path)
    return tmp_path


def test_holds_engine_and_runner_and_nothing_else(cache: Path) -> None:
    built = image.ensure_image(PYTHON, "here")
    names = {path.name for path in built.iterdir()}
    assert {"engine", "runner.py", image.START, image.NOTHING} <= names
    assert not names & {"bots", "tournaments", "cardroom"}
    assert (built / "engine" / "__init__.py").read_bytes()
    assert list((built / "engine" / "__pycache__").glob("__init__.*.pyc"))
    assert list(cache.iterdir()) == [built]


def test_others_may_read_and_not_write(cache: Path) -> None:
    built = image.ensure_image(PYTHON, "here")
    for path in (built, *built.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644)


def test_is_built_once_and_apart_for_each_interpreter(cache: Path) -> None:
    first = image.ensure_image(PYTHON, "one")
    made = (first / image.START).stat().st_mtime_ns
    assert image.ensure_image(PYTHON, "one") == first
    assert (first / image.START).stat().st_mtime_ns == made
    assert image.ensure_image(PYTHON, "two") != first


def test_missing_or_cut_files_are_mended(cache: Path) -> None:
    built = image.ensure_image(PYTHON, "here")
    module = built / "engine" / "__init__.py"
    for content in (None, b""):
        module.unlink()
        if content is not None:
            module.write_bytes(content)
        assert image.ensure_image(PYTHON, "here") == built
        assert module.stat().st_size > 0
    assert list(cache.iterdir()) == [built]


def test_long_unused_images_go(cache: Path) -> None:
    old = image.ensure_image(PYTHON, "old")
    os.utime(old, (0, 0))
    image.ensure_image(PYTHON, "new")
    assert not old.exists()


def test_folder_that_others_may_write_to_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ours = tmp_path / "ours"
    ours.mkdir()
    assert image.owned(ours)
    ours.chmod(0o777)
    assert not image.owned(ours)
    link = tmp_path / "link"
    link.symlink_to("/usr")
    assert not image.owned(link)
    monkeypatch.setattr(image, "owned", lambda folder: False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match="others may write there"):
        image.cache_folder()


def test_interpreter_is_one_that_anybody_may_start() -> None:
    found = interpreter.for_sandbox()
    assert tuple(map(int, found.version.split()[:2])) >= interpreter.OLDEST
    if os.geteuid() == 0:
        assert all(step.stat().st_mode & 0o001 for step in (found.path, *found.path.parents))


def test_interpreter_out_of_reach_falls_back_or_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    running = Path("/root/python/bin/python3")
    monkeypatch.setattr(interpreter.shutil, "which", lambda *_, **__: None)  # type: ignore[attr-defined] # the module's own
    with pytest.raises(SandboxUnavailable, match="no /usr/bin/python3"):
        interpreter._system(running)
    monkeypatch.undo()
    monkeypatch.setattr(interpreter, "_version", lambda path: "3 9 2 cpython-39")
    with pytest.raises(SandboxUnavailable, match=r"older than Python 3\.11"):
        interpreter._system(running)
